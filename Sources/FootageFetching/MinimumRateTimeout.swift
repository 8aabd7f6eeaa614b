/// Tells a slow body from one that does not come: so many bytes have to come in so much waiting.

/// Only the time is counted in which something is waited for: a reader that takes its time accuses nobody.
struct MinimumRateTimeout {
  private let allowance: Duration
  private let minimum: Int
  private var waited: Duration = .zero
  private var byteCount = 0

  init(_ limits: ClientLimits) {
    allowance = limits.bodyIdle
    minimum = limits.bodyMinimum
  }

  /// How much longer this wait may last.
  var remaining: Duration { allowance - waited }

  /// A wait is over, and brought so many bytes.
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
