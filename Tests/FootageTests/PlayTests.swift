/// Players on `footage play`: they seek, stop halfway, start again, and finish without the robot.
import Foundation
import LinuxTestSupport
import Testing

@Suite struct PlayTests {
  /// The bytes that a hole may cost twice. By design this is at most a sliver of 20 kB, and for an unwanted fetch the
  /// bytes in transit.
  static let allowance = 20_000
  static let inFlight = 2 << 20

  private func frames(of input: String, from seconds: Int = 0, _ more: String...) throws -> [String] {
    let outcome = try Command(
      "ffmpeg",
      arguments: [
        "-nostdin", "-v", "error", "-ss", "\(seconds)", "-i", input, "-map", "0", "-fps_mode:v", "passthrough",
      ]
        + more + ["-f", "framemd5", "-"]
    ).run()
    try #require(outcome.succeeded, "\(outcome.errors)")
    return outcome.lines.filter { !$0.hasPrefix("#") }
  }

  private func mpv(_ url: String, _ arguments: String...) throws -> Command.Outcome {
    try Command(
      "mpv",
      arguments: [
        "--no-config", "--really-quiet", "--vo=null", "--ao=null", "--untimed", "--msg-level=all=error",
        "--network-timeout=30",
      ] + arguments + [url]
    ).run()
  }

