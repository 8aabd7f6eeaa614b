/// The log on standard error: one line per event, whatever the event contains.
import Foundation
import LinuxTestSupport
import Testing

@Suite struct LogTests {
  @Test func `each request gets one line with peer, target, status, bytes and range`() throws {
    try withServer(recordings: ["a b.mp4"]) { server in
      let size = try #require(try server.item("a b")?.size)
      _ = try server.status("/recordings/a%20b.mp4", "--range", "0-1")
      _ = try server.status("/recordings/a%20b.mp4", "--head")
      _ = try server.status("/nothing")
      _ = try server.status("/recordings/a%20b.mp4")
      let time = #"^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z info: 127\.0\.0\.1 "#
      for pattern in [
        #""GET /recordings/a%20b\.mp4" 206 2 bytes \d+\.\d ms range "bytes=0-1"$"#,
        #""HEAD /recordings/a%20b\.mp4" 200 0 bytes \d+\.\d ms$"#, #""GET /nothing" 404 \d+ bytes \d+\.\d ms$"#,
        #""GET /recordings/a%20b\.mp4" 200 \#(size) bytes \d+\.\d ms$"#,
      ] {
        let expression = try Regex(time + pattern)
        try eventually("a line like \(pattern) in \(server.story)") {
          server.log.split(separator: "\n").filter { $0.contains(expression) }.count == 1
        }
      }
    }
  }

  @Test func `without --access-log a playback is one line, when it is over`() throws {
    try withServer("--client-auth", "optional", environment: ["FOOTAGE_ACCESS_LOG": "0"], recordings: ["front/a.mp4"]) {
      server in
      let alice = server.certs + "/clients/alice.p12:" + Fixtures.passphrase
      for _ in 0..<5 {
        _ = try server.status(
          "/recordings/front/a.mp4", "--range", "0-99", "--cert-type", "P12", "--cert", alice)
      }
      #expect(server.lines(with: "\"GET /").isEmpty)
    } stopping: { server in
      try server.stop()
      let lines = server.lines(with: "audit: \"alice\" (127.0.0.1) got 500 bytes of front/a in 5 requests over ")
      #expect(lines.count == 1, "\(server.story)")
    }
  }

  @Test func `the start says which program serves what, and where`() throws {
    try withServer { server in
      try server.waitForLine(with: " listens on 127.0.0.1:\(server.port), and serves ")
      #expect(server.log.contains(/Z info: footage [0-9.]+ listens on/))
    }
  }

  @Test func `what is no request gets a line too`() throws {
    try withServer { server in
      let outcome = try server.sClient("-ign_eof", input: "NONSENSE\r\n\r\n")
      #expect(outcome.output.contains("HTTP/1.1 400 Bad Request"), "\(outcome.output)")
      try server.waitForLine(with: " info: 127.0.0.1 \"-\" 400 ")
    }
  }

  @Test func `a name with a newline in it does not make two lines`() throws {
    try withServer { server in
      try server.waitForLine(with: "listed the folder in ")
      try server.addClip("one\n2026-01-01T00:00:00Z error: two.mp4")
      try server.waitForState("ready", of: "one\n2026-01-01T00:00:00Z error: two")
      try Data("This is no video.".utf8).write(to: URL(fileURLWithPath: server.file("bad\nnews.mp4")))
      try server.waitForState("refused", of: "bad\nnews")
      try server.waitForLine(with: "ready: one\\x0a2026-01-01T00:00:00Z error: two, 8.0 s")
      try server.waitForLine(with: "refused: bad\\x0anews.mp4: ")
      for line in server.log.split(separator: "\n") {
        #expect(line.contains(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z (info|warning): \S/), "\(line)")
        #expect(!line.hasPrefix("2026-01-01"))
      }
    }
  }

