/// The pauses between consecutive failures and the next try. Each is twice as long as the one before, up to the
/// longest.
package struct Backoff: Hashable, Sendable {
  private let shortest: Duration
  private let longest: Duration
  /// The number of failures since the last success.
  package private(set) var failures = 0

  /// The number of doublings after which the pause no longer grows.
  private static let mostDoublings = 20

  /// - Parameters:
  ///   - shortest: the pause after the first failure.
  ///   - longest: the limit for every pause, even if the server asks for a longer one.
  package init(from shortest: Duration, upTo longest: Duration) {
    self.shortest = shortest
    self.longest = longest
  }

  /// Records a success: the next failure counts as the first one again.
  package mutating func succeeded() { failures = 0 }

  package mutating func failed() { failures += 1 }

  /// The time to wait before the next try; zero if nothing has failed since the last success.
  package var pause: Duration {
    failures == 0 ? .zero : min(longest, shortest * (1 << min(failures - 1, Self.mostDoublings)))
  }

  /// Returns a pause for one of many clients that may have failed together: a random time between half of `pause` and
  /// all of it, but at least `retryAfter`.
  ///
  /// - Parameters:
  ///   - limit: a limit for `pause` that is less than the longest pause; nil for no such limit.
  ///   - retryAfter: the pause that the server asks for; nil if it asks for none.
  ///   - random: a number from 0 to 1.
  package func pause(atMost limit: Duration? = nil, retryAfter: Duration? = nil, random: Double) -> Duration {
    max(min(pause, limit ?? longest) * (0.5 + random / 2), min(retryAfter ?? .zero, longest))
  }
}
