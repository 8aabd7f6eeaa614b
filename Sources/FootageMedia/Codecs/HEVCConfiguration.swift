internal import FootageBase

/// An `hvcC` record, which configures HEVC: profile, tier, level, and parameter sets.
///
/// ISO/IEC 14496-15 §8.3.3.
struct HEVCConfiguration: Hashable, Sendable {
  private let profileByte: UInt8
  private let compatibility: UInt32
  private let constraints: [UInt8]
  private let level: UInt8
  /// The value of `chroma_format_idc`, 0 to 3.
  private let chromaFormat: UInt8
  /// The value of `bit_depth_luma_minus8`, 0 to 7.
  private let lumaDepth: UInt8
  private let chromaDepth: UInt8
  /// The first sequence parameter set. It is nil if there is none, as with `hev1`, or if it cannot be read.
  var sequenceParameters: HEVCSequenceParameters?
  /// The picture parameter sets that can be read, at most 64.
  private(set) var pictureParameters: [HEVCPictureParameters] = []

  /// - Returns: nil if the bytes are not a configuration record.
  init?(_ record: ArraySlice<UInt8>) {
    let bytes = Array(record)
    guard bytes.count >= 23, bytes[0] == 1 else { return nil }
    profileByte = bytes[1]
    compatibility = bytes[2..<6].reduce(0) { $0 << 8 | UInt32($1) }
    constraints = Array(bytes[6..<12])
    level = bytes[12]
    chromaFormat = bytes[16] & 3
    lumaDepth = bytes[17] & 7
    chromaDepth = bytes[18] & 7
    readUnits(bytes)
  }

  /// Reads the first sequence parameter set and the picture parameter sets, up to the end of the bytes.
  private mutating func readUnits(_ bytes: [UInt8]) {
    var rest = bytes[23...]
    for _ in 0..<bytes[22] {
      guard rest.count >= 3 else { return }
      let type = rest[rest.startIndex] & 63
      let count = Int(rest[rest.startIndex + 1]) << 8 | Int(rest[rest.startIndex + 2])
      rest = rest.dropFirst(3)
      for index in 0..<count {
        guard rest.count >= 2 else { return }
        let length = Int(rest[rest.startIndex]) << 8 | Int(rest[rest.startIndex + 1])
        rest = rest.dropFirst(2)
        let unit = rest.prefix(length)
        if type == 33, index == 0, sequenceParameters == nil { sequenceParameters = HEVCSequenceParameters(unit) }
        if type == 34, pictureParameters.count < 64, let parameters = HEVCPictureParameters(unit) {
          pictureParameters.append(parameters)
        }
        rest = rest.dropFirst(length)
      }
    }
  }

  /// Returns the `codecs` value of ISO/IEC 14496-15 Annex E.3: `hvc1.1.6.L93.B0`.
  func codec(_ type: FourCharacterCode) -> String {
    let space = ["", "A", "B", "C"][Int(profileByte >> 6)]
    // The flags are written in reverse order, from the last to the first.
    var reversed: UInt32 = 0
    for bit in 0..<32 where compatibility >> UInt32(bit) & 1 == 1 { reversed |= 1 << UInt32(31 - bit) }
    var text = "\(type).\(space)\(profileByte & 31).\(Hexadecimal.encodeShortest(reversed))"
    text += ".\(profileByte & 0x20 == 0 ? "L" : "H")\(level)"
    let significant = constraints.lastIndex { $0 != 0 }.map { constraints[...$0] } ?? []
    for byte in significant { text += "." + Hexadecimal.encodeShortest(UInt32(byte)) }
    return text
  }

  var coding: VideoCoding {
    VideoCoding(
      profile: Self.profileNames[profileByte & 31] ?? "\(profileByte & 31)", level: "\(level / 30).\(level % 30 / 3)",
      tier: profileByte & 0x20 == 0 ? "Main" : "High", referenceFrames: sequenceParameters?.referenceFrames, scan: scan,
      // HEVC has no other entropy coding (Rec. ITU-T H.265 §9.3).
      entropyCoding: .cabac, chromaFormat: VideoCoding.chromaFormat(chromaFormat),
      lumaDepth: VideoCoding.depth(UInt32(lumaDepth)), chromaDepth: VideoCoding.depth(UInt32(chromaDepth)),
      colour: sequenceParameters?.colour)
  }

  /// The scan according to `general_progressive_source_flag` and the flag after it (Rec. ITU-T H.265 §7.4.4).
  private var scan: VideoCoding.Scan? {
    if sequenceParameters?.codesFields == true { return .interlaced }
    switch constraints[0] >> 6 {
    case 0b10: return .progressive
    case 0b01: return .interlaced
    case 0b11: return .mixed
    default: return nil
    }
  }

  /// The names of profiles (Rec. ITU-T H.265 §A.3).
  private static let profileNames: [UInt8: String] = [
    1: "Main", 2: "Main 10", 3: "Main Still Picture", 4: "Range Extensions", 5: "High Throughput", 6: "Multiview Main",
    7: "Scalable Main", 8: "3D Main", 9: "Screen-Extended Main", 10: "Scalable Range Extensions",
    11: "High Throughput Screen-Extended",
  ]
}
