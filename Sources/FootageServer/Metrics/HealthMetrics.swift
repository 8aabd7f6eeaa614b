internal import FootageAPI
internal import FootageBase

/// The health of a server as metrics. `/health` has the same in words.
enum HealthMetrics {
  /// - Parameters:
  ///   - report: the report as the client may see it.
  ///   - end: the expiry of the server's certificate; nil if it is unknown.
  static func write(_ report: HealthReport, certificateEnd end: UnixTimestamp?, into text: inout MetricsText) {
    let codes = Set(report.reasons.map(\.code))
    text.family("footage_health_reason", .gauge, "1 if /health gives the reason with this code, otherwise 0.")
    for code in HealthCode.allCases {
      text.sample("footage_health_reason", [("code", code.rawValue)], codes.contains(code.rawValue) ? UInt64(1) : 0)
    }
    text.single(
      "footage_certificate_expiry_timestamp_seconds", .gauge, "When the server's certificate expires.",
      end.map { Double($0.milliseconds) / 1_000 })
  }
}
