/// An H.264 sequence parameter set: the size of pictures, their rate, and their coding.
///
/// Rec. ITU-T H.264 (ISO/IEC 14496-10) §7.3.2.1.1 and Annex E.
struct AVCSequenceParameters: Hashable, Sendable {
  let profile: UInt8
  /// The constraint flags, with `constraint_set0_flag` in the highest bit.
  let constraints: UInt8
  let level: UInt8
  let chroma: Chroma
  /// The number of reference frames, 0 to 16. It is nil if the parameter set claims more.
  let referenceFrames: Int?
  let scan: VideoCoding.Scan
  /// The width in luma samples after cropping, at least 1.
  let width: Int
  let height: Int
  /// The number of frames a second according to the timing information, or nil without it.
  let frameRate: Double?
  /// The color description, or nil if the parameter set has none.
  let colour: VideoColour?

  struct Chroma: Hashable, Sendable {
    /// `chroma_format_idc`, 0 to 3.
    var format: UInt8 = 1
    /// True if the three planes of 4:4:4 are coded separately.
    var isSeparate = false
    /// The value of `bit_depth_luma_minus8`.
    var lumaDepth: UInt32 = 0
    var chromaDepth: UInt32 = 0

    /// The value of `ChromaArrayType`: separately coded planes are cropped as monochrome is.
    var arrayType: UInt8 { isSeparate ? 0 : format }
  }

  /// - Parameter unit: the NAL unit with its header byte.
  /// - Returns: nil if the unit ends early or has values that the standard does not define.
  init?(_ unit: ArraySlice<UInt8>) {
    guard let header = unit.first, header & 31 == 7 else { return nil }
    var bits = BitReader(removingEmulationPrevention: unit.dropFirst())
    guard let profile = bits.bits(8), let constraints = bits.bits(8), let level = bits.bits(8),
      bits.unsignedExpGolomb() != nil,
      let chroma = Self.chroma(&bits, profile: profile),
      // log2_max_frame_num_minus4
      bits.unsignedExpGolomb() != nil,
      Self.skipPictureOrderCount(&bits) != nil,
      // max_num_ref_frames, gaps_in_frame_num_value_allowed_flag
      let references = bits.unsignedExpGolomb(), bits.skip(1) != nil,
      let widthInMacroblocks = bits.unsignedExpGolomb(), let heightInMapUnits = bits.unsignedExpGolomb(),
      widthInMacroblocks < 4_096, heightInMapUnits < 4_096,
      let framesOnly = bits.bit()
    else { return nil }
    // mb_adaptive_frame_field_flag
    if !framesOnly { guard bits.skip(1) != nil else { return nil } }
    guard bits.skip(1) != nil, let isCropped = bits.bit() else { return nil }
    var crop = (left: 0, right: 0, top: 0, bottom: 0)
    if isCropped {
      guard let left = bits.unsignedExpGolomb(), let right = bits.unsignedExpGolomb(),
        let top = bits.unsignedExpGolomb(), let bottom = bits.unsignedExpGolomb()
      else { return nil }
      crop = (Int(left), Int(right), Int(top), Int(bottom))
    }
    let fields = framesOnly ? 1 : 2
    let unitX = chroma.arrayType == 1 || chroma.arrayType == 2 ? 2 : 1
    let unitY = (chroma.arrayType == 1 ? 2 : 1) * fields
    width = 16 * (Int(widthInMacroblocks) + 1) - unitX * (crop.left + crop.right)
    height = 16 * fields * (Int(heightInMapUnits) + 1) - unitY * (crop.top + crop.bottom)
    guard width > 0, height > 0 else { return nil }
    self.profile = UInt8(truncatingIfNeeded: profile)
    self.constraints = UInt8(truncatingIfNeeded: constraints)
    self.level = UInt8(truncatingIfNeeded: level)
    self.chroma = chroma
    referenceFrames = references <= 16 ? Int(references) : nil
    scan = framesOnly ? .progressive : .interlaced
    (colour, frameRate) = Self.usability(&bits)
  }

  /// Reads the chroma format and the fields after it, up to the end of the scaling lists. The result is 8-bit 4:2:0 if
  /// the profile has no such fields.
  private static func chroma(_ bits: inout BitReader, profile: UInt32) -> Chroma? {
    let high: Set<UInt32> = [44, 83, 86, 100, 110, 118, 122, 128, 134, 135, 138, 139, 244]
    guard high.contains(profile) else { return Chroma() }
    guard let format = bits.unsignedExpGolomb(), format <= 3 else { return nil }
    var isSeparate = false
    if format == 3 {
      guard let separate = bits.bit() else { return nil }
      isSeparate = separate
    }
    guard let lumaDepth = bits.unsignedExpGolomb(), let chromaDepth = bits.unsignedExpGolomb(), bits.skip(1) != nil,
      let hasMatrix = bits.bit()
    else { return nil }
    if hasMatrix {
      for list in 0..<(format == 3 ? 12 : 8) {
        guard let isPresent = bits.bit() else { return nil }
        if isPresent { guard skipScalingList(&bits, count: list < 6 ? 16 : 64) != nil else { return nil } }
      }
    }
    return Chroma(
      format: UInt8(truncatingIfNeeded: format), isSeparate: isSeparate, lumaDepth: lumaDepth, chromaDepth: chromaDepth)
  }

  /// Skips a scaling list (ISO/IEC 14496-10 §7.3.2.1.1.1).
  private static func skipScalingList(_ bits: inout BitReader, count: Int) -> Void? {
    var last: Int64 = 8
    var next: Int64 = 8
    for _ in 0..<count {
      if next != 0 {
        guard let delta = bits.signedExpGolomb() else { return nil }
        next = ((last + delta) % 256 + 256) % 256
      }
      last = next == 0 ? last : next
    }
    return ()
  }

  private static func skipPictureOrderCount(_ bits: inout BitReader) -> Void? {
    guard let type = bits.unsignedExpGolomb(), type <= 2 else { return nil }
    if type == 0 { return bits.unsignedExpGolomb().map { _ in () } }
    guard type == 1 else { return () }
    guard bits.skip(1) != nil, bits.signedExpGolomb() != nil, bits.signedExpGolomb() != nil,
      let count = bits.unsignedExpGolomb(), count <= 255
    else { return nil }
    for _ in 0..<count { guard bits.signedExpGolomb() != nil else { return nil } }
    return ()
  }

  /// Reads `vui_parameters` up to `timing_info` (Annex E.1.1). A frame takes two ticks. If the bits end early, the
  /// values that were read before are used.
  private static func usability(_ bits: inout BitReader) -> (colour: VideoColour?, frameRate: Double?) {
    guard bits.bit() == true else { return (nil, nil) }
    let usability = VideoUsability(&bits)
    guard usability.isWhole, bits.bit() == true, let unitsInTick = bits.bits(32), let timescale = bits.bits(32),
      unitsInTick > 0, timescale > 0
    else { return (usability.colour, nil) }
    return (usability.colour, Double(timescale) / (2 * Double(unitsInTick)))
  }
}
