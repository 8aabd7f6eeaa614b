internal import FootageServing
internal import FootageSystem

/// The time that certificates are judged by.
package struct VerificationTime: Sendable {
  /// What the clock says, in seconds since 1970.
  let clock: Int64
  /// What it is at least: nobody ran this program before it was built.
  let earliest: Int64

  package static var now: VerificationTime {
    VerificationTime(clock: Clock.system.unixSeconds, earliest: Process.buildSeconds)
  }
}