  /// Returns the cache's files that contain whole recordings.
  private func wholeFiles(in cache: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: cache + "/media").filter { $0.hasSuffix(".mp4") }
      .map { cache + "/media/" + $0 }
  }

  @Test func `ffmpeg seeks, stops half-way, starts again and finishes without the robot`() throws {
    try withServer(recordings: ["front/x.mp4"]) { server in
      let cache = server.folder.path("cache")
      let clip = try Fixtures.clip()
      let served = try server.download("/recordings/front/x.mp4")
      let before = try server.sentBytes(of: "front/x")
      do {
        let session = try PlaySession("front/x", on: server, cache: cache)
        #expect(try frames(of: session.url, from: 5, "-t", "1") == frames(of: clip, from: 5, "-t", "1"))
        #expect(try frames(of: session.url, from: 2, "-frames:v", "3") == frames(of: clip, from: 2, "-frames:v", "3"))
        #expect(try session.interrupt() == 0)
      }
      do {
        let session = try PlaySession("front/x", on: server, cache: cache)
        #expect(try frames(of: session.url) == frames(of: clip))
        try session.waitUntilComplete()
        #expect(try session.interrupt() == 0)
      }
      let requests = try server.requestCount(of: "front/x") - 1
      let sent = try server.sentBytes(of: "front/x") - before
      #expect(sent >= served.count && sent <= served.count + requests * Self.allowance + Self.inFlight)
      try server.stop()
      let named = try PlaySession("front/x", on: server, cache: cache, "--offline")
      #expect(try named.bytes() == served)
      #expect(try named.interrupt() == 0)
      let session = try PlaySession("front/x", cache: cache, "--offline")
      #expect(try frames(of: session.url, from: 3) == frames(of: clip, from: 3))
      #expect(try session.bytes() == served)
      let files = try wholeFiles(in: cache)
      #expect(files.count == 1)
      #expect(try Data(contentsOf: URL(fileURLWithPath: files[0])) == served)
    } stopping: { _ in
    }
  }

  @Test func `mpv plays, seeks, is stopped, plays again, and plays without the robot`() throws {
    try withServer(recordings: ["front/x.mp4"]) { server in
      let cache = server.folder.path("cache")
      do {
        let session = try PlaySession("front/x", on: server, cache: cache)
        for start in [6, 1, 4] {
          let outcome = try mpv(session.url, "--start=\(start)", "--length=0.5")
          #expect(outcome.succeeded, "\(outcome.output) \(outcome.errors)")
        }
        let stopped = try mpv(session.url, "--frames=10")
        #expect(stopped.succeeded, "\(stopped.output) \(stopped.errors)")
        let whole = try mpv(session.url)
        #expect(whole.succeeded, "\(whole.output) \(whole.errors)")
        try session.waitUntilComplete()
        #expect(try session.interrupt() == 0)
      }
      try server.stop()
      // The command starts the player, and ends with it.
      let outcome = try FootageProgram.command(
        "play", "front/x", "--offline", "--cache", cache, "--player",
        "mpv --no-config --really-quiet --vo=null --ao=null --untimed"
      ).run()
      #expect(outcome.succeeded, "\(outcome.errors)")
      #expect(outcome.lines.first?.hasPrefix("http://127.0.0.1:") == true)
    } stopping: { _ in
    }
  }

  @Test func `a robot that is killed in the middle of a response and comes back costs the player nothing but time`()
    throws
  {
    let folder = try TemporaryFolder()
    try FileManager.default.createDirectory(atPath: folder.path("recordings"), withIntermediateDirectories: true)
    try Fixtures.writeLargeRecording(to: folder.path("recordings/large.mp4"))
    var server = try Server(folder: folder)
    defer { server.kill() }
    try server.waitForState("ready", of: "large")
    let served = try server.download("/recordings/large.mp4")
    // The relay is so slow that the robot is in the middle of the response when it is killed.
    let relay = try Relay(to: server.port) { $0 == 0 ? [.trickle(64 << 10, microseconds: 5_000)] : [.passAll] }
    let session = try PlaySession("large", on: server, port: relay.port, cache: folder.path("cache"))
    let target = folder.path("played")
    let player = try Command(
      "curl", "--silent", "--fail", "--no-buffer", "--max-time", "100", "--output", target, session.url
    ).start()
    try eventually("some of the recording") {
      (try? Data(contentsOf: URL(fileURLWithPath: target)))?.count ?? 0 > 1 << 20
    }
    server.kill()
    try eventually("the player's state; it says \(session.errors)") { session.errors.contains("trying again") }
    #expect(player.isRunning)
    server = try Server(["--listen", "127.0.0.1:\(server.port)"], folder: folder)
    #expect(try player.exitStatus(within: .seconds(120)) == 0)
    #expect(try Data(contentsOf: URL(fileURLWithPath: target)) == served)
    try session.waitUntilComplete()
    #expect(try session.interrupt() == 0)
    try server.stop()
  }

  @Test func `a second playback over the same cache is told so, and plays all the same`() throws {
    try withServer(recordings: ["x.mp4"]) { server in
      let cache = server.folder.path("cache")
      let first = try PlaySession("x", on: server, cache: cache)
      let second = try PlaySession("x", on: server, cache: cache)
      #expect(second.errors.contains("in use by another process"))
      #expect(try second.bytes() == first.bytes())
      #expect(try second.interrupt() == 0)
      #expect(try first.interrupt() == 0)
    }
  }

  @Test func `somebody else in the robot's place is an alarm with the key that was seen, and gets no request`() throws {
    let folder = try TemporaryFolder()
    let cache = folder.path("cache")
    let robot = try Server(folder: folder)
    defer { robot.kill() }
    try robot.addClip("x.mp4")
    try robot.waitForState("ready", of: "x")
    let served = try robot.download("/recordings/x.mp4")
    do {
      let session = try PlaySession("x", on: robot, cache: cache, "--read-ahead", "all")
      try session.waitUntilComplete()
      #expect(try session.interrupt() == 0)
    }
    try robot.stop()
    let other = try Server(certs: try Fixtures.otherCerts(), port: robot.port)
    defer { other.kill() }
    let session = try PlaySession("x", on: robot, cache: cache)
    #expect(try session.bytes() == served)
    try eventually("the alarm; it said \(session.errors)") {
      session.errors.contains(
        "footage: ALARM: 127.0.0.1:\(robot.port) shows the key \(other.pin), but \(robot.pin) is pinned")
    }
    #expect(try session.interrupt() == 0)
    #expect(try other.answered("\"GET ").isEmpty)
    try other.stop()
  }

  @Test func `a kill at any moment leaves a cache that gives no wrong byte`() throws {
    var random = SystemRandomNumberGenerator()
    let seed = UInt64.random(in: 0...UInt64.max, using: &random)
    try withServer { server in
      try Fixtures.writeLargeRecording(to: server.folder.path("large.mp4"))
      try FileManager.default.moveItem(atPath: server.folder.path("large.mp4"), toPath: server.file("large.mp4"))
      try server.waitForState("ready", of: "large")
      let served = try server.download("/recordings/large.mp4")
      let cache = server.folder.path("cache")
      for round in 0..<6 {
        let session = try PlaySession("large", on: server, cache: cache)
        let delay = (seed >> (UInt64(round) * 8)) & 0xFF
        usleep(UInt32(delay) * 1_000)
        session.process.kill()
      }
      let session = try PlaySession("large", on: server, cache: cache)
      #expect(try session.bytes() == served, "seed \(seed)")
      try session.waitUntilComplete()
      #expect(try session.interrupt() == 0)
      let verified = try FootageProgram.command("cache", "verify", "--cache", cache).run()
      #expect(verified.succeeded && verified.output == "large: good\n", "seed \(seed): \(verified.output)")
    }
  }

  @Test(
    arguments: [
      (["play"], "name a recording"), (["play", "a", "b"], "'b' is one word too many"),
      (["play", "x", "--quota", "lots"], "--quota must be a size such as 500M or 8G, not 'lots'"),
      (["play", "x", "--cache", "/proc/none", "--robot", "h", "--pin", "p"], "--pin must be sha256/"),
    ])
  func `a wrong command line is told at once`(arguments: [String], words: String) throws {
    let outcome = try FootageProgram.command(arguments).run()
    #expect(outcome.status == 64)
    #expect(outcome.errors.contains(words), "\(outcome.errors)")
  }

  @Test func `a player that is not there is told, and a recording that nobody has`() throws {
    try withServer(recordings: ["x.mp4"]) { server in
      let robot = ["--robot", "127.0.0.1:\(server.port)", "--pin", server.pin, "--cache", server.folder.path("cache")]
      let player = try FootageProgram.command(["play", "x"] + robot + ["--player", "no-such-player"]).run()
      #expect(player.status == 1)
      #expect(player.errors.contains("the player 'no-such-player' was not found"), "\(player.errors)")
      let recording = try FootageProgram.command(["play", "y"] + robot).run()
      #expect(recording.status == 1)
      #expect(recording.errors.contains("there is no recording y on 127.0.0.1:"), "\(recording.errors)")
      let offline = try FootageProgram.command(
        "play", "y", "--offline", "--cache", server.folder.path("cache")
      ).run()
      #expect(offline.status == 1 && offline.errors.contains("no recording y in the cache"), "\(offline.errors)")
    }
  }
}
