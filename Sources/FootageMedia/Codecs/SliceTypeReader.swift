internal import FootageBase

/// A reader of the prediction type of H.264 and HEVC samples: the type of a sample's first slice.
struct SliceTypeReader {
  private let codec: ParameterSets.Codec
  private let lengthSize: Int
  /// HEVC's picture parameter sets by number. The slice type of a picture cannot be read without the set that the
  /// picture uses.
  private var pictureParameters: [UInt8: HEVCPictureParameters] = [:]

  /// The number of bytes at the beginning of a unit that contain the fields up to the slice type: the header, a
  /// macroblock's address or two flags, the number of a parameter set, and emulation prevention bytes.
  private static let headerBytes = 24

  /// - Returns: nil for other codecs or encrypted samples, or if no configuration record states the size of length
  ///   fields.
  init?(_ entry: SampleEntry) {
    guard let sets = entry.parameterSets, let lengthSize = sets.lengthSize, !entry.isEncrypted else { return nil }
    codec = sets.codec
    self.lengthSize = lengthSize
    guard case .hevc(let configuration)? = entry.configuration else { return }
    for parameters in configuration.pictureParameters { pictureParameters[parameters.id] = parameters }
  }

  /// - Parameter sample: a range within the source.
  /// - Returns: nil if no slice header can be read.
  /// - Throws: the errors of the source.
  mutating func type<Source: ByteSource>(
    ofSample sample: Range<UInt64>, in source: Source
  ) throws(Source.Failure) -> SliceType? {
    var units = SampleUnits(of: sample, lengthSize: lengthSize, in: source)
    for _ in 0..<Limits.unitsBeforeSlice {
      guard let unit = try units.next(first: Self.headerBytes) else { return nil }
      guard let header = unit.start.first else { continue }
      switch codec {
      case .avc:
        // These are slices of IDR pictures (5) and of all others: whole (1) or the first of their partitions (2).
        guard [1, 2, 5].contains(header & 31) else { continue }
        if header & 31 == 5 { return .intra }
        var bits = BitReader(removingEmulationPrevention: unit.start.dropFirst())
        guard bits.unsignedExpGolomb() != nil, let code = bits.unsignedExpGolomb() else { return nil }
        return SliceType(avc: code)
      case .hevc:
        let type = header >> 1 & 63
        if type == 34, let parameters = HEVCPictureParameters(unit.start) {
          pictureParameters[parameters.id] = parameters
        }
        // Those from 16 to 21 are slices of pictures with which a decoder can begin.
        if (16...21).contains(type) { return .intra }
        guard type <= 9 else { continue }
        return hevcType(unit.start)
      }
    }
    return nil
  }

  /// Reads the slice type from a slice segment header (Rec. ITU-T H.265 §7.3.6.1).
  private func hevcType(_ unit: ArraySlice<UInt8>) -> SliceType? {
    var bits = BitReader(removingEmulationPrevention: unit.dropFirst(2))
    // first_slice_segment_in_pic_flag
    guard bits.bit() == true, let id = bits.unsignedExpGolomb(), id <= 63,
      let parameters = pictureParameters[UInt8(truncatingIfNeeded: id)], bits.skip(parameters.extraHeaderBits) != nil
    else { return nil }
    return bits.unsignedExpGolomb().flatMap { SliceType(hevc: $0) }
  }
}
