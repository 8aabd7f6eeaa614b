/// The client's library with the real server: lists, filters, pages, ranges, and the messages for a person.
import FootageClient
import Foundation
import LinuxTestSupport
import Testing

@testable import FootageCore

@Suite struct RobotTests {
  private static func robot(_ server: Server) throws -> RobotConnection {
    try RobotConnection(to: FetchTests.robot(server), trusting: .pinned([try .spki(server.pin)]))
  }

  private static func names(_ recordings: RecordingSequence) async throws -> [String] {
    var names: [String] = []
    for try await recording in recordings { names.append(recording.name) }
    return names
  }

  private static func server(_ folder: TemporaryFolder) throws -> Server { try Server([], folder: folder) }

  @Test(.timeLimit(.minutes(2))) func `a list of several pages has every recording once, newest first`() async throws {
    let server = try Self.server(try TemporaryFolder())
    defer { server.kill() }
    let count = 2 * RecordingSequence.pageLength + 3
    try FileManager.default.createDirectory(atPath: server.file("front"), withIntermediateDirectories: true)
    for number in 0..<count {
      let minute = "\(10 + number / 60)-\(10 + number % 50)"
      try FileManager.default.linkItem(
        atPath: try Fixtures.clip(), toPath: server.file("front/2026-11-20T\(minute)-10 \(number).mp4"))
    }
    let robot = try Self.robot(server)
    var names: [String] = []
    while names.count < count { names = try await Self.names(robot.recordings(state: .ready)) }
    #expect(names.count == count && Set(names).count == count)
    var moments: [UnixTime] = []
    for try await recording in robot.recordings() { moments.append(recording.startedAt) }
    #expect(moments == moments.sorted(by: >))
    try server.stop()
  }

  @Test func `a list has what was asked for, and a recording what the list says of it`() async throws {
    let server = try Self.server(try TemporaryFolder())
    defer { server.kill() }
    for name in ["front/2026-11-20T10-00-00", "front/2026-11-20T11-00-00", "back yard/2026-11-20T10-30-00"] {
      try server.addClip(name + ".mp4")
      try server.waitForState("ready", of: name)
    }
    try Data("This is no video.".utf8).write(to: URL(fileURLWithPath: server.file("front/text.mp4")))
    try server.waitForState("refused", of: "front/text")
    let robot = try Self.robot(server)
    let front = ["front/2026-11-20T11-00-00", "front/2026-11-20T10-00-00"]
    #expect(try await Self.names(robot.recordings(camera: "front", state: .ready)) == front)
    #expect(try await Self.names(robot.recordings(camera: "none")).isEmpty)
    #expect(try await Self.names(robot.recordings(state: .refused)) == ["front/text"])
    let since = UnixTime(rfc3339: "2026-11-20T10:30:00Z")
    let until = UnixTime(rfc3339: "2026-11-20T11:00:00Z")
    #expect(
      try await Self.names(robot.recordings(since: since, state: .ready)) == [
        front[0], "back yard/2026-11-20T10-30-00",
      ])
    #expect(
      try await Self.names(robot.recordings(since: since, until: until, state: .ready))
        == ["back yard/2026-11-20T10-30-00"])
    for try await recording in robot.recordings() { #expect(try await robot.recording(recording.name) == recording) }
    let refused = try await robot.recording("front/text")
    guard case .refused(let reason) = refused.state else { return #expect(Bool(false), "\(refused.state)") }
    #expect(!reason.isEmpty && refused.entityTag == nil)
    await #expect {
      for try await _ in robot.read("front/text") {}
    } throws: { error in
      if case .notFound(name: "front/text", code: "refused", reason: _)? = error as? RobotError { true } else { false }
    }
    try server.stop()
  }

  @Test func `a range is the robot's bytes, in the version that was asked for`() async throws {
    let server = try Self.server(try TemporaryFolder())
    defer { server.kill() }
    try server.addClip("a.mp4")
    try server.waitForState("ready", of: "a")
    let whole = Array(try server.download("/recordings/a.mp4"))
    let robot = try Self.robot(server)
    let tag = try await robot.recording("a").entityTag
    for range in [
      0..<1, 0..<whole.count, whole.count - 1..<whole.count, 1000..<70_000, whole.count - 5..<whole.count + 99,
    ] {
      var bytes: [UInt8] = []
      for try await chunk in robot.read("a", range: UInt64(range.lowerBound)..<UInt64(range.upperBound), version: tag) {
        bytes += chunk
      }
      #expect(bytes == Array(whole[range.clamped(to: 0..<whole.count)]))
    }
    await #expect(throws: RobotError.outOfRange(name: "a", length: UInt64(whole.count))) {
      for try await _ in robot.read("a", range: UInt64(whole.count)..<UInt64.max) {}
    }
    await #expect(throws: RobotError.replaced(name: "a")) {
      for try await _ in robot.read("a", range: 5..<9, version: "\"another\"") {}
    }
    try server.stop()
  }

  @Test func `a certificate out of its dates is let pass with a word, for the key is pinned`() throws {
    try withServer(recordings: ["a.mp4"]) { server in
      for (seconds, words) in [
        (10_413_792_000, "footage: the robot's certificate expired on "),
        (86_400, "footage: the robot's certificate is not valid before "),
      ] {
        let outcome = try FootageProgram.command(
          ["list"],
          environment: [
            "FOOTAGE_ROBOT": FetchTests.robot(server), "FOOTAGE_PIN": server.pin,
          ].merging(try FixedClock.environment(seconds: seconds)) { $1 }
        ).run()
        #expect(outcome.succeeded && outcome.lines.count == 2, "\(outcome.errors)")
        #expect(outcome.errors.contains(words), "\(outcome.errors)")
      }
    }
  }

  @Test func `who does not speak TLS is told so, at once`() throws {
    let server = try ScriptedServer { connection, _ in
      _ = connection.receive()
      connection.send("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
    }
    let pin = "sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
    for arguments in [
      ["list", "--robot", "127.0.0.1:\(server.port)", "--pin", pin], ["pair", "127.0.0.1:\(server.port)"],
    ] {
      let outcome = try FootageProgram.command(arguments, environment: ["XDG_CONFIG_HOME": "/none"]).run()
      #expect(outcome.status == 1)
      #expect(
        outcome.errors.hasSuffix("check that a robot answers at this address and port\n"), "\(outcome.errors)")
    }
    #expect(server.connectionCount == 2)
  }
}
