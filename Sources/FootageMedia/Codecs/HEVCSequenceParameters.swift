/// An HEVC sequence parameter set: the size of pictures and their coding.
///
/// Rec. ITU-T H.265 (ISO/IEC 23008-2) §7.3.2.2 and Annex E.
struct HEVCSequenceParameters: Hashable, Sendable {
  /// The width in luma samples after cropping, at least 1.
  let width: Int
  let height: Int
  /// The number of reference pictures, 0 to 16. It is nil if the parameter set ends early or claims more.
  private(set) var referenceFrames: Int?
  /// True if each picture is a field. It is nil if the parameter set does not state it.
  private(set) var codesFields: Bool?
  /// The color description, or nil if the parameter set has none.
  private(set) var colour: VideoColour?

  /// - Parameter unit: the NAL unit with its two header bytes.
  /// - Returns: nil if the unit ends before all fields of the size, or has values that the standard does not define.
  init?(_ unit: ArraySlice<UInt8>) {
    guard let header = unit.first, header >> 1 & 63 == 33 else { return nil }
    var bits = BitReader(removingEmulationPrevention: unit.dropFirst(2))
    guard bits.skip(4) != nil, let subLayers = bits.bits(3), bits.skip(1) != nil,
      Self.skipProfileTierLevel(&bits, subLayers: subLayers) != nil, bits.unsignedExpGolomb() != nil,
      let chroma = bits.unsignedExpGolomb(), chroma <= 3
    else { return nil }
    var isSeparate = false
    if chroma == 3 {
      guard let separate = bits.bit() else { return nil }
      isSeparate = separate
    }
    guard let width = bits.unsignedExpGolomb(), let height = bits.unsignedExpGolomb(), width <= 65_536,
      height <= 65_536, let isCropped = bits.bit()
    else { return nil }
    var crop = (x: 0, y: 0)
    if isCropped {
      guard let left = bits.unsignedExpGolomb(), let right = bits.unsignedExpGolomb(),
        let top = bits.unsignedExpGolomb(), let bottom = bits.unsignedExpGolomb()
      else { return nil }
      crop = (Int(left) + Int(right), Int(top) + Int(bottom))
    }
    let unitX = !isSeparate && (chroma == 1 || chroma == 2) ? 2 : 1
    let unitY = !isSeparate && chroma == 1 ? 2 : 1
    self.width = Int(width) - unitX * crop.x
    self.height = Int(height) - unitY * crop.y
    guard self.width > 0, self.height > 0 else { return nil }
    _ = readRest(&bits, subLayers: subLayers)
  }

  /// Reads the fields after the size, as far as possible.
  ///
  /// - Returns: nil if the unit ends early or has values that the standard does not define.
  private mutating func readRest(_ bits: inout BitReader, subLayers: UInt32) -> Void? {
    guard bits.unsignedExpGolomb() != nil, bits.unsignedExpGolomb() != nil,
      let orderBits = bits.unsignedExpGolomb(), orderBits <= 12, let isForEach = bits.bit()
    else { return nil }
    for _ in (isForEach ? 0 : subLayers)...subLayers {
      // The last value is that of all sub-layers together.
      guard let buffered = bits.unsignedExpGolomb(), bits.unsignedExpGolomb() != nil, bits.unsignedExpGolomb() != nil
      else { return nil }
      referenceFrames = buffered <= 16 ? Int(buffered) : nil
    }
    // The sizes of blocks and the depths of their trees.
    for _ in 0..<6 { guard bits.unsignedExpGolomb() != nil else { return nil } }
    guard let hasScaling = bits.bit() else { return nil }
    if hasScaling {
      guard let hasLists = bits.bit() else { return nil }
      if hasLists { guard Self.skipScalingLists(&bits) != nil else { return nil } }
    }
    // amp_enabled_flag, sample_adaptive_offset_enabled_flag
    guard bits.skip(2) != nil, let hasPCM = bits.bit() else { return nil }
    if hasPCM {
      guard bits.skip(8) != nil, bits.unsignedExpGolomb() != nil, bits.unsignedExpGolomb() != nil, bits.skip(1) != nil
      else { return nil }
    }
    guard Self.skipReferenceSets(&bits) != nil, let hasLongTerm = bits.bit() else { return nil }
    if hasLongTerm {
      guard let count = bits.unsignedExpGolomb(), count <= 32 else { return nil }
      for _ in 0..<count { guard bits.skip(Int(orderBits) + 5) != nil else { return nil } }
    }
    guard bits.skip(2) != nil, bits.bit() == true else { return nil }
    return readUsability(&bits)
  }

  /// Reads `vui_parameters` up to `field_seq_flag` (Annex E.2.1).
  private mutating func readUsability(_ bits: inout BitReader) -> Void? {
    let usability = VideoUsability(&bits)
    colour = usability.colour
    guard usability.isWhole else { return nil }
    // neutral_chroma_indication_flag
    guard bits.skip(1) != nil, let codesFields = bits.bit() else { return nil }
    self.codesFields = codesFields
    return ()
  }

  /// Skips `profile_tier_level` (Rec. ITU-T H.265 §7.3.3).
  private static func skipProfileTierLevel(_ bits: inout BitReader, subLayers: UInt32) -> Void? {
    guard bits.skip(96) != nil else { return nil }
    guard subLayers > 0 else { return () }
    var lengths = 0
    for _ in 0..<subLayers {
      guard let hasProfile = bits.bit(), let hasLevel = bits.bit() else { return nil }
      lengths += (hasProfile ? 88 : 0) + (hasLevel ? 8 : 0)
    }
    return bits.skip((8 - Int(subLayers)) * 2 + lengths)
  }

  /// Skips `scaling_list_data` (Rec. ITU-T H.265 §7.3.4).
  private static func skipScalingLists(_ bits: inout BitReader) -> Void? {
    for size in 0..<4 {
      for _ in stride(from: 0, to: 6, by: size == 3 ? 3 : 1) {
        guard let isCoded = bits.bit() else { return nil }
        guard isCoded else {
          guard bits.unsignedExpGolomb() != nil else { return nil }
          continue
        }
        if size > 1 { guard bits.signedExpGolomb() != nil else { return nil } }
        for _ in 0..<min(64, 16 << (2 * size)) { guard bits.signedExpGolomb() != nil else { return nil } }
      }
    }
    return ()
  }

  /// Skips the reference picture sets (Rec. ITU-T H.265 §7.3.7). Each is coded in full or as a difference from the one
  /// before.
  private static func skipReferenceSets(_ bits: inout BitReader) -> Void? {
    guard let count = bits.unsignedExpGolomb(), count <= 64 else { return nil }
    var former = 0
    for index in 0..<count {
      var isPredicted = false
      if index > 0 {
        guard let bit = bits.bit() else { return nil }
        isPredicted = bit
      }
      if isPredicted {
        // delta_rps_sign, abs_delta_rps_minus1
        guard bits.skip(1) != nil, bits.unsignedExpGolomb() != nil else { return nil }
        var entries = 0
        for _ in 0...former {
          guard let isUsed = bits.bit() else { return nil }
          if isUsed {
            entries += 1
          } else {
            guard let isKept = bits.bit() else { return nil }
            if isKept { entries += 1 }
          }
        }
        former = entries
      } else {
        guard let negative = bits.unsignedExpGolomb(), negative <= 16, let positive = bits.unsignedExpGolomb(),
          positive <= 16
        else { return nil }
        for _ in 0..<(negative + positive) {
          guard bits.unsignedExpGolomb() != nil, bits.skip(1) != nil else { return nil }
        }
        former = Int(negative + positive)
      }
    }
    return ()
  }
}
