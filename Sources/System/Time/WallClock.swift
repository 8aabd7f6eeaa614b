internal import CLinux
internal import Glibc

/// The time of day, as the system has it: wrong on a robot that has just booted without a clock battery.
package enum WallClock {
  /// Seconds since 1970-01-01T00:00:00Z, as of the last tick (a few milliseconds old at most).
  package static var unixSeconds: Int64 {
    var time = timespec()
    unsafe clock_gettime(CLOCK_REALTIME_COARSE, &time)
    return Int64(time.tv_sec)
  }

  /// The day this program was built on, as seconds since 1970; the compiler's `__DATE__`, which `SOURCE_DATE_EPOCH` sets.
  package static var buildSeconds: Int64 { clinux_build_seconds() }
}
