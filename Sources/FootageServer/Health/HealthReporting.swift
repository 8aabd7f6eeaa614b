internal import FootageAPI

/// Knows how the server is.
protocol HealthReporting: Sendable {
  /// How it is now. Waits for no disk.
  var report: HealthReport { get }
}
