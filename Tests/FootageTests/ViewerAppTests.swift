/// The app that was written from the articles alone, on a real robot: `Tests/Documentation/Viewer`.
import Foundation
import LinuxTestSupport
import Testing

@Suite(.offThePool, .timeLimit(.minutes(3))) struct ViewerAppTests {
  /// Two consecutive recordings of eight seconds, and one after a gap.
  private static let names = ["rear/2026-11-20T14-00-00Z", "rear/2026-11-20T14-00-08Z", "rear/2026-11-20T14-02-00Z"]
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func viewer(_ arguments: String..., input: String? = nil) -> Command {
    Command(
      FootageProgram.built("Viewer"), arguments: arguments,
      environment: ["VIEWER_HOME": folder.path("home"), "TZ": "UTC"], input: input)
  }

  /// Runs a test with a robot that has all three recordings, each with different bytes.
  private func withRobot(_ body: (Server) throws -> Void) throws {
    let robot = try TemporaryFolder()
    try FileManager.default.createDirectory(atPath: robot.path("recordings/rear"), withIntermediateDirectories: true)
    for (index, name) in Self.names.enumerated() {
      try Fixtures.writeLargeRecording(
        to: robot.path("recordings/\(name).mp4"), filler: UInt8(index), byteCount: 4_096)
    }
    let server = try Server(folder: robot)
    defer { server.kill() }
    for name in Self.names { try server.waitForState("ready", of: name) }
    try body(server)
    try server.stop()
  }

  private func data(_ name: String) throws -> Data { try Data(contentsOf: URL(fileURLWithPath: folder.path(name))) }

  /// Returns the code that the robot's console shows for scanning.
  private func code(_ server: Server, certs: String? = nil) throws -> String {
    let shown = try FootageProgram.command([
      "pair", "--qr", "--certs", certs ?? server.certs, "--listen", FetchTests.robot(server), "--robot-name", "arm",
    ]).run()
    return try #require(shown.lines.first, "\(shown.errors)")
  }

  /// Returns a command's lines of output.
  private func lines(
    of command: Command, sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> [String] {
    let outcome = try command.run()
    #expect(outcome.succeeded, "\(outcome.errors)", sourceLocation: sourceLocation)
    return outcome.lines
  }

  /// Lets a command serve its playback until the closure has returned.
  private func serving(_ command: Command, _ body: (RunningProgram, Pipe) throws -> Void) throws {
    let input = Pipe()
    let program = try RunningProgram(command, input: input)
    try body(program, input)
    try input.fileHandleForWriting.close()
    #expect(try program.exitStatus() == 0, "\(program.errors)")
  }

  /// Returns the URL that the program has printed after these words.
  private func url(_ words: String, of program: RunningProgram) throws -> String {
    try program.waitForOutput("the URL") { output in
      output.split(separator: "\n").dropLast(output.hasSuffix("\n") ? 0 : 1).first { $0.hasPrefix(words) }
        .flatMap { $0.split(separator: " ").last }.map(String.init)
    }
  }

  /// Returns the bytes that an ordinary player receives.
  private func played(_ url: String) throws -> Data {
    let outcome = try Command("curl", "-sS", "--fail", "--max-time", "60", "-o", folder.path("played"), url).run()
    try #require(outcome.succeeded, "\(outcome.errors)")
    return try data("played")
  }

  private func frames(of name: String) throws -> String {
    try Command(
      "ffprobe", "-v", "error", "-count_frames", "-select_streams", "v", "-show_entries", "stream=nb_read_frames",
      "-of",
      "csv=p=0", folder.path(name)
    ).successfulOutput()
  }

  @Test func `it pairs by a code, lists, plays, keeps, and goes on without the robot`() throws {
    let (one, two) = (Self.names[0], Self.names[1])
    var served = Data()
    try withRobot { server in
      #expect(try viewer("list").run().errors == "viewer: pair with a robot first\n")
      #expect(try lines(of: viewer("pair", code(server))) == ["Paired with arm, \(server.pin)."])
      #expect(try lines(of: viewer("robots")) == ["arm  \(FetchTests.robot(server))  \(server.pin)"])
      let listed = try lines(of: viewer("list", "--robot", "arm"))
      #expect(listed.map { $0.prefix { $0 != " " } } == Self.names.reversed().map { $0[...] })
      #expect(listed.allSatisfy { $0.contains("  8.0 s  ") && $0.hasSuffix("  ready") }, "\(listed)")

      served = try server.download("/recordings/\(one).mp4")
      try serving(viewer("play", Self.names[2], "--from", "3")) { program, input in
        #expect(try played(url("any player:", of: program)) == server.download("/recordings/\(Self.names[2]).mp4"))
        let film = try url("HLS players:", of: program)
        #expect(try String(decoding: played(film), as: UTF8.self).hasPrefix("#EXTM3U"))
        #expect(program.output.hasPrefix("Plays from second 3 on at once.\n"))
        try input.fileHandleForWriting.write(contentsOf: Data("6.5\nmiddle\n".utf8))
        try eventually("the seek; it said \(program.output)") { program.output.contains("from second 6.5 on at once") }
        try eventually("the refusal; it said \(program.errors)") { program.errors.contains("middle is no number") }
      }

      let kept = try lines(of: viewer("keep", one, two))
      for name in [one, two] {
        #expect(kept.last { $0.hasPrefix("\(name): ") } == "\(name): on this device", "\(kept)")
      }
      #expect(try lines(of: viewer("storage", "5")).first?.contains(" of 5 MB used, ") == true)
      #expect(try lines(of: viewer("storage")).first?.contains(" of 5 MB used, ") == true)

      #expect(
        try lines(of: viewer("day", "rear", "2026-11-20")) == [
          "2026-11-20T14:00:00Z to 2026-11-20T14:00:16Z", "  \(one), 8.0 s", "  \(two), 8.0 s",
          "2026-11-20T14:02:00Z to 2026-11-20T14:02:08Z", "  \(Self.names[2]), 8.0 s",
        ])
      #expect(try lines(of: viewer("day", "rear", "2026-11-21")) == ["Nothing was recorded then."])
      try serving(viewer("watch", "rear", "2026-11-20T14:00:10Z")) { program, _ in
        let film = try url("HLS players:", of: program)
        #expect(program.output.hasPrefix("\(two) at second 2.0\n"))
        let list = try String(decoding: played(film), as: UTF8.self)
        #expect(list.hasPrefix("#EXTM3U"), "\(list)")
      }
      #expect(
        try lines(
          of: viewer("clip", "rear", "2026-11-20T14:00:05Z", "2026-11-20T14:00:12Z", folder.path("clip.mp4"))
        ) == [folder.path("clip.mp4")])
      #expect(try frames(of: "clip.mp4") == "175\n")
      let nothing = try viewer("clip", "rear", "2026-11-20T14:01:00Z", "2026-11-20T14:01:09Z", folder.path("no.mp4"))
        .run()
      #expect(
        nothing.status == 1 && nothing.errors.hasSuffix("Nothing was recorded at that time.\nChoose another time.\n"),
        "\(nothing.errors)")
      _ = try lines(of: viewer("picture", one, "3.5", folder.path("picture.mp4")))
      #expect(try frames(of: "picture.mp4") == "1\n")
      _ = try lines(of: viewer("cut", one, "2", "5", folder.path("cut.mp4")))
      #expect(try frames(of: "cut.mp4") == "75\n")
    }

    let away = try viewer("list").run()
    #expect(away.succeeded && away.lines.count == 3, "\(away.errors)")
    #expect(away.errors.contains("The robot is away: this is what it listed at "))
    let kept = try lines(of: viewer("kept"))
    for name in [one, two] { #expect(kept.contains { $0.hasPrefix(name) && $0.hasSuffix("  kept") }, "\(kept)") }
    _ = try lines(of: viewer("export", one, folder.path("export.mp4")))
    #expect(try data("export.mp4") == served)
    try serving(viewer("play", one)) { program, _ in
      let bytes = try played(url("any player:", of: program))
      #expect(bytes == served)
    }
    _ = try lines(of: viewer("picture", one, "3.5", folder.path("same picture.mp4")))
    #expect(try data("same picture.mp4") == data("picture.mp4"))
    _ = try lines(of: viewer("cut", one, "2", "5", folder.path("same cut.mp4")))
    #expect(try data("same cut.mp4") == data("cut.mp4"))
    let day = try viewer("day", "rear", "2026-11-20").run()
    #expect(day.status == 1 && day.output.isEmpty)
    #expect(day.errors.contains("The robot cannot be reached.\nCheck that it is on, and "), "\(day.errors)")
    _ = try lines(of: viewer("remove", one))
    #expect(try !lines(of: viewer("kept")).contains { $0.hasPrefix(one) })
    #expect(try viewer("export", one, folder.path("gone.mp4")).run().status == 2)
  }

  @Test func `it pairs when somebody has compared the pin, and not before`() throws {
    try withServer(recordings: ["one.mp4"]) { server in
      let robot = FetchTests.robot(server)
      let refused = try viewer("compare", robot, input: "no\n").run()
      #expect(refused.lines.first == "\(robot) shows \(server.pin)." && refused.lines.last == "Not paired.")
      #expect(try lines(of: viewer("robots")).isEmpty)
      #expect(try lines(of: viewer("compare", robot, input: "yes\n")).last == "Paired with \(robot).")
      #expect(try lines(of: viewer("list")).count == 1)
    }
  }

  @Test func `who has another key is an alarm in words, and is sent no byte`() throws {
    var port = 0
    var pin = ""
    var link = ""
    var served = Data()
    try withServer(recordings: ["one.mp4", "kept.mp4"]) { server in
      (port, pin, link) = (server.port, server.pin, try code(server))
      served = try server.download("/recordings/kept.mp4")
      _ = try lines(of: viewer("pair", link))
      _ = try lines(of: viewer("list"))
      _ = try lines(of: viewer("keep", "kept"))
    }
    let other = try Server(certs: try Fixtures.otherCerts(), port: port)
    defer { other.kill() }
    try other.addClip("one.mp4")
    let target = folder.path("no.mp4")
    let commands = [
      viewer("list"), viewer("cameras"), viewer("keep", "one"), viewer("save", "one", target),
      viewer("play", "one"), viewer("picture", "one", "1", target), viewer("pair", link),
      viewer("compare", "127.0.0.1:\(port)", input: "yes\n"),
    ]
    for command in commands {
      let outcome = try command.run()
      #expect(outcome.status == 1, "\(command.arguments): \(outcome.output)")
      #expect(outcome.errors.contains("Nothing was sent to it.\n"), "\(command.arguments): \(outcome.errors)")
      #expect(outcome.errors.hasSuffix("The robot's:  \(pin)\nWho answers:  \(other.pin)\n"), "\(outcome.errors)")
    }
    try serving(viewer("play", "kept")) { program, _ in
      let bytes = try played(url("any player:", of: program))
      #expect(bytes == served)
      try eventually("the alarm; it said \(program.errors)") { program.errors.contains("Who answers:  \(other.pin)\n") }
    }
    // A person who has never met the robot, and has its code from elsewhere.
    try FileManager.default.removeItem(atPath: folder.path("home"))
    #expect(try viewer("pair", link).run().errors.hasSuffix("The robot's:  \(pin)\nWho answers:  \(other.pin)\n"))
    #expect(try lines(of: viewer("robots")).isEmpty)
    #expect(!FileManager.default.fileExists(atPath: target))
    #expect(try other.answered("\"GET ").isEmpty, "\(other.log)")
    try other.stop()
  }

  @Test func `it shows its certificate to a robot that asks for one`() throws {
    try withServer("--client-auth", "require", recordings: []) { server in
      try server.addClip("one.mp4")
      let p12 = server.certs + "/clients/alice.p12"
      _ = try lines(of: viewer("pair", code(server)))
      let nameless = try viewer("list").run()
      #expect(nameless.status == 1 && nameless.output.isEmpty)
      #expect(nameless.errors.contains("The robot requires a certificate.\n"), "\(nameless.errors)")
      let wrong = try viewer("identity", p12, input: "guessed\n").run()
      #expect(wrong.status == 1 && wrong.errors.contains("The certificate cannot be opened with this passphrase.\n"))
      #expect(try viewer("list").run().errors == nameless.errors)

      _ = try lines(of: viewer("identity", p12, input: Fixtures.passphrase + "\n"))
      let named = try viewer("list").run()
      try #require(named.succeeded, "\(named.errors)")
      try eventually("the recording in the list") { try viewer("list").run().lines.first?.hasSuffix("  ready") == true }
      let file = try FileManager.default.attributesOfItem(atPath: folder.path("home/identity.passphrase"))
      #expect(file[.posixPermissions] as? Int == 0o600)
    }
  }

  @Test(
    arguments: [
      ([], 0, ""), (["fly"], 2, "viewer: there is no command fly\n"),
      (["play"], 2, "viewer: pair with a robot first\n"),
      (["pair"], 2, "viewer: the code is missing\n"), (["list", "--robot"], 2, "viewer: --robot needs a value\n"),
      (["play", "x", "--form", "3"], 2, "viewer: there is no option --form\n"),
      (["storage", "much"], 2, "viewer: much is no number of megabytes\n"),
      (
        ["pair", "https://example.com"], 1,
        "This is not a code for pairing with a robot.\nScan the code on the robot’s console.\n"
      ),
      (["compare", "a robot"], 1, "“a robot” is not a valid robot address.\n"),
    ] as [([String], Int32, String)])
  func `what makes no sense is said`(arguments: [String], status: Int32, errors: String) throws {
    var command = viewer()
    command.arguments = arguments
    let outcome = try command.run()
    #expect(outcome.status == status && outcome.errors.hasPrefix(errors), "\(outcome.errors)")
    #expect(outcome.errors.isEmpty == errors.isEmpty && outcome.output.isEmpty != errors.isEmpty)
  }
}
