internal import FootageSystem

/// The rate at which a peer accepts bytes. It determines how many unsent bytes the kernel may hold for the peer.
///
/// The rate is measured only when the socket is full, because only then the peer limits the rate.
struct PeerThroughput {
  private var since: Deadline
  private var byteCount: UInt64 = 0

  init(since: Deadline) { self.since = since }

  /// The shortest time that is measured. A shorter measurement is not reliable, because the clock counts milliseconds
  /// and the scheduler interrupts threads.
  private static let shortestMilliseconds: UInt64 = 20
  /// The rate of a fast peer. Playing needs a hundredth of it; a download over a gigabit link reaches twice as much.
  private static let fastBytesPerSecond: UInt64 = 64 << 20

  mutating func add(_ count: Int) { byteCount &+= UInt64(clamping: count) }

  /// Measures the rate when the socket is full.
  ///
  /// - Returns: true if the peer was fast since the last measurement; nil if it is too early to tell.
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
