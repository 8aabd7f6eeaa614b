/// The part of an HEVC picture parameter set that is needed to read the headers of slices.
///
/// Rec. ITU-T H.265 §7.3.2.3.1.
struct HEVCPictureParameters: Hashable, Sendable {
  /// The number of the parameter set, 0 to 63.
  let id: UInt8
  /// The number of reserved bits in a slice's header before its type, 0 to 7.
  let extraHeaderBits: Int

  /// - Parameter unit: the NAL unit with its two header bytes.
  /// - Returns: nil if the unit ends early or has values that the standard does not define.
  init?(_ unit: ArraySlice<UInt8>) {
    guard let header = unit.first, header >> 1 & 63 == 34 else { return nil }
    var bits = BitReader(removingEmulationPrevention: unit.dropFirst(2).prefix(Self.prefix))
    // The fields after the two numbers: dependent_slice_segments_enabled_flag, output_flag_present_flag.
    guard let id = bits.unsignedExpGolomb(), id <= 63, let sequence = bits.unsignedExpGolomb(), sequence <= 15,
      bits.skip(2) != nil, let extra = bits.bits(3)
    else { return nil }
    self.id = UInt8(truncatingIfNeeded: id)
    extraHeaderBits = Int(extra)
  }

  /// The number of bytes at the beginning of a unit that contain the required fields.
  private static let prefix = 8
}
