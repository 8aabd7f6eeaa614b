/// How long a store is left alone after it has failed: twice as long each time, half a minute at most.
package struct Backoff: Hashable, Sendable {
  /// In a row.
  package private(set) var failures = 0
  private let shortest: Duration

  private static let longest = Duration.seconds(30)
  /// It has reached the longest by then.
  private static let mostDoublings = 5

  /// - Parameter shortest: after the first failure.
  package init(from shortest: Duration) { self.shortest = shortest }

  package mutating func succeeded() { failures = 0 }

  package mutating func failed() { failures += 1 }

  /// Zero where the last answer was a success.
  package var pause: Duration {
    guard failures > 0 else { return .zero }
    return min(Self.longest, shortest * (1 << min(failures - 1, Self.mostDoublings)))
  }
}