  @Test func `nothing in a name moves a terminal's cursor or turns its writing round`() throws {
    try withServer { server in
      // Files that exist at the start get no lines of their own.
      try server.waitForLine(with: "listed the folder in ")
      try server.addClip("a\u{9B}31m\u{202E}b\u{2028}.mp4")
      try server.waitForLine(with: "ready: a\\xc2\\x9b31m\\xe2\\x80\\xaeb\\xe2\\x80\\xa8, 8.0 s")
    }
  }

  @Test func `long values are cut, and what is too much of a flood is counted instead of written`() throws {
    try withServer { server in
      // Each head has a Range of 15 kB, which would be four times as long in the log.
      let range = String(repeating: "\u{FF}", count: 7_500)
      let head = "GET /nothing HTTP/1.1\r\nHost: t\r\nRange: \(range)\r\n\r\n"
      let count = 2_000
      // The last request makes the server end the connection, and with it the client. CR LF is one character.
      let sent = String(repeating: head, count: count - 1) + head.dropLast() + "Connection: close\r\n\r\n"
      let flood = Command(
        "sh",
        arguments: [
          "-c",
          "timeout 60 openssl s_client -quiet -connect 127.0.0.1:\(server.port) 2>/dev/null | grep -c ^HTTP",
        ], input: sent)
      let answered = try flood.run().output
      #expect(answered.trimmingCharacters(in: .whitespacesAndNewlines) == "\(count)")
      try server.waitForLine(with: " more lines about requests were omitted: ")
      #expect(server.log.utf8.count < 1 << 20)
      let line = try #require(server.lines(with: "GET /nothing").first)
      #expect(line.utf8.count < 500 && line.hasSuffix("…\""), "\(line)")
    }
  }

  /// Returns the command as systemd starts it: the variable names the device and inode of standard error.
  private func underJournal(_ command: Command) -> Command {
    Command(
      "sh",
      arguments: [
        "-c", "JOURNAL_STREAM=$(stat -L -c %d:%i /proc/self/fd/2) exec \"$0\" \"$@\"", command.program,
      ] + command.arguments, environment: command.environment)
  }

  @Test(arguments: [["--recordings", "/nowhere"], ["--client-auth", "maybe"]])
  func `under systemd it is an error that a server cannot start`(arguments: [String]) throws {
    let said = try underJournal(FootageProgram.command(["serve"] + arguments)).run()
    #expect(said.errors.hasPrefix("<3>footage"), "\(said.errors)")
    let unheard = try FootageProgram.command(["serve"] + arguments).run()
    #expect(unheard.errors.hasPrefix("footage"), "\(unheard.errors)")
  }

  @Test func `under systemd each line starts with its priority, and the time is the journal's`() throws {
    let (folder, certs) = try Fixtures.copiedCertificates()
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: certs + "/server.key")
    let server = try Server(folder: folder, certs: certs, wrap: underJournal)
    defer { server.kill() }
    #expect(try server.status("/health") == 200)
    try server.waitForLine(with: "GET /health")
    try server.stop()
    let lines = server.log.split(separator: "\n")
    #expect(lines.contains { $0.hasPrefix("<4>") && $0.contains("server.key can be read by users other than") })
    #expect(lines.contains { $0.hasPrefix("<6>127.0.0.1 \"GET /health\" 200 ") })
    #expect(lines.allSatisfy { $0.contains(/^<[0-7]>[^<]/) }, "\(lines)")
    #expect(!lines.contains { $0.contains("Z info:") })
  }

  @Test func `a variable that names another stream is not believed`() throws {
    try withServer(environment: ["JOURNAL_STREAM": "1:2"]) { server in
      try server.waitForLine(with: "Z info: listed the folder in ")
    }
  }

  @Test(arguments: [("error", 0), ("warning", 0), ("info", 1), ("debug", 1)])
  func `with --access-log requests are logged from level info on`(level: String, count: Int) throws {
    let server = try Server(["--log-level", level])
    defer { server.kill() }
    #expect(try server.status("/health") == 200)
    try server.stop()
    #expect(server.lines(with: "\"GET /health\" 200").count == count)
  }
}
