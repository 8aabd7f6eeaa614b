internal import Glibc

/// How long something takes.
///
/// On the monotonic clock, as `ContinuousClock` is; of known size, so that where nothing is measured it costs nothing.
package struct Stopwatch: Sendable {
  private let start = nanoseconds

  /// Begins now.
  package init() {}

  package var elapsed: Duration { .nanoseconds(Int64(clamping: Self.nanoseconds &- start)) }

  private static var nanoseconds: UInt64 {
    var time = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
  }
}
