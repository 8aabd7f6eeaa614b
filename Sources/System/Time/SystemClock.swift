internal import CLinux
internal import Glibc

/// The time, as the kernel tells it.
package enum SystemClock {
  /// Nanoseconds since some moment in the past; never goes back, and goes on while the machine sleeps.
  package static var monotonicNanoseconds: Int64 { nanoseconds(CLOCK_BOOTTIME) }

  /// Nanoseconds since 1970-01-01T00:00:00Z, as far as the machine knows.
  package static var wallNanoseconds: Int64 { nanoseconds(CLOCK_REALTIME) }

  /// Nanoseconds that all threads of this process have worked.
  package static var processorNanoseconds: Int64 { nanoseconds(CLOCK_PROCESS_CPUTIME_ID) }

  private static func nanoseconds(_ clock: clockid_t) -> Int64 {
    var time = timespec()
    // Safe because the structure is this call's own; these clocks always exist.
    _ = unsafe clock_gettime(clock, &time)
    return Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
  }
}
