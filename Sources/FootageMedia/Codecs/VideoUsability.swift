/// The beginning of `vui_parameters`, which H.264 and HEVC share: up to and including the location of chroma samples
/// (Annex E of both).
struct VideoUsability {
  /// The color description. It is nil if there is none, or if the bits end before it.
  private(set) var colour: VideoColour?
  /// True if the shared fields were read completely.
  private(set) var isWhole = false

  init(_ bits: inout BitReader) { isWhole = read(&bits) != nil }

  /// - Returns: nil if the bits end early.
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
