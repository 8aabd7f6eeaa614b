/// The part of an H.264 picture parameter set that Footage uses.
///
/// Rec. ITU-T H.264 §7.3.2.2.
struct AVCPictureParameters: Hashable, Sendable {
  /// True if the picture's syntax elements use arithmetic coding (CABAC), false for variable-length codes (CAVLC).
  let usesArithmeticCoding: Bool

  /// - Parameter unit: the NAL unit with its header byte.
  /// - Returns: nil if the unit ends early or has values that the standard does not define.
  init?(_ unit: ArraySlice<UInt8>) {
    guard let header = unit.first, header & 31 == 8 else { return nil }
    var bits = BitReader(removingEmulationPrevention: unit.dropFirst().prefix(Self.prefix))
    // pic_parameter_set_id, seq_parameter_set_id
    guard let id = bits.unsignedExpGolomb(), id <= 255, let sequence = bits.unsignedExpGolomb(), sequence <= 31,
      let isArithmetic = bits.bit()
    else { return nil }
    usesArithmeticCoding = isArithmetic
  }

  /// The number of bytes at the beginning of a unit that contain the required fields.
  private static let prefix = 8
}
