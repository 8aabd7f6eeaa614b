/// What `vui_parameters` of H.264 and of HEVC begin with alike: up to where chroma samples lie (Annex E of both).
struct VideoUsability {
  /// nil where nothing is said, or the bits end before it.
  private(set) var colour: VideoColour?
  /// Whether the bits go on behind it.
  private(set) var isWhole = false

  init(_ bits: inout BitReader) { isWhole = read(&bits) != nil }

  /// - Returns: nil where the bits end early.
  private mutating func read(_ bits: inout BitReader) -> Void? {
    guard let hasAspect = bits.bit() else { return nil }
    if hasAspect {
      guard let aspect = bits.bits(8) else { return nil }
      if aspect == 255 { guard bits.skip(32) != nil else { return nil } }
    }
    guard let hasOverscan = bits.bit() else { return nil }
    if hasOverscan { guard bits.skip(1) != nil else { return nil } }
    guard let colour = VideoColour.read(&bits) else { return nil }
    self.colour = colour
    guard let hasChromaLocation = bits.bit() else { return nil }
    if hasChromaLocation {
      guard bits.unsignedExpGolomb() != nil, bits.unsignedExpGolomb() != nil else { return nil }
    }
    return ()
  }
}
