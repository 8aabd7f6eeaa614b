internal import FootageServing
internal import FootageSystem

/// The present time, for checking the validity of certificates.
package struct VerificationTime: Sendable {
  /// The time of the clock, in seconds since 1970.
  let clock: Int64
  /// The time when this program was built. The present cannot be earlier.
  let earliest: Int64

  package static var now: VerificationTime {
    VerificationTime(clock: Clock.system.unixSeconds, earliest: Process.buildSeconds)
  }
}
