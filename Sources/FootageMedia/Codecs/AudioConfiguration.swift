internal import FootageBase

/// The configuration of MPEG-4 sound in the descriptors of an `esds` box.
///
/// ISO/IEC 14496-1 §7.2.6 and ISO/IEC 14496-3 §1.6.2.
struct AudioConfiguration: Hashable, Sendable {
  /// The `codecs` value of RFC 6381 §3.3: `mp4a.40.2`, `mp4a.6B`.
  let codec: String
  /// The sample rate of the decoded sound in hertz. If it is nil, that of the sample entry applies.
  let sampleRate: Int?
  let channels: Int?
  /// Silence in this coding, or nil if none is known.
  let silence: SilentSound?

  private static let sampleRates = [
    96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8_000, 7_350,
  ]

  /// - Parameter descriptor: the bytes from the tag of the `ES_Descriptor` on.
  /// - Returns: nil if the descriptors do not identify a codec.
  init?(_ descriptor: ArraySlice<UInt8>) {
    guard let decoder = Self.decoderConfiguration(in: descriptor) else { return nil }
    let objectType = decoder[decoder.startIndex]
    guard objectType == 0x40 else {
      codec = "mp4a.\(Hexadecimal.encode([objectType], .upper))"
      sampleRate = nil
      channels = nil
      silence = nil
      return
    }
    guard let specific = Self.body(of: 5, in: decoder.dropFirst(13)) else { return nil }
    var bits = BitReader(specific)
    guard let type = Self.objectType(&bits), let rate = Self.rate(&bits), let channelCode = bits.bits(4) else {
      return nil
    }
    codec = "mp4a.40.\(type)"
    // With explicit SBR, the rate of the decoded sound follows the core's rate.
    let heard = type == 5 || type == 29 ? Self.rate(&bits) ?? rate : rate
    let core = type == 5 || type == 29 ? Self.objectType(&bits) ?? type : type
    // The first field of GASpecificConfig (ISO/IEC 14496-3 §4.4.1) tells frames of 960 samples.
    let isShort = bits.bits(1) == 1
    silence =
      core == 2
      ? SilentSound.aac(channelConfiguration: Int(channelCode), samples: isShort ? 960 : 1_024, rate: rate) : nil
    sampleRate = heard > 0 ? heard : nil
    // PS makes two channels out of one.
    channels = channelCode == 0 ? nil : channelCode == 7 ? 8 : type == 29 ? 2 : Int(channelCode)
  }

  /// Returns the range, in the bytes that contain the descriptor, of the decoder's buffer size and the two bit rates.
  static func bitRates(in descriptor: ArraySlice<UInt8>) -> Range<Int>? {
    decoderConfiguration(in: descriptor).map { ($0.startIndex + 2)..<($0.startIndex + 13) }
  }

  /// Returns the body of the `DecoderConfigDescriptor`: object type, stream type, buffer size, two bit rates, and more.
  private static func decoderConfiguration(in descriptor: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    // An ES_Descriptor holds ES_ID, flags, and the fields that the flags add.
    guard var stream = body(of: 3, in: descriptor), stream.count >= 3 else { return nil }
    let flags = stream[stream.startIndex + 2]
    stream = stream.dropFirst(3)
    if flags & 0x80 != 0 { stream = stream.dropFirst(2) }
    if flags & 0x40 != 0, let length = stream.first { stream = stream.dropFirst(1 + Int(length)) }
    if flags & 0x20 != 0 { stream = stream.dropFirst(2) }
    return body(of: 4, in: stream).flatMap { $0.count >= 13 ? $0 : nil }
  }

  /// Skips to the descriptor with this tag. Returns its body, which may be truncated.
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
