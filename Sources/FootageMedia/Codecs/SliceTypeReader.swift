internal import FootageBase

/// Reads in samples of H.264 and HEVC how their pictures are predicted: the type of the first slice.
struct SliceTypeReader {
  private let codec: ParameterSets.Codec
  private let lengthSize: Int
  /// HEVC's, by their numbers: without a picture's own its type cannot be found.
  private var pictureParameters: [UInt8: HEVCPictureParameters] = [:]

  /// What stands in front of a slice's type ends within so many bytes: its header, a macroblock's address or two flags,
  /// the number of a parameter set, and bytes that prevent emulation.
  private static let headerBytes = 24

  /// - Returns: nil for other codecs, and where no configuration record says how long lengths are.
  init?(_ entry: SampleEntry) {
    guard let sets = entry.parameterSets, let lengthSize = sets.lengthSize, !entry.isEncrypted else { return nil }
    codec = sets.codec
    self.lengthSize = lengthSize
    guard case .hevc(let configuration)? = entry.configuration else { return }
    for parameters in configuration.pictureParameters { pictureParameters[parameters.id] = parameters }
  }

  /// - Parameter sample: in the source, no further than its end.
  /// - Returns: nil where no header tells.
  /// - Throws: as the source.
  mutating func type<Source: ByteSource>(
    ofSample sample: Range<UInt64>, in source: Source
  ) throws(Source.Failure) -> SliceType? {
    var units = SampleUnits(of: sample, lengthSize: lengthSize, in: source)
    for _ in 0..<Limits.unitsBeforeSlice {
      guard let unit = try units.next(first: Self.headerBytes) else { return nil }
      guard let header = unit.start.first else { continue }
      switch codec {
      case .avc:
        // Slices, of pictures that need no other and of all others, whole or with their first partition.
        guard [1, 2, 5].contains(header & 31) else { continue }
        var bits = BitReader(removingEmulationPrevention: unit.start.dropFirst())
        guard bits.unsignedExpGolomb() != nil, let code = bits.unsignedExpGolomb() else { return nil }
        return SliceType(avc: code)
      case .hevc:
        let type = header >> 1 & 63
        if type == 34, let parameters = HEVCPictureParameters(unit.start) {
          pictureParameters[parameters.id] = parameters
        }
        guard type <= 9 || (16...21).contains(type) else { continue }
        return hevcType(unit.start, isRandomAccess: type >= 16)
      }
    }
    return nil
  }

  /// Rec. ITU-T H.265 §7.3.6.1.
  private func hevcType(_ unit: ArraySlice<UInt8>, isRandomAccess: Bool) -> SliceType? {
    var bits = BitReader(removingEmulationPrevention: unit.dropFirst(2))
    // first_slice_segment_in_pic_flag; no_output_of_prior_pics_flag
    guard bits.bit() == true, !isRandomAccess || bits.skip(1) != nil, let id = bits.unsignedExpGolomb(), id <= 63,
      let parameters = pictureParameters[UInt8(truncatingIfNeeded: id)], bits.skip(parameters.extraHeaderBits) != nil
    else { return nil }
    return bits.unsignedExpGolomb().flatMap { SliceType(hevc: $0) }
  }
}
