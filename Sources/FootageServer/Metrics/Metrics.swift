internal import FootageAnswers
internal import FootageAPI
internal import FootageBase
internal import FootageHTTP
internal import FootageStore
internal import FootageLibrary
internal import Synchronization
internal import FootageSystem

/// All metrics of a server, for scrapers.
final class Metrics: Sendable {
  /// A closure that writes the metrics of the recordings of the selected cameras.
  private let writeContents: @Sendable (CameraSelection, inout MetricsText) -> Void
  private let counters = Mutex<[RequestCounter]>([])
  private let connections = Mutex<(@Sendable () -> Int)?>(nil)
  let lag: LoopLag

  /// - Parameter writeContents: writes the metrics of the recordings of these cameras. It never waits for a disk.
  init(loops: Int, writeContents: @escaping @Sendable (CameraSelection, inout MetricsText) -> Void) {
    self.writeContents = writeContents
    lag = LoopLag(loops: loops)
  }

  /// Creates the metrics of a folder's server.
  ///
  /// - Parameter offload: the progress of copying recordings to the store; nil if there is no store.
  convenience init(_ health: HealthMonitor, offload: OffloadProgress? = nil, loops: Int) {
    self.init(loops: loops) { cameras, text in
      let facts = health.facts
      Self.write(facts, cameras, into: &text)
      Self.write(facts.library, into: &text)
      HealthMetrics.write(
        HealthReport(facts, seenBy: cameras), certificateEnd: facts.certificateEnd, into: &text)
      if let offload, cameras.isEverything { OffloadMetrics.write(offload.report, now: facts.now, into: &text) }
    }
  }

  /// Creates the counter of one loop.
  func makeCounter() -> RequestCounter {
    let counter = RequestCounter()
    counters.withLock { $0.append(counter) }
    return counter
  }

  /// - Parameter count: returns the number of connections.
  func count(connections count: @escaping @Sendable () -> Int) { connections.withLock { $0 = count } }

  /// Returns the current metrics. Never waits for a disk or a loop.
  ///
  /// - Parameters:
  ///   - cameras: the cameras that the client may see. Other cameras are not included.
  ///   - isShared: true if a cache may keep the answer for other clients.
  func document(of cameras: CameraSelection = .all, isShared: Bool = true) -> HTTPDocument {
    HTTPDocument(
      .ok, mediaType: MetricsText.mediaType, bytes: Array(text(of: cameras).utf8),
      fields: [("Cache-Control", Cacheability.revalidated(isShared: isShared).text)])
  }

  private func text(of cameras: CameraSelection) -> String {
    var text = MetricsText()
    writeContents(cameras, &text)
    writeRequests(into: &text)
    text.family("footage_loop_lag_seconds", .gauge, "The longest wait for a loop within the last minute.")
    for (index, seconds) in lag.seconds.enumerated() {
      text.sample("footage_loop_lag_seconds", [("loop", "\(index)")], seconds)
    }
    return text.text
  }

  private static func write(
    _ facts: HealthFacts, _ selection: CameraSelection, into text: inout MetricsText
  ) {
    let cameras = CameraMetrics.all(facts.statistics.cameras.filter { selection.contains(camera: $0.name) })
    text.family("footage_recordings", .gauge, "Recordings by camera and state.")
    for camera in cameras {
      for (state, count) in [
        ("ready", camera.ready), ("recording", camera.recording), ("refused", camera.refused),
      ] {
        text.sample("footage_recordings", [("camera", camera.label), ("state", state)], count)
      }
    }
    text.family("footage_recording_bytes", .gauge, "Bytes of recording files by camera.")
    for camera in cameras { text.sample("footage_recording_bytes", [("camera", camera.label)], camera.bytes) }
    text.family("footage_last_recording_timestamp_seconds", .gauge, "When a camera's files were last written to.")
    for camera in cameras {
      guard let written = camera.lastWrite else { continue }
      text.sample(
        "footage_last_recording_timestamp_seconds", [("camera", camera.label)], Double(written / 1_000_000) / 1_000)
    }
    text.single(
      "footage_disk_free_bytes", .gauge, "Free bytes on the recordings' disk.",
      facts.space.map { Double($0.freeBytes) })
    text.single(
      "footage_disk_full_seconds", .gauge, "Time until the disk is full at the rate of the last day.",
      facts.forecastSeconds.map { Double($0) })
  }

  private func writeRequests(into text: inout MetricsText) {
    let counters = counters.withLock { $0 }
    text.family("footage_http_requests_total", .counter, "Requests by route and status.")
    for route in RequestRoute.allCases {
      for (index, status) in RequestCounter.statuses.enumerated() {
        let count = counters.reduce(0) { $0 &+ $1.count(of: route, status: index) }
        guard count > 0 else { continue }
        text.sample("footage_http_requests_total", [("route", route.label), ("status", "\(status)")], count)
      }
    }
    text.single(
      "footage_http_sent_bytes_total", .counter, "Bytes of response bodies that were sent.",
      Double(counters.reduce(0) { $0 &+ $1.sentBytes }))
    text.single(
      "footage_connections", .gauge, "Connections of viewers.",
      connections.withLock { $0 }.map { Double($0()) } ?? 0)
    text.family("footage_tls_handshake_failures_total", .counter, "Failed TLS handshakes by reason.")
    for failure in HandshakeFailure.allCases {
      text.sample(
        "footage_tls_handshake_failures_total", [("reason", failure.rawValue)],
        counters.reduce(0) { $0 &+ $1.count(of: failure) })
    }
  }

  private static func write(_ library: LibraryCondition, into text: inout MetricsText) {
    text.family(
      "footage_ready_seconds", .histogram, "Time from a recorder's closing of a file to its entry in the list.")
    let times = library.readyTimes
    var sum: UInt64 = 0
    for (bound, count) in zip(DurationHistogram.bounds, times.counts) {
      sum += count
      text.sample("footage_ready_seconds_bucket", [("le", MetricsText.number(Double(bound) / 1_000))], sum)
    }
    text.sample("footage_ready_seconds_bucket", [("le", "+Inf")], times.count)
    text.sample("footage_ready_seconds_sum", [], Double(times.sumMilliseconds) / 1_000)
    text.sample("footage_ready_seconds_count", [], times.count)
    text.single(
      "footage_indexer_restarts_total", .counter, "Number of times that the process that reads files has ended.",
      Double(library.indexerRestarts))
    text.single(
      "footage_deleted_recordings_total", .counter, "Recordings that were deleted to make room.",
      Double(library.deletedCount))
  }
}
