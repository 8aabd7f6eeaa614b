/// How long what can pass is waited for.

/// How often, and how patiently, lists, reads and downloads are tried again.
///
/// Only what can pass is tried again: a robot that is away, a connection that broke, 429 and 5xx.
public struct RetryPolicy: Hashable, Sendable {
  /// How often something is tried again without a byte of progress in between.
  public var retries: Int
  /// The pause before the first retry, at most; it doubles from one to the next.
  public var base: Duration
  /// No pause is longer, whatever the robot asks for.
  public var maximum: Duration

  /// The defaults pause for some twelve seconds in all, beside what the attempts themselves take.
  public init(retries: Int = 6, base: Duration = .milliseconds(250), maximum: Duration = .seconds(10)) {
    self.retries = retries
    self.base = base
    self.maximum = maximum
  }
}

/// Counts the failures of one transfer.
struct Backoff {
  let policy: RetryPolicy
  private var failureCount = 0

  init(_ policy: RetryPolicy) { self.policy = policy }

  /// A byte came.
  mutating func progress() { failureCount = 0 }

  /// The pause before the next try: at least what the robot asked for, and else anything between half of the doubled
  /// base and all of it, so that the viewers of a robot that comes back do not all come at once.
  ///
  /// - Returns: nil where enough was tried.
  mutating func pause(
    retryAfter: Duration? = nil, random: (ClosedRange<Double>) -> Double = { .random(in: $0) }
  ) -> Duration? {
    guard failureCount < policy.retries else { return nil }
    let doubled = policy.base * (1 << min(failureCount, 20))
    failureCount += 1
    let pause = min(doubled, policy.maximum) * random(0.5...1)
    return max(pause, min(retryAfter ?? .zero, policy.maximum))
  }
}
