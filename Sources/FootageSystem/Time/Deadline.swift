/// A moment on a `Clock`, for example the one by which a response must have arrived.
package struct Deadline: Hashable, Comparable, Sendable {
  /// The number of milliseconds since a fixed moment in the past.
  package let milliseconds: UInt64

  package init(milliseconds: UInt64) { self.milliseconds = milliseconds }

  package static let never = Deadline(milliseconds: .max)

  /// A duration in whole milliseconds, which is worth computing once if it is used often.
  package struct Delay: Sendable {
    fileprivate let milliseconds: UInt64

    /// Creates a delay, which is zero if the duration is negative.
    package init(_ duration: Duration) {
      let (seconds, attoseconds) = duration.components
      milliseconds = UInt64(max(0, seconds)) &* 1_000 &+ UInt64(max(0, attoseconds)) / 1_000_000_000_000_000
    }
  }

  /// Returns the time from an earlier moment to this one; zero if that moment is not earlier.
  package func duration(since earlier: Deadline) -> Duration {
    milliseconds > earlier.milliseconds ? .milliseconds(Int64(clamping: milliseconds - earlier.milliseconds)) : .zero
  }

  /// Returns the moment that is later than this one by the delay.
  package func advanced(by delay: Delay) -> Deadline { Deadline(milliseconds: milliseconds &+ delay.milliseconds) }

  package static func < (left: Deadline, right: Deadline) -> Bool { left.milliseconds < right.milliseconds }
}
