/// The number of bytes that a rate allows now: a token bucket, stored as the time at which the rate has made up for all
/// bytes sent so far.
///
/// It does no input or output. Times are in nanoseconds on a monotonic clock. In any period, no more is sent than the
/// rate allows in that period plus `saved` plus `debt`, and one more turn. Over ten seconds that is less than a
/// twentieth more.
struct PacingBucket {
  private let bitsPerSecond: UInt64
  /// The time from which answers that are not small may be sent.
  private(set) var freeFrom: UInt64

  /// The greatest amount of unused sending time, in nanoseconds, that can be used later. Because of it, a loop that
  /// wakes late does not lose sending time.
  static let saved: UInt64 = 150_000_000
  /// The time in nanoseconds by which small answers may be sent ahead of the rate.
  static let debt: UInt64 = 200_000_000

  init(_ rate: BitRate, at now: UInt64) {
    bitsPerSecond = rate.bitsPerSecond
    freeFrom = now - min(now, Self.saved)
  }

  /// The time from which a small answer may be sent.
  var freeForSmallFrom: UInt64 { freeFrom - min(freeFrom, Self.debt) }

  mutating func spend(_ byteCount: Int, at now: UInt64) {
    freeFrom = max(freeFrom, now - min(now, Self.saved)) &+ nanoseconds(for: byteCount)
  }

  /// Returns bytes to the bucket that were counted but not sent.
  mutating func giveBack(_ byteCount: Int) { freeFrom -= min(freeFrom, nanoseconds(for: byteCount)) }

  /// Returns true if the bucket is full, so that it equals a new one.
  func isFull(at now: UInt64) -> Bool { freeFrom &+ Self.saved <= now }

  /// Returns the time that the rate needs for the bytes of a turn. A turn is so small that the computation cannot
  /// overflow.
  private func nanoseconds(for byteCount: Int) -> UInt64 {
    UInt64(min(max(0, byteCount), Self.mostBytes)) * 8_000_000_000 / bitsPerSecond
  }

  private static let mostBytes = 1 << 30
}
