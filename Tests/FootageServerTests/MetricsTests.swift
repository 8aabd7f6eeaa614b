import FootageAPI
import FootageBase
import Foundation
@testable import FootageHTTP
@testable import FootageServing
import FootageLibrary
import FootageSystem
import FootageTLS
import LinuxTestSupport
import Testing

@testable import FootageServer

/// The server's counts and their text form.
@MainActor
@Suite struct MetricsTests {
  nonisolated private static let families: [(name: String, kind: String)] = [
    ("footage_recordings", "gauge"), ("footage_recording_bytes", "gauge"),
    ("footage_last_recording_timestamp_seconds", "gauge"), ("footage_disk_free_bytes", "gauge"),
    ("footage_disk_full_seconds", "gauge"), ("footage_ready_seconds", "histogram"),
    ("footage_indexer_restarts_total", "counter"), ("footage_deleted_recordings_total", "counter"),
    ("footage_health_reason", "gauge"), ("footage_certificate_expiry_timestamp_seconds", "gauge"),
    ("footage_http_requests_total", "counter"), ("footage_http_sent_bytes_total", "counter"),
    ("footage_connections", "gauge"), ("footage_tls_handshake_failures_total", "counter"),
    ("footage_loop_lag_seconds", "gauge"),
  ]

  /// Returns the metrics of a robot with a few recordings.
  private func text(_ prepare: (RobotScene, HealthMonitor) throws -> Void = { _, _ in }) throws -> String {
    let scene = try RobotScene()
    let health = HealthMonitor(scene.library)
    let metrics = Metrics(health, loops: 2)
    let counter = metrics.makeCounter()
    counter.ended(exchange("/recordings/front/x.mp4", 206, bytes: 65_536))
    try prepare(scene, health)
    return String(decoding: metrics.document().bytes, as: UTF8.self)
  }

  private func exchange(_ target: String, _ status: Int, bytes: UInt64 = 0) -> HTTPExchange {
    HTTPExchange(
      peer: SocketAddress(addressBytes: [192, 0, 2, 7], port: 1), identity: nil, request: try? request(target, []),
      status: HTTPStatus(status), byteCount: bytes, duration: nil, isCutOff: false, wasHeld: false)
  }

  @Test func `every family has its type from the start, and there are no others`() throws {
    for text in [try text(), try text { $1.observe() }] {
      let types = text.split(separator: "\n").filter { $0.hasPrefix("# TYPE ") }.map { $0.dropFirst(7) }
      #expect(types.map(String.init) == Self.families.map { "\($0.name) \($0.kind)" })
      for line in text.split(separator: "\n") where !line.hasPrefix("#") {
        #expect(Self.families.contains { line.hasPrefix($0.name) }, "\(line)")
      }
    }
  }

