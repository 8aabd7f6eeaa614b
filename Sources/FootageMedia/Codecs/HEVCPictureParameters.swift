/// What an HEVC picture parameter set says of the headers of slices.
///
/// Rec. ITU-T H.265 §7.3.2.3.1.
struct HEVCPictureParameters: Hashable, Sendable {
  /// 0 to 63.
  let id: UInt8
  /// Bits of a slice's header before its type that say nothing yet, 0 to 7.
  let extraHeaderBits: Int

  /// - Parameter unit: the NAL unit with its header's two bytes.
  /// - Returns: nil where it ends early or has values that the standard does not know.
  init?(_ unit: ArraySlice<UInt8>) {
    guard let header = unit.first, header >> 1 & 63 == 34 else { return nil }
    var bits = BitReader(removingEmulationPrevention: unit.dropFirst(2).prefix(Self.prefix))
    // Then seq_parameter_set_id, dependent_slice_segments_enabled_flag, output_flag_present_flag.
    guard let id = bits.unsignedExpGolomb(), id <= 63, let sequence = bits.unsignedExpGolomb(), sequence <= 15,
      bits.skip(2) != nil, let extra = bits.bits(3)
    else { return nil }
    self.id = UInt8(truncatingIfNeeded: id)
    extraHeaderBits = Int(extra)
  }

  /// What is looked for ends within so many bytes.
  private static let prefix = 8
}
