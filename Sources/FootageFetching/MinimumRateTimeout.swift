/// A timeout that distinguishes a slow body from a stalled one: a minimum number of bytes must arrive within a given
/// time of waiting.

/// A time-out that counts only the time spent waiting. A slow reader does not count against the server.
struct MinimumRateTimeout {
  private let allowance: Duration
  private let minimum: Int
  private var waited: Duration = .zero
  private var byteCount = 0

  init(_ limits: ClientLimits) {
    allowance = limits.bodyIdle
    minimum = limits.bodyMinimum
  }

  /// The time that this wait may still last.
  var remaining: Duration { allowance - waited }

  /// Records the end of a wait and the number of bytes that arrived in it.
  mutating func received(_ count: Int, after wait: Duration) {
    byteCount += count
    if byteCount >= minimum {
      byteCount = 0
      waited = .zero
    } else {
      waited += wait
    }
  }
}