  @Test func `cameras are told by state, bytes and last write`() throws {
    let lines = try text { $1.observe() }.split(separator: "\n").map(String.init)
    for line in [
      #"footage_recordings{camera="front",state="ready"} 1"#, #"footage_recordings{camera="front",state="refused"} 1"#,
      #"footage_recordings{camera="front",state="recording"} 0"#,
      #"footage_recordings{camera="rear",state="recording"} 1"#,
      #"footage_http_requests_total{route="/recordings/NAME.mp4",status="206"} 1"#,
      "footage_http_sent_bytes_total 65536", "footage_connections 0", "footage_deleted_recordings_total 0",
      #"footage_tls_handshake_failures_total{reason="revoked"} 0"#, #"footage_ready_seconds_bucket{le="+Inf"} 0"#,
      #"footage_loop_lag_seconds{loop="1"} 0"#,
    ] {
      #expect(lines.contains(line), "\(line) in \(lines)")
    }
    let written = lines.first { $0.hasPrefix(#"footage_last_recording_timestamp_seconds{camera="front"} "#) }
    let seconds = try #require(written?.split(separator: " ").last.flatMap { Double($0) })
    #expect(abs(Date().timeIntervalSince1970 - 3_600 - seconds) < 600)
  }

  @Test func `every code of health is a series, and the certificate's end a moment`() throws {
    let end = Int64(Date().timeIntervalSince1970) + 7 * 86_400
    let lines = try text { scene, health in
      health.noteCertificates(end: end, failure: nil)
      health.observe()
    }.split(separator: "\n").map(String.init)
    for code in HealthCode.allCases {
      let isSo = [HealthCode.certificateExpiring, .refusedLately].contains(code)
      // This machine's own disk and clock may cause any of these codes.
      guard isSo || ![.diskLow, .diskFull, .camerasSilent, .cameraLate, .unwatched].contains(code) else { continue }
      #expect(lines.contains(#"footage_health_reason{code="\#(code.rawValue)"} \#(isSo ? 1 : 0)"#), "\(code)")
    }
    #expect(lines.count { $0.hasPrefix("footage_health_reason{") } == HealthCode.allCases.count)
    #expect(lines.contains("footage_certificate_expiry_timestamp_seconds \(end)"))
  }

  @Test func `a camera may be called anything, and beyond 64 labels the rest are one`() throws {
    let odd = "a\"b\\c\nd"
    let few = try text { scene, health in
      try scene.add(odd + "/x", Samples.moovLast)
      scene.publish()
      health.observe()
    }
    #expect(few.contains(#"footage_recordings{camera="a\"b\\c\nd",state="ready"} 1"# + "\n"))
    let many = try text { scene, health in
      for index in 0..<70 { try scene.add("camera\(100 + index)/x", Array("broken".utf8)) }
      scene.publish()
      health.observe()
    }
    let labels = Set(many.matches(of: /footage_recording_bytes\{camera="([^"]*)"\}/).map { String($0.1) })
    #expect(labels.count == 64 && labels.contains("other") && labels.contains("camera100"))
    let counted = many.matches(of: /footage_recordings\{[^}]*\} ([0-9]+)/).compactMap { Int($0.1) }.reduce(0, +)
    #expect(counted == 73)
  }

  @Test(arguments: [
    ("/", RequestRoute.page), ("/recordings", .recordings), ("/recordings/a.mp4", .recording),
    ("/recordings/a/b.mp4", .recording), ("/recordings/a.json", .item), ("/recordings/a.mov", .other),
    ("/recordings/a.raw", .refused),
    ("/cameras", .cameras), ("/health", .health), ("/metrics", .metrics), ("/nothing", .other), ("", .other),
    ("/recordings/.mp4", .recording), ("/recordings/mp4", .other), ("/%72ecordings", .recordings),
    ("/%72ecordings/a.mp4", .recording), ("/recordings/a%2emp%34", .recording), ("/recordings/a%2Fb.mp4", .recording),
    ("/recordings/a.m3u8", .playlist), ("/recordings/a.media.m3u8", .playlist), ("/recordings/a.index", .index),
    ("/recordings/a.manifest", .manifest),
    ("/hls/0011223344556677/k1.m4s", .film), ("/%68ls/0011223344556677/init.mp4", .film), ("/hls", .other),
    ("/cameras/a.json", .timeline), ("/cameras/.m3u8", .cameraPlaylist), ("/cameras/a.mp4", .cameraClip),
    ("/cameras/a.keep", .other), ("/recordings/a.%72aw", .refused), ("/%6eothing", .other), ("/%", .other),
  ])
  func `a target is for something`(path: String, route: RequestRoute) {
    #expect(RequestRoute(Array(path.utf8)[...]) == route)
  }

  @Test func `requests of all loops are summed, and a status that nobody gives is one of the others`() throws {
    let counters = [RequestCounter(), RequestCounter()]
    for (counter, status) in [(0, 200), (0, 200), (1, 200), (1, 299), (1, 101), (0, 600)] {
      counters[counter].ended(exchange("/health", status, bytes: 3))
    }
    let place = try #require(RequestCounter.statuses.firstIndex(of: 200))
    #expect(counters.map { $0.count(of: .health, status: place) } == [2, 1])
    #expect(counters.map { $0.count(of: .health, status: 0) } == [1, 2])
    #expect(counters.map(\.sentBytes) == [9, 9])
  }

  @Test func `handshakes that fail have a reason, and other ends are none of them`() {
    let counter = RequestCounter()
    let peer = SocketAddress(addressBytes: [192, 0, 2, 7], port: 1)
    for error in [
      StreamError.tls(.plainHTTP), .tls(.timedOut), .tls(.timedOut), .handshakeTooLong, .tls(.oldProtocol("TLS 1.1")),
      .deadlinePassed, .aborted, .tls(.connection("x")), .tls(.disconnected),
    ] {
      counter.connectionFailed(error, from: peer)
    }
    let counts = Dictionary(
      uniqueKeysWithValues: HandshakeFailure.allCases.map { ($0, counter.count(of: $0)) }.filter { $0.1 > 0 })
    #expect(counts == [.plainHTTP: 1, .timedOut: 2, .tooLong: 1, .oldProtocol: 1, .tls: 1, .disconnected: 1])
  }

  @Test func `a loop's lag is the longest wait of a minute, and that of a loop that hangs grows`() {
    let time = MovableClock()
    let lag = LoopLag(loops: 2, clock: time.clock)
    lag.asked(0)
    time.advance(by: .milliseconds(250))
    lag.answered(0)
    #expect(lag.seconds == [0.25, 0])
    lag.asked(1)
    time.advance(by: .seconds(3))
    // Another job is sent before the first one is done.
    lag.asked(1)
    time.advance(by: .seconds(2))
    #expect(lag.seconds == [0.25, 5])
    for _ in 0..<60 {
      lag.asked(0)
      lag.answered(0)
    }
    #expect(lag.seconds[0] == 0)
  }

  @Test func `times fall into buckets, to their upper ends`() {
    var times = DurationHistogram()
    for milliseconds in [-5, 0, 10, 11, 60_000, 60_001, .max / 2] as [Int64] { times.add(milliseconds: milliseconds) }
    #expect(times.counts.first == 3 && times.counts[1] == 1 && times.counts.suffix(2) == [1, 2] && times.count == 7)
  }

  @Test(
    arguments: [
      (0, "0"), (1.5, "1.5"), (65_536, "65536"), (-3, "-3"), (1e16, "1e+16"), (.infinity, "+Inf"), (.nan, "NaN"),
    ] as [(Double, String)])
  func `numbers are written as Prometheus reads them`(value: Double, text: String) {
    #expect(MetricsText.number(value) == text)
  }

  // MARK: Alerts and dashboard

  nonisolated private static let hasPromtool = (try? Command("promtool", "--version").run().succeeded) == true

  @Test(.enabled(if: hasPromtool, "promtool is there (Debian's package prometheus)"))
  func `promtool finds nothing to mend in them`() throws {
    let outcome = try Command("promtool", arguments: ["check", "metrics"], input: try text { $1.observe() }).run()
    #expect(
      outcome.succeeded && outcome.output.isEmpty && outcome.errors.isEmpty, "\(outcome.output) \(outcome.errors)")
  }

  @Test(.enabled(if: hasPromtool, "promtool is there (Debian's package prometheus)"))
  func `alerts are well formed, and come and go as they should`() throws {
    let folder = Checkout.path("Documentation/monitoring")
    let checked = try Command("promtool", "check", "rules", folder + "/alerts.yml").run()
    #expect(checked.succeeded, "\(checked.output) \(checked.errors)")
    let tested = try Command("promtool", "test", "rules", folder + "/alerts-test.yml").run()
    #expect(tested.succeeded, "\(tested.output) \(tested.errors)")
  }

  @Test(arguments: ["alerts.yml", "alerts-test.yml", "dashboard.json"])
  func `every metric that is asked for is one that there is`(file: String) throws {
    let text = try String(contentsOfFile: Checkout.path("Documentation/monitoring/\(file)"), encoding: .utf8)
    let names = Set(text.matches(of: /footage_[a-z_]+/).map { String($0.0) })
    #expect(names.count > 5)
    let known = Self.families.flatMap { family in
      family.kind == "histogram" ? ["_bucket", "_sum", "_count"].map { family.name + $0 } : [family.name]
    }
    #expect(names.subtracting(known) == [])
    if file.hasSuffix(".json") { #expect(JSONValue(Array(text.utf8))?["panels"]?.array?.count ?? 0 > 10) }
  }
}
