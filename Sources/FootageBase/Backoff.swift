/// The pauses between failures in a row and the next try: each is twice as long as the one before, up to the longest.
package struct Backoff: Hashable, Sendable {
  private let shortest: Duration
  private let longest: Duration
  /// In a row.
  package private(set) var failures = 0

  /// Behind it a pause is as long as can be.
  private static let mostDoublings = 20

  /// - Parameters:
  ///   - shortest: after the first failure.
  ///   - longest: whatever is asked for.
  package init(from shortest: Duration, upTo longest: Duration) {
    self.shortest = shortest
    self.longest = longest
  }

  /// Something was achieved: the next failure is the first one again.
  package mutating func succeeded() { failures = 0 }

  package mutating func failed() { failures += 1 }

  /// How long to wait before the next try; zero where nothing has failed since the last success.
  package var pause: Duration {
    failures == 0 ? .zero : min(longest, shortest * (1 << min(failures - 1, Self.mostDoublings)))
  }

  /// The same for one of many who may have failed together: anything between half of it and all of it, and at least what
  /// the other side asks for.
  ///
  /// - Parameters:
  ///   - limit: where less than the longest pause will do.
  ///   - random: 0 to 1.
  package func pause(atMost limit: Duration? = nil, retryAfter: Duration? = nil, random: Double) -> Duration {
    max(min(pause, limit ?? longest) * (0.5 + random / 2), min(retryAfter ?? .zero, longest))
  }
}
