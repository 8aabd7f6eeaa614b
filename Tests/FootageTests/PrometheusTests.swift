/// A real Prometheus, which trusts only the robot's own certificate and shows one of its own.
import FootageBase
import Foundation
import LinuxTestSupport
import Testing

@Suite(
  .enabled(
    if: (try? Command("prometheus", "--version").run().succeeded) == true,
    "prometheus is there (Debian's package of that name)"),
  .timeLimit(.minutes(3)))
struct PrometheusTests {
  /// A Prometheus that scrapes a server every second.
  private final class Prometheus {
    private let folder: TemporaryFolder
    private let process: RunningProgram
    private let port: String

    init(scraping server: Server, trusting authority: String) throws {
      folder = try TemporaryFolder()
      let client = server.certs + "/clients/alice-both.pem"
      let configuration = """
        global: {scrape_interval: 1s}
        scrape_configs:
          - job_name: footage
            scheme: https
            tls_config:
              ca_file: \(authority)
              cert_file: \(client)
              key_file: \(client)
              server_name: localhost
            static_configs:
              - targets: ['127.0.0.1:\(server.port)']
                labels: {robot: r1}
        """
      try configuration.write(toFile: folder.path("prometheus.yml"), atomically: true, encoding: .utf8)
      process = try RunningProgram(
        Command(
          "prometheus", "--config.file=" + folder.path("prometheus.yml"), "--storage.tsdb.path=" + folder.path("data"),
          "--web.listen-address=127.0.0.1:0"))
      let process = process
      port = try eventually("its port") {
        process.errors.firstMatch(of: /Listening on.*address=127\.0\.0\.1:([0-9]+)/).map { String($0.1) }
      }
      // It listens before it has read its stored data.
      try eventually("its answers") {
        try Command("curl", "--silent", "--fail", "--max-time", "30", "http://127.0.0.1:\(port)/-/ready").run().status
          == 0
      }
    }

    deinit { process.kill() }

    private func ask(_ path: String, _ arguments: [String] = []) throws -> JSONValue {
      let outcome = try Command(
        "curl",
        arguments: ["--silent", "--max-time", "30", "--get", "http://127.0.0.1:\(port)/api/v1/\(path)"]
          + arguments
      ).run()
      return try #require(JSONValue(Array(outcome.output.utf8)), "\(outcome.output)")
    }

    /// - Returns: the values of the samples; nil if the query is invalid.
    func query(_ expression: String) throws -> [Double]? {
      let answer = try ask("query", ["--data-urlencode", "query=" + expression])
      guard answer["status"]?.string == "success" else { return nil }
      return answer["data"]?["result"]?.array?.compactMap { sample in
        sample["value"]?.array?.last?.string.flatMap { Double($0) }
      }
    }

    /// Returns the reason why the last scrape failed; an empty string if it did not.
    func failure() throws -> String? {
      try ask("targets")["data"]?["activeTargets"]?.array?.first?["lastError"]?.string
    }
  }

  @Test func `it scrapes the robot over TLS, and every query of the dashboard and the alerts is answered`() throws {
    try withServer("--client-auth", "require") { server in
      try server.addClip("front/a.mp4")
      let prometheus = try Prometheus(scraping: server, trusting: server.certs + "/server.pem")
      try eventually("a scrape; \((try? prometheus.failure()) ?? "no word of one")") {
        try prometheus.query("up") == [1]
      }
      try eventually("the recording") {
        try prometheus.query(#"footage_recordings{camera="front",state="ready",robot="r1"}"#) == [1]
      }
      try eventually("its own requests, counted") {
        try prometheus.query(#"footage_http_requests_total{route="/metrics",status="200"} > 2"#)?.count == 1
      }
      // Recordings that are closed while the server is watching are timed.
      let before = try #require(try prometheus.query("footage_ready_seconds_count")?.first)
      let clip = try Data(contentsOf: URL(fileURLWithPath: server.file("front/a.mp4")))
      try clip.prefix(clip.count / 2).write(to: URL(fileURLWithPath: server.file("front/b.mp4")))
      let recorder = try #require(FileHandle(forWritingAtPath: server.file("front/b.mp4")))
      try recorder.seekToEnd()
      try recorder.write(contentsOf: clip[(clip.count / 2)..<(clip.count - 1)])
      try eventually("a recorder at work") {
        try prometheus.query(#"footage_recordings{camera="front",state="recording"}"#) == [1]
      }
      try recorder.write(contentsOf: clip.suffix(1))
      try recorder.close()
      try eventually("the time it took to be listed") {
        try prometheus.query("footage_ready_seconds_count") == [before + 1]
      }
      #expect(try prometheus.query("footage_disk_free_bytes > 0")?.count == 1)
      let dashboard = try String(
        contentsOfFile: Checkout.path("Documentation/monitoring/dashboard.json"), encoding: .utf8)
      let panels = JSONValue(Array(dashboard.utf8))?["panels"]?.array ?? []
      let queries = panels.flatMap { $0["targets"]?.array ?? [] }.compactMap { $0["expr"]?.string }
      #expect(queries.count > 10)
      for query in queries {
        #expect(try prometheus.query(query.replacing("$robot", with: ".*")) != nil, "\(query)")
      }
    }
  }

  @Test func `it does not believe somebody else in the robot's place`() throws {
    try withServer("--client-auth", "require") { server in
      let prometheus = try Prometheus(scraping: server, trusting: try Fixtures.otherCerts() + "/server.pem")
      try eventually("its refusal") { try prometheus.failure()?.contains("unknown authority") == true }
      #expect(try prometheus.query("up") == [0])
    }
  }
}
