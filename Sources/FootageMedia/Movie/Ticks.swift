/// The conversion of ticks between timescales. Results are clamped far beyond any recording.
extension UInt64 {
  /// Returns the ticks in another timescale, computed exactly in 128 bits.
  ///
  /// - Parameter rule: the rounding: up, down, or to the nearest.
  func rescaled(
    from timescale: UInt32, to newTimescale: UInt32, rounding rule: FloatingPointRoundingRule
  ) -> UInt64 {
    let product = multipliedFullWidth(by: UInt64(newTimescale))
    guard product.high < UInt64(timescale) else { return UInt64(Limits.ticks) }
    let (quotient, remainder) = UInt64(timescale).dividingFullWidth(product)
    let roundsUp =
      switch rule {
      case .up, .awayFromZero: remainder > 0
      case .down, .towardZero: false
      default: remainder >= UInt64(timescale) - remainder
      }
    return Swift.min(quotient &+ (roundsUp ? 1 : 0), UInt64(Limits.ticks))
  }

  /// Returns the ticks in a timescale that is larger by a factor, which is not 0.
  func scaled(by factor: UInt32) -> UInt64 {
    self > UInt64(Limits.ticks) / UInt64(factor) ? UInt64(Limits.ticks) : self * UInt64(factor)
  }
}

extension Int64 {
  /// Clamps a number of ticks, so that a few of them can be added.
  init(ticks: Int128) { self.init(Swift.min(Swift.max(ticks, Int128(-Limits.ticks)), Int128(Limits.ticks))) }

  /// Returns the ticks in a timescale that is larger by a factor.
  func scaled(by factor: UInt32) -> Int64 {
    factor == 1 ? self : Int64(ticks: Int128(self) * Int128(factor))
  }

  /// Returns the ticks in another timescale, rounded to the nearest.
  func rescaled(from timescale: UInt32, to newTimescale: UInt32) -> Int64 {
    let doubled = 2 * Int128(self) * Int128(newTimescale)
    let scale = Int128(timescale)
    return Int64(ticks: (doubled + (doubled < 0 ? -scale : scale)) / (2 * scale))
  }
}
