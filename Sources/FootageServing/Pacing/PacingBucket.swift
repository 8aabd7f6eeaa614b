/// The number of bytes that a rate allows now: a token bucket, kept as the time at which everything sent is paid for.
///
/// A pure value; times are nanoseconds on a clock that never goes back. In any period, no more is sent than the rate
/// allows in it and in `saved` and `debt`, and one turn. Over ten seconds that is less than a twentieth more.
struct PacingBucket {
  private let bitsPerSecond: UInt64
  /// The time from which it is free for answers that are not small.
  private(set) var freeFrom: UInt64

  /// The unused time that can be used later, in nanoseconds: a loop that wakes late loses nothing.
  static let saved: UInt64 = 150_000_000
  /// The debt in nanoseconds up to which small answers go out before earlier bytes are paid for.
  static let debt: UInt64 = 200_000_000

  init(_ rate: BitRate, at now: UInt64) {
    bitsPerSecond = rate.bitsPerSecond
    freeFrom = now - min(now, Self.saved)
  }

  /// The time from which it is free for a small answer.
  var freeForSmallFrom: UInt64 { freeFrom - min(freeFrom, Self.debt) }

  mutating func spend(_ byteCount: Int, at now: UInt64) {
    freeFrom = max(freeFrom, now - min(now, Self.saved)) &+ nanoseconds(for: byteCount)
  }

  /// Takes back bytes that were spent but not sent.
  mutating func giveBack(_ byteCount: Int) { freeFrom -= min(freeFrom, nanoseconds(for: byteCount)) }

  /// Returns true if it has saved all that it can, so that it equals a new one.
  func isFull(at now: UInt64) -> Bool { freeFrom &+ Self.saved <= now }

  /// Returns the time for the bytes of a turn. These are few, so that the product fits.
  private func nanoseconds(for byteCount: Int) -> UInt64 {
    UInt64(min(max(0, byteCount), Self.mostBytes)) * 8_000_000_000 / bitsPerSecond
  }

  private static let mostBytes = 1 << 30
}
