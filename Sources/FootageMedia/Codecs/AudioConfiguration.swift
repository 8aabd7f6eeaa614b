internal import FootageBase

/// What the descriptors of an `esds` box say about MPEG-4 sound.
///
/// ISO/IEC 14496-1 §7.2.6 and ISO/IEC 14496-3 §1.6.2.
struct AudioConfiguration: Hashable, Sendable {
  /// For RFC 6381 §3.3: `mp4a.40.2`, `mp4a.6B`.
  let codec: String
  /// In hertz, of what is heard; nil where the sample entry has to tell.
  let sampleRate: Int?
  let channels: Int?

  private static let sampleRates = [
    96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8_000, 7_350,
  ]

  /// - Parameter descriptor: from the tag of the `ES_Descriptor` on.
  /// - Returns: nil where the descriptors do not lead to a codec.
  init?(_ descriptor: ArraySlice<UInt8>) {
    guard let decoder = Self.decoderConfiguration(in: descriptor) else { return nil }
    let objectType = decoder[decoder.startIndex]
    guard objectType == 0x40 else {
      codec = "mp4a.\(Hexadecimal.encode([objectType], .upper))"
      sampleRate = nil
      channels = nil
      return
    }
    guard let specific = Self.body(of: 5, in: decoder.dropFirst(13)) else { return nil }
    var bits = BitReader(specific)
    guard let type = Self.objectType(&bits), let rate = Self.rate(&bits), let channelCode = bits.bits(4) else {
      return nil
    }
    codec = "mp4a.40.\(type)"
    // With explicit SBR the rate that is heard follows the core's.
    let heard = type == 5 || type == 29 ? Self.rate(&bits) ?? rate : rate
    sampleRate = heard > 0 ? heard : nil
    // PS makes two channels of one.
    channels = channelCode == 0 ? nil : channelCode == 7 ? 8 : type == 29 ? 2 : Int(channelCode)
  }

  /// Where the size of the decoder's buffer and its two bit rates stand, in the bytes that the descriptor is part of.
  static func bitRates(in descriptor: ArraySlice<UInt8>) -> Range<Int>? {
    decoderConfiguration(in: descriptor).map { ($0.startIndex + 2)..<($0.startIndex + 13) }
  }

  /// The body of the `DecoderConfigDescriptor`: object type, stream type, buffer size, two bit rates, and more.
  private static func decoderConfiguration(in descriptor: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    // ES_Descriptor: ES_ID, flags, and what the flags add.
    guard var stream = body(of: 3, in: descriptor), stream.count >= 3 else { return nil }
    let flags = stream[stream.startIndex + 2]
    stream = stream.dropFirst(3)
    if flags & 0x80 != 0 { stream = stream.dropFirst(2) }
    if flags & 0x40 != 0, let length = stream.first { stream = stream.dropFirst(1 + Int(length)) }
    if flags & 0x20 != 0 { stream = stream.dropFirst(2) }
    return body(of: 4, in: stream).flatMap { $0.count >= 13 ? $0 : nil }
  }

  /// Skips to the descriptor of this tag and gives its body, as far as it is there.
  private static func body(of tag: UInt8, in bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    var rest = bytes
    while let first = rest.popFirst() {
      var size = 0
      for _ in 0..<4 {
        guard let byte = rest.popFirst() else { return nil }
        size = size << 7 | Int(byte & 0x7F)
        if byte & 0x80 == 0 { break }
      }
      if first == tag { return rest.prefix(size) }
      rest = rest.dropFirst(size)
    }
    return nil
  }

  private static func objectType(_ bits: inout BitReader) -> Int? {
    guard let type = bits.bits(5) else { return nil }
    return type == 31 ? bits.bits(6).map { 32 + Int($0) } : Int(type)
  }

  private static func rate(_ bits: inout BitReader) -> Int? {
    guard let index = bits.bits(4) else { return nil }
    if index == 15 { return bits.bits(24).map { Int($0) } }
    return Int(index) < sampleRates.count ? sampleRates[Int(index)] : 0
  }
}
