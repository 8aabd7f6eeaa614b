/// The picture's size and rate, out of an H.264 sequence parameter set.
///
/// ISO/IEC 14496-10 §7.3.2.1.1 and Annex E.
struct AVCSequenceParameters: Hashable, Sendable {
  /// Luma samples, after cropping; at least 1.
  let width: Int
  let height: Int
  /// Frames a second, by the timing information; nil where there is none.
  let frameRate: Double?

  /// - Parameter unit: the NAL unit with its header byte.
  /// - Returns: nil where it ends early or has values that the standard does not know.
  init?(_ unit: ArraySlice<UInt8>) {
    guard let header = unit.first, header & 31 == 7 else { return nil }
    var bits = BitReader(removingEmulationPrevention: unit.dropFirst())
    guard let profile = bits.bits(8), bits.skip(16) != nil, bits.unsignedExpGolomb() != nil,
      let chroma = Self.chromaFormat(&bits, profile: profile),
      // log2_max_frame_num_minus4
      bits.unsignedExpGolomb() != nil,
      Self.skipPictureOrderCount(&bits) != nil,
      // max_num_ref_frames, gaps_in_frame_num_value_allowed_flag
      bits.unsignedExpGolomb() != nil, bits.skip(1) != nil,
      let widthInMacroblocks = bits.unsignedExpGolomb(), let heightInMapUnits = bits.unsignedExpGolomb(),
      widthInMacroblocks < 4_096, heightInMapUnits < 4_096,
      let framesOnly = bits.bit()
    else { return nil }
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
    let unitX = chroma == 1 || chroma == 2 ? 2 : 1
    let unitY = (chroma == 1 ? 2 : 1) * fields
    width = 16 * (Int(widthInMacroblocks) + 1) - unitX * (crop.left + crop.right)
    height = 16 * fields * (Int(heightInMapUnits) + 1) - unitY * (crop.top + crop.bottom)
    guard width > 0, height > 0 else { return nil }
    frameRate = Self.frameRate(&bits)
  }

  /// chroma_format_idc, past the scaling lists; 1 where the profile does not say.
  private static func chromaFormat(_ bits: inout BitReader, profile: UInt32) -> UInt32? {
    let high: Set<UInt32> = [44, 83, 86, 100, 110, 118, 122, 128, 134, 135, 138, 139, 244]
    guard high.contains(profile) else { return 1 }
    guard let format = bits.unsignedExpGolomb(), format <= 3 else { return nil }
    var isSeparate = false
    if format == 3 {
      guard let separate = bits.bit() else { return nil }
      isSeparate = separate
    }
    guard bits.unsignedExpGolomb() != nil, bits.unsignedExpGolomb() != nil, bits.skip(1) != nil,
      let hasMatrix = bits.bit()
    else { return nil }
    if hasMatrix {
      for list in 0..<(format == 3 ? 12 : 8) {
        guard let isPresent = bits.bit() else { return nil }
        if isPresent { guard skipScalingList(&bits, count: list < 6 ? 16 : 64) != nil else { return nil } }
      }
    }
    // ChromaArrayType: separately coded planes crop as monochrome does.
    return isSeparate ? 0 : format
  }

  /// ISO/IEC 14496-10 §7.3.2.1.1.1.
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

  /// vui_parameters as far as timing_info (Annex E.1.1); a frame takes two ticks.
  private static func frameRate(_ bits: inout BitReader) -> Double? {
    guard bits.bit() == true, let hasAspect = bits.bit() else { return nil }
    if hasAspect {
      guard let aspect = bits.bits(8) else { return nil }
      if aspect == 255 { guard bits.skip(32) != nil else { return nil } }
    }
    guard let hasOverscan = bits.bit() else { return nil }
    if hasOverscan { guard bits.skip(1) != nil else { return nil } }
    guard let hasSignal = bits.bit() else { return nil }
    if hasSignal {
      guard bits.skip(4) != nil, let hasColour = bits.bit() else { return nil }
      if hasColour { guard bits.skip(24) != nil else { return nil } }
    }
    guard let hasChromaLocation = bits.bit() else { return nil }
    if hasChromaLocation {
      guard bits.unsignedExpGolomb() != nil, bits.unsignedExpGolomb() != nil else { return nil }
    }
    guard bits.bit() == true, let unitsInTick = bits.bits(32), let timescale = bits.bits(32), unitsInTick > 0,
      timescale > 0
    else { return nil }
    return Double(timescale) / (2 * Double(unitsInTick))
  }
}
