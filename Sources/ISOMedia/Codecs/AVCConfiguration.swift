internal import Formats

/// What `avcC` says about H.264: profile, level, and the first sequence parameter set.
///
/// ISO/IEC 14496-15 §5.3.3.
struct AVCConfiguration: Hashable, Sendable {
  let profile: UInt8
  let compatibility: UInt8
  let level: UInt8
  /// nil where there is none, as with `avc3`, or it cannot be read.
  let sequenceParameters: AVCSequenceParameters?

  /// - Returns: nil where this is no configuration record.
  init?(_ record: ArraySlice<UInt8>) {
    let bytes = Array(record)
    guard bytes.count >= 6, bytes[0] == 1 else { return nil }
    profile = bytes[1]
    compatibility = bytes[2]
    level = bytes[3]
    guard bytes[5] & 31 > 0, bytes.count >= 8 else {
      sequenceParameters = nil
      return
    }
    let length = Int(bytes[6]) << 8 | Int(bytes[7])
    sequenceParameters = AVCSequenceParameters(bytes[8...].prefix(length))
  }

  /// RFC 6381 §3.3: the sample entry's type, then profile, constraints and level in hexadecimal.
  func codec(_ type: FourCharacterCode) -> String {
    "\(type).\(Hexadecimal.encode([profile, compatibility, level], .upper))"
  }
}
