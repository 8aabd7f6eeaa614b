internal import FootageServing
internal import FootageSystem

/// The time by which certificates are judged.
package struct VerificationTime: Sendable {
  /// The time of the clock, in seconds since 1970.
  let clock: Int64
  /// The earliest possible time: this program cannot run before it was built.
  let earliest: Int64

  package static var now: VerificationTime {
    VerificationTime(clock: Clock.system.unixSeconds, earliest: Process.buildSeconds)
  }
}
