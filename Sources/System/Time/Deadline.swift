internal import Glibc

/// A moment on the monotonic clock by which something has to have happened.
package struct Deadline: Hashable, Comparable, Sendable {
  /// Milliseconds on `CLOCK_MONOTONIC`.
  package let milliseconds: UInt64

  /// - Parameter milliseconds: on `CLOCK_MONOTONIC`.
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

  /// So long from now.
  package static func after(_ delay: Delay) -> Deadline {
    Deadline(milliseconds: now.milliseconds &+ delay.milliseconds)
  }

  /// So long from now.
  package static func after(_ duration: Duration) -> Deadline { after(Delay(duration)) }

  package static var now: Deadline {
    var time = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    return Deadline(milliseconds: UInt64(time.tv_sec) &* 1_000 &+ UInt64(time.tv_nsec) / 1_000_000)
  }

  /// How long ago this moment was; zero where it is still to come.
  package var elapsed: Duration { Self.now.duration(since: self) }

  /// How long before this moment an earlier one was; zero where it was not.
  package func duration(since earlier: Deadline) -> Duration {
    milliseconds > earlier.milliseconds ? .milliseconds(Int64(clamping: milliseconds - earlier.milliseconds)) : .zero
  }

  /// So long after this moment.
  package func advanced(by delay: Delay) -> Deadline { Deadline(milliseconds: milliseconds &+ delay.milliseconds) }

  package static func < (left: Deadline, right: Deadline) -> Bool { left.milliseconds < right.milliseconds }
}
