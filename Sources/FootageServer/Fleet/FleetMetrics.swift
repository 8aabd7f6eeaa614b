internal import FootageStore
internal import FootageAPI
internal import FootageBase
internal import FootageLibrary

/// The metrics of a server of many robots.
enum FleetMetrics {
  /// - Parameters:
  ///   - selection: the cameras that the client may see.
  ///   - fetchedBytes: the number of bytes fetched from the store for viewers since the start.
  static func write(
    _ index: FleetIndex, _ status: FleetStatus, fetchedBytes: UInt64, of selection: CameraSelection,
    into text: inout MetricsText
  ) {
    let counts = try? index.counts(from: selection)
    text.family("footage_fleet_recordings", .gauge, "Recordings of all robots by state.")
    if let counts {
      text.sample("footage_fleet_recordings", [("state", "ready")], UInt64(counts.all - counts.refused))
      text.sample("footage_fleet_recordings", [("state", "refused")], UInt64(counts.refused))
    }
    guard selection.isEverything else { return }
    text.single("footage_fleet_robots", .gauge, "Robots in the list of robots.", Double(status.robots))
    text.single(
      "footage_fleet_last_round_timestamp_seconds", .gauge, "When the store was last asked for news of all robots.",
      status.lastRound.map { Double($0.milliseconds) / 1_000 })
    text.single(
      "footage_store_fetched_bytes_total", .counter, "Bytes that were read from the store for viewers.",
      Double(fetchedBytes))
  }
}
