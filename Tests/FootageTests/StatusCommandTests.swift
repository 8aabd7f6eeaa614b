/// The server's state, asked on the robot itself, and the problems when no server is running.
import FootageAPI
import FootageBase
import Foundation
import LinuxTestSupport
import Testing

@Suite struct StatusCommandTests {
  private func report(_ text: String) throws -> HealthReport {
    try #require(JSONValue(Array(text.utf8)).flatMap(HealthReport.init), "\(text)")
  }

  @Test func `status asks over the server's socket, and says what health says`() throws {
    let run = try TemporaryFolder()
    let variables = ["RUNTIME_DIRECTORY": run.location]
    try withServer(environment: variables, recordings: ["front/a.mp4"]) { server in
      let socket = run.path("status")
      let mode = try FileManager.default.attributesOfItem(atPath: socket)[.posixPermissions] as? Int
      #expect(mode == 0o660)
      try Data("no recording".utf8).write(to: URL(fileURLWithPath: server.file("front/bad.mp4")))
      try server.waitForState("refused", of: "front/bad")
      try eventually("health to tell of it") {
        try report(try server.get("/health")).reasons.contains { $0.code == "refused-lately" }
      }
      let asked = try FootageProgram.command("status", "--json", environment: variables).run()
      #expect(try asked.status == 0 && report(asked.output).reasons.map(\.code).contains("refused-lately"))
      let words = try FootageProgram.command("status", environment: variables).run()
      #expect(words.status == 0 && words.lines.first?.hasPrefix("degraded: 2 recordings") == true, "\(words.output)")
      #expect(words.output.contains("front/bad.mp4"))
      // The path is given explicitly, since nothing else names it.
      #expect(try FootageProgram.command("status", "--status-listen", socket).run().status == 0)
      let curl = { (arguments: [String]) in
        try Command("curl", arguments: ["--silent", "--max-time", "30", "--unix-socket", socket] + arguments).run()
          .output
      }
      #expect(try report(try curl(["http://localhost/health"])).recordings == 2)
      let code = ["--output", "/dev/null", "--write-out", "%{http_code}"]
      #expect(try curl(code + ["http://robot.example/health"]) == "403")
      #expect(try curl(code + ["http://localhost/recordings/front/bad.mp4"]) == "404")
      #expect(try curl(code + ["--request", "POST", "http://localhost/health"]) == "405")
      // A second server leaves the socket to the first.
      try withServer(environment: variables) { other in
        try other.waitForLine(with: "another server answers on \(socket)")
      }
      #expect(try report(try curl(["http://localhost/health"])).recordings == 2)
    }
    #expect(!FileManager.default.fileExists(atPath: run.path("status")))
    let nobody = try FootageProgram.command("status", environment: variables).run()
    #expect(nobody.status == 1 && nobody.errors.contains("no server is listening"), "\(nobody.errors)")
  }

  @Test func `a killed server's socket gives way to the next`() throws {
    let run = try TemporaryFolder()
    let variables = ["XDG_RUNTIME_DIR": run.location]
    let first = try Server(environment: variables)
    try eventually("the socket") { FileManager.default.fileExists(atPath: run.path("footage/status")) }
    first.kill()
    try withServer(environment: variables) { _ in
      try eventually("an answer") { try FootageProgram.command("status", environment: variables).run().succeeded }
    }
  }

  @Test func `scrapers ask on a loopback address, and nobody is let in by another`() throws {
    try withServer("--status-listen", "localhost:0") { server in
      let port = try eventually("its port") {
        server.log.firstMatch(of: /on this machine at http:\/\/127\.0\.0\.1:([0-9]+)\//).map { String($0.1) }
      }
      let outcome = try Command("curl", "--silent", "--max-time", "30", "http://127.0.0.1:\(port)/health").run()
      #expect(try report(outcome.output).recordings == 0)
      let asked = try FootageProgram.command("status", "--status-listen", "127.0.0.1:\(port)").run()
      #expect(asked.succeeded, "\(asked.errors)")
      // Callers that begin a request and then stop do not keep a scraper out, either.
      let half = try (0..<60).map { _ in
        let caller = try RawConnection(to: UInt16(port) ?? 0)
        try caller.send("GET /health HTTP/1.1\r\nHost: loc")
        return caller
      }
      let scraped = try Command("curl", "--silent", "--max-time", "15", "http://127.0.0.1:\(port)/metrics").run()
      #expect(scraped.output.contains("footage_recordings"), "\(scraped)")
      withExtendedLifetime(half) {}
    }
    let refused = try FootageProgram.command("serve", "--status-listen", "0.0.0.0:9464").run()
    #expect(refused.status == 64 && refused.errors.contains("clients there show no certificate"), "\(refused.errors)")
  }

  @Test func `a robot that fails is 503 to probes, and lives all the same`() throws {
    let run = try TemporaryFolder()
    let variables = ["RUNTIME_DIRECTORY": run.location]
    try withServer("--state", run.path("state"), environment: variables, recordings: ["a.mp4"]) { server in
      try FileManager.default.moveItem(atPath: server.recordings, toPath: server.folder.path("elsewhere"))
      try eventually("503") { try server.status("/health") == 503 }
      #expect(try server.status("/health?live") == 200)
      let asked = try FootageProgram.command("status", environment: variables).run()
      #expect(asked.status == 1 && asked.output.hasPrefix("failing: "), "\(asked.output)")
      let doctor = try FootageProgram.command("doctor", environment: variables).run()
      #expect(doctor.status == 1 && doctor.output.hasPrefix("WRONG  The recordings folder does not exist"))
      try FileManager.default.moveItem(atPath: server.folder.path("elsewhere"), toPath: server.recordings)
      try eventually("200") { try server.status("/health") == 200 }
    }
  }

  @Test func `the doctor says what keeps a server from its work where none runs`() throws {
    let folder = try TemporaryFolder()
    func doctor(_ arguments: String...) throws -> Command.Outcome {
      let outcome = try FootageProgram.command(
        ["doctor", "--status-listen", folder.path("none")] + arguments
      ).run()
      #expect(outcome.lines.count <= 20 && outcome.status == 1, "\(outcome.output) \(outcome.errors)")
      return outcome
    }
    let bare = try doctor("--recordings", folder.path("none"), "--certs", folder.path("none")).output
    for words in ["No server responds", "There is no recordings folder", "cannot start without valid certificates"] {
      #expect(bare.contains("WRONG  ") && bare.contains(words), "\(bare)")
    }
    let certs = folder.path("certs")
    try Fixtures.copyCertificates(to: certs)
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: certs + "/server.key")
    let listener = try BlockingSocket(listeningOn: 0, backlog: 1)
    let full = try doctor(
      "--recordings", folder.location, "--certs", certs, "--listen", "127.0.0.1:\(listener.port)"
    ).output
    for words in [
      "look   The key \(certs)/server.key can be read", "WRONG  cannot listen on 127.0.0.1:\(listener.port)",
      "ok     The recordings folder \(folder.location) can be read", "ok     The clock shows",
      "ok     Key and certificate in \(certs) belong together", "3 things to do.",
    ] {
      #expect(full.contains(words), "\(words) in \(full)")
    }
  }
}
