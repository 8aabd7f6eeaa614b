/// A moment by which something has to have happened, on a clock's `now`.
package struct Deadline: Hashable, Comparable, Sendable {
  /// Since some moment in the past.
  package let milliseconds: UInt64

  package init(milliseconds: UInt64) { self.milliseconds = milliseconds }

  package static let never = Deadline(milliseconds: .max)

  /// A duration in whole milliseconds, which is worth working out once where it is asked for often.
  package struct Delay: Sendable {
    fileprivate let milliseconds: UInt64

    /// Nothing where it is negative.
    package init(_ duration: Duration) {
      let (seconds, attoseconds) = duration.components
      milliseconds = UInt64(max(0, seconds)) &* 1_000 &+ UInt64(max(0, attoseconds)) / 1_000_000_000_000_000
    }
  }

  /// How long before this moment an earlier one was; zero where it was not.
  package func duration(since earlier: Deadline) -> Duration {
    milliseconds > earlier.milliseconds ? .milliseconds(Int64(clamping: milliseconds - earlier.milliseconds)) : .zero
  }

  /// So long after this moment.
  package func advanced(by delay: Delay) -> Deadline { Deadline(milliseconds: milliseconds &+ delay.milliseconds) }

  package static func < (left: Deadline, right: Deadline) -> Bool { left.milliseconds < right.milliseconds }
}
