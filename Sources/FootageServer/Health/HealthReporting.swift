internal import FootageAPI

/// A type that reports the health of the server.
protocol HealthReporting: Sendable {
  /// The current health of the server. The getter never waits for a disk.
  var report: HealthReport { get }
}
