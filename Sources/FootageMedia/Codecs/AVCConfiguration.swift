internal import FootageBase

/// An `avcC` record, which configures H.264: profile, level, and the first parameter set of each kind.
///
/// ISO/IEC 14496-15 §5.3.3.
struct AVCConfiguration: Hashable, Sendable {
  let profile: UInt8
  let compatibility: UInt8
  let level: UInt8
  /// The first sequence parameter set. It is nil if there is none, as with `avc3`, or if it cannot be read.
  var sequenceParameters: AVCSequenceParameters?
  var pictureParameters: AVCPictureParameters?

  /// - Returns: nil if the bytes are not a configuration record.
  init?(_ record: ArraySlice<UInt8>) {
    let bytes = Array(record)
    guard bytes.count >= 6, bytes[0] == 1 else { return nil }
    profile = bytes[1]
    compatibility = bytes[2]
    level = bytes[3]
    var rest = bytes[5...]
    // The sequence parameter sets come first, with a count of five bits, and then the picture parameter sets.
    sequenceParameters = Self.firstUnit(&rest, countMask: 31).flatMap { AVCSequenceParameters($0) }
    pictureParameters = Self.firstUnit(&rest, countMask: 255).flatMap { AVCPictureParameters($0) }
  }

  /// Reads a count and skips as many units. Returns the first one, which may be truncated.
  private static func firstUnit(_ rest: inout ArraySlice<UInt8>, countMask: UInt8) -> ArraySlice<UInt8>? {
    guard let count = rest.popFirst() else { return nil }
    var first: ArraySlice<UInt8>?
    for _ in 0..<(count & countMask) {
      guard rest.count >= 2 else { return first }
      let length = Int(rest[rest.startIndex]) << 8 | Int(rest[rest.startIndex + 1])
      let unit = rest.dropFirst(2).prefix(length)
      first = first ?? unit
      rest = rest.dropFirst(2 + length)
    }
    return first
  }

  /// Returns the `codecs` value of RFC 6381 §3.3: the sample entry's type, then profile, constraints and level in
  /// hexadecimal.
  func codec(_ type: FourCharacterCode) -> String {
    "\(type).\(Hexadecimal.encode([profile, compatibility, level], .upper))"
  }

  var coding: VideoCoding {
    let parameters = sequenceParameters
    let constraints = parameters?.constraints ?? compatibility
    let profile = parameters?.profile ?? profile
    return VideoCoding(
      profile: Self.profileName(profile, constraints: constraints),
      level: Self.levelName(parameters?.level ?? level, profile: profile, constraints: constraints),
      referenceFrames: parameters?.referenceFrames, scan: parameters?.scan,
      entropyCoding: pictureParameters.map { $0.usesArithmeticCoding ? .cabac : .cavlc },
      chromaFormat: parameters.flatMap { VideoCoding.chromaFormat($0.chroma.format) },
      lumaDepth: parameters.flatMap { VideoCoding.depth($0.chroma.lumaDepth) },
      chromaDepth: parameters.flatMap { VideoCoding.depth($0.chroma.chromaDepth) }, colour: parameters?.colour)
  }

  /// Returns the name of a profile (Rec. ITU-T H.264 §A.2).
  private static func profileName(_ profile: UInt8, constraints: UInt8) -> String {
    func isSet(_ number: UInt8) -> Bool { constraints << number & 0x80 != 0 }
    let intra = isSet(3) ? " Intra" : ""
    switch profile {
    case 44: return "CAVLC 4:4:4 Intra"
    case 66: return isSet(1) ? "Constrained Baseline" : "Baseline"
    case 77: return "Main"
    case 88: return "Extended"
    case 100: return isSet(4) ? isSet(5) ? "Constrained High" : "Progressive High" : "High"
    case 110: return "High 10" + intra
    case 122: return "High 4:2:2" + intra
    case 244: return (isSet(3) ? "High 4:4:4" : "High 4:4:4 Predictive") + intra
    case 83: return "Scalable Baseline"
    case 86: return "Scalable High"
    case 118: return "Multiview High"
    case 128: return "Stereo High"
    default: return "\(profile)"
    }
  }

  /// Returns the name of a level (Rec. ITU-T H.264 §A.3).
  private static func levelName(_ level: UInt8, profile: UInt8, constraints: UInt8) -> String {
    let isOld = profile == 66 || profile == 77 || profile == 88
    if level == 9 || level == 11 && isOld && constraints & 0x10 != 0 { return "1b" }
    return "\(level / 10).\(level % 10)"
  }
}
