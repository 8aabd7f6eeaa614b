internal import FootageAPI
internal import FootageBase

/// The metrics of copying recordings to the store.
enum OffloadMetrics {
  static func write(_ report: OffloadReport, now: UnixTimestamp, into text: inout MetricsText) {
    text.single("footage_stored_recordings", .gauge, "Recordings in the store.", Double(report.storedCount))
    text.single("footage_stored_bytes", .gauge, "Bytes of files in the store.", Double(report.storedBytes))
    text.single(
      "footage_offload_backlog_recordings", .gauge, "Recordings that must still be uploaded to the store.",
      Double(report.backlogCount))
    text.single(
      "footage_offload_backlog_bytes", .gauge, "Bytes of files that must still be uploaded to the store.",
      Double(report.backlogBytes))
    text.single(
      "footage_offload_oldest_seconds", .gauge,
      "How long ago the oldest recording that must still be uploaded was recorded.",
      report.oldest.map { Double(max(0, now.milliseconds - $0.milliseconds)) / 1_000 })
    text.single(
      "footage_offload_last_success_timestamp_seconds", .gauge, "When a recording was last uploaded to the store.",
      report.lastSuccess.map { Double($0.milliseconds) / 1_000 })
    text.single(
      "footage_offload_sent_bytes_total", .counter, "Bytes that were sent to the store.", Double(report.sentBytes))
    text.single(
      "footage_offload_resent_bytes_total", .counter, "Of these, bytes that were sent again.",
      Double(report.resentBytes))
    text.family("footage_offload_trouble", .gauge, "1 for each cause that prevents uploads to the store, otherwise 0.")
    for code in HealthCode.allCases where code.rawValue.utf8.starts(with: "offload-".utf8) {
      text.sample(
        "footage_offload_trouble", [("code", code.rawValue)],
        report.troubles.contains { $0.code == code.rawValue } ? UInt64(1) : 0)
    }
  }
}
