/// What an H.264 picture parameter set says of a stream, as far as anybody asks.
///
/// Rec. ITU-T H.264 §7.3.2.2.
struct AVCPictureParameters: Hashable, Sendable {
  /// Whether the picture's syntax elements are coded arithmetically (CABAC); else with codes of variable length (CAVLC).
  let usesArithmeticCoding: Bool

  /// - Parameter unit: the NAL unit with its header byte.
  /// - Returns: nil where it ends early or has values that the standard does not know.
  init?(_ unit: ArraySlice<UInt8>) {
    guard let header = unit.first, header & 31 == 8 else { return nil }
    var bits = BitReader(removingEmulationPrevention: unit.dropFirst().prefix(Self.prefix))
    // pic_parameter_set_id, seq_parameter_set_id
    guard let id = bits.unsignedExpGolomb(), id <= 255, let sequence = bits.unsignedExpGolomb(), sequence <= 31,
      let isArithmetic = bits.bit()
    else { return nil }
    usesArithmeticCoding = isArithmetic
  }

  /// What is looked for ends within so many bytes.
  private static let prefix = 8
}
