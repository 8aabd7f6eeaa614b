/// What a rate allows by now: a token bucket, kept as the moment at which all that was sent is paid for.
///
/// Pure; moments are nanoseconds on a clock that never goes back. Over any time, no more is sent than the rate allows in
/// it and in `saved` and `debt`, and one turn: over ten seconds less than a twentieth more.
struct PacingBucket {
  private let bitsPerSecond: UInt64
  /// When it is free for what has no hurry.
  private(set) var freeFrom: UInt64

  /// What was not used for so long can be used later: a loop that wakes late loses nothing.
  static let saved: UInt64 = 150_000_000
  /// Small answers go before what came before them is paid for, as long as that is so little.
  static let debt: UInt64 = 200_000_000

  init(_ rate: BitRate, at now: UInt64) {
    bitsPerSecond = rate.bitsPerSecond
    freeFrom = now - min(now, Self.saved)
  }

  /// When it is free for a small answer.
  var freeForSmallFrom: UInt64 { freeFrom - min(freeFrom, Self.debt) }

  mutating func spend(_ byteCount: Int, at now: UInt64) {
    freeFrom = max(freeFrom, now - min(now, Self.saved)) &+ nanoseconds(for: byteCount)
  }

  /// What was spent was not sent.
  mutating func giveBack(_ byteCount: Int) { freeFrom -= min(freeFrom, nanoseconds(for: byteCount)) }

  /// Whether it has saved all that it can, so that a new one is no other.
  func isFull(at now: UInt64) -> Bool { freeFrom &+ Self.saved <= now }

  /// A turn's bytes, which are few: the product fits.
  private func nanoseconds(for byteCount: Int) -> UInt64 {
    UInt64(min(max(0, byteCount), Self.mostBytes)) * 8_000_000_000 / bitsPerSecond
  }

  private static let mostBytes = 1 << 30
}
