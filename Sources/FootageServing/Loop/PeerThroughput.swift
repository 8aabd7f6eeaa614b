internal import FootageSystem

/// How fast a peer takes what it is sent, which decides how much of it may wait in the kernel.
///
/// Looked at only when the socket is full, so it costs nothing as long as it is not.
struct PeerThroughput {
  private var since: Deadline
  private var byteCount: UInt64 = 0

  init(since: Deadline) { self.since = since }

  /// A shorter time says little: the clock has milliseconds, and a thread's share of a processor comes in pieces.
  private static let shortestMilliseconds: UInt64 = 20
  /// A viewer takes a hundredth of it; whoever downloads over a gigabit link takes twice as much.
  private static let fastBytesPerSecond: UInt64 = 64 << 20

  mutating func add(_ count: Int) { byteCount &+= UInt64(clamping: count) }

  /// The socket is full.
  ///
  /// - Returns: whether the peer has taken what a fast one takes since this was last known; nil where it is too early.
  mutating func isFast(at now: Deadline) -> Bool? {
    let elapsed = now.milliseconds &- since.milliseconds
    guard elapsed >= Self.shortestMilliseconds else { return nil }
    defer {
      since = now
      byteCount = 0
    }
    return byteCount / elapsed >= Self.fastBytesPerSecond / 1000
  }
}
