internal import FootageAPI
internal import FootageBase

/// The metrics of copying recordings to the store.
enum OffloadMetrics {
  static func write(_ report: OffloadReport, now: UnixTimestamp, into text: inout MetricsText) {
    text.single("footage_stored_recordings", .gauge, "Recordings that the store has.", Double(report.storedCount))
    text.single("footage_stored_bytes", .gauge, "Bytes of files that the store has.", Double(report.storedBytes))
    text.single(
      "footage_offload_backlog_recordings", .gauge, "Recordings that are still to come into the store.",
      Double(report.backlogCount))
    text.single(
      "footage_offload_backlog_bytes", .gauge, "Bytes of files that are still to come into the store.",
      Double(report.backlogBytes))
    text.single(
      "footage_offload_oldest_seconds", .gauge, "How long ago the oldest of them was recorded.",
      report.oldest.map { Double(max(0, now.milliseconds - $0.milliseconds)) / 1_000 })
    text.single(
      "footage_offload_last_success_timestamp_seconds", .gauge, "When a recording came into the store last.",
      report.lastSuccess.map { Double($0.milliseconds) / 1_000 })
    text.single(
      "footage_offload_sent_bytes_total", .counter, "Bytes that were sent to the store.", Double(report.sentBytes))
    text.single(
      "footage_offload_resent_bytes_total", .counter, "Of these, bytes that the store had had before.",
      Double(report.resentBytes))
    text.family("footage_offload_trouble", .gauge, "Whether something keeps recordings from the store, and what.")
    for code in HealthCode.allCases where code.rawValue.utf8.starts(with: "offload-".utf8) {
      text.sample(
        "footage_offload_trouble", [("code", code.rawValue)],
        report.troubles.contains { $0.code == code.rawValue } ? UInt64(1) : 0)
    }
  }
}
