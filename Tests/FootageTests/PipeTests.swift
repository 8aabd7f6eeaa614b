/// Recordings that go to standard output, and passphrases that are typed.

import Foundation
import LinuxTestSupport
import Testing

@Suite struct PipeTests {
  @Test func `a recording, a clip and a copy of the cache go to a program`() throws {
    let name = "front/2026-11-20T10-15-30"
    try withServer("--name-zone", "UTC", recordings: [name + ".mp4"]) { server in
      let folder = try TemporaryFolder()
      let robot = ["--robot", "127.0.0.1:\(server.port)", "--pin", server.pin]
      let cache = ["--cache", folder.path("cache")]
      let served = try server.download("/recordings/\(name).mp4")
      let played = try FootageProgram.command(
        ["play", name, "--player", "curl -sf -o /dev/null"] + robot + cache
      ).run()
      #expect(played.succeeded, "\(played)")
      let times = ["--zone", "UTC", "--from", "2026-11-20 10:15:31", "--to", "2026-11-20 10:15:33"]
      let clip = try server.answer("/cameras/front.mp4?from=2026-11-20T10:15:31Z&to=2026-11-20T10:15:33Z").body
      let recordings = ["--recordings", server.recordings, "--name-zone", "UTC"]
      let commands: [(command: [String], expected: Data)] = [
        (["fetch", name] + robot, served), (["fetch", name + ".mp4"] + robot, served),
        (["cache", "export", name] + cache, served), (["export", name] + recordings, served),
        (["clip", "--camera", "front"] + times + robot, clip),
        (["clip", "--camera", "front"] + times + recordings, clip),
      ]
      for (command, expected) in commands {
        for output in ["-", "/dev/stdout"] {
          let path = folder.path("piped")
          let outcome = try Command(
            "sh",
            arguments: ["-c", "cd \(folder.location) && \"$0\" \"$@\" | cat >\(path)", FootageProgram.path] + command
              + ["-o", output], environment: ["XDG_CACHE_HOME": folder.path("catalogs")]
          ).run()
          #expect(outcome.succeeded, "\(command): \(outcome)")
          #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == expected, "\(command)")
        }
        let full = try Command(
          "sh", arguments: ["-c", "\"$0\" \"$@\" >/dev/full", FootageProgram.path] + command + ["-o", "-"],
          environment: ["XDG_CACHE_HOME": folder.path("catalogs")]
        ).run()
        #expect(full.status == 1 && full.errors.contains("cannot write to standard output"), "\(command): \(full)")
      }
      #expect(!FileManager.default.fileExists(atPath: folder.path("-")))
      for command in [["fetch", "a", "b"], ["fetch", "--all"]] {
        let several = try FootageProgram.command(command + robot + ["-o", "-"]).run()
        #expect(
          several.status == 64 && several.errors.contains("standard output can take only one recording"), "\(several)")
      }
      let missing = try FootageProgram.command(["fetch", "nothing", "-o", "-"] + robot).run()
      #expect(missing.status == 1 && missing.output.isEmpty && missing.errors.contains("no recording nothing"))
    }
  }

  @Test func `a byte order mark is part of a passphrase only where the passphrase is none without it`() throws {
    try withServer("--client-auth", "optional", recordings: ["a.mp4"]) { server in
      let folder = try TemporaryFolder()
      let (mark, p12) = ("\u{FEFF}", server.certs + "/clients/alice.p12")
      try Data((mark + Fixtures.passphrase + "\r\n").utf8).write(to: URL(fileURLWithPath: folder.path("saved")))
      // A passphrase that a person made with tools that treated the mark as a character.
      let marked = mark + "secret"
      try Data((marked + "\n").utf8).write(to: URL(fileURLWithPath: folder.path("marked")))
      let pem = folder.path("alice.pem")
      let commands = [
        ["pkcs12", "-in", p12, "-passin", "pass:\(Fixtures.passphrase)", "-nodes", "-out", pem],
        ["pkcs12", "-export", "-in", pem, "-passout", "file:" + folder.path("marked"), "-out", folder.path("m.p12")],
      ]
      for command in commands {
        let outcome = try Command("openssl", arguments: command).run()
        try #require(outcome.succeeded, "\(outcome)")
      }
      func list(_ identity: String, _ passphrase: String) throws -> Command.Outcome {
        try FootageProgram.command(
          "list", "--robot", "127.0.0.1:\(server.port)", "--pin", server.pin, "--identity", identity,
          "--passphrase-file", folder.path(passphrase)
        ).run()
      }
      let saved = try list(p12, "saved")
      #expect(saved.succeeded && !saved.errors.contains("mark"), "\(saved)")
      let other = try list(folder.path("m.p12"), "marked")
      #expect(other.succeeded && other.errors.contains("the byte order mark"), "\(other)")
      let wrong = try list(folder.path("m.p12"), "saved")
      #expect(wrong.status == 1 && wrong.errors.contains("the passphrase does not open the identity"), "\(wrong)")
    }
  }

  /// Runs a program on a terminal of its own, types an answer to its prompt, and reports if the terminal echoes typed
  /// text again.
  private static let terminal = """
    import os, pty, sys, termios, time
    pid, terminal = pty.fork()
    if pid == 0:
        os.execvp(sys.argv[2], sys.argv[2:])
    shown = b""
    while b"Passphrase for " not in shown:
        shown += os.read(terminal, 1024)
    for _ in range(1200):
        if not termios.tcgetattr(terminal)[3] & termios.ECHO:
            break
        time.sleep(0.05)
    os.write(terminal, sys.argv[1].encode().decode("unicode_escape").encode())
    try:
        while True:
            shown += os.read(terminal, 1024)
    except OSError:
        pass
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    sys.stdout.buffer.write(shown)
    sys.exit(status)
    """

  @Test func `a passphrase is asked for at a terminal, and not shown`() throws {
    try withServer("--client-auth", "optional", recordings: ["a.mp4"]) { server in
      func list(typing text: String) throws -> Command.Outcome {
        try Command(
          "python3",
          arguments: [
            "-c", Self.terminal, text, FootageProgram.path, "list", "--robot", "127.0.0.1:\(server.port)", "--pin",
            server.pin, "--identity", server.certs + "/clients/alice.p12",
          ]
        ).run()
      }
      let passphrase = Fixtures.passphrase
      let right = try list(typing: passphrase + "\\n")
      #expect(right.succeeded && right.output.contains("a  ") && !right.output.contains(passphrase), "\(right)")
      let wrong = try list(typing: "wrong-one\\n")
      #expect(wrong.status == 1 && wrong.output.contains("the passphrase does not open the identity"), "\(wrong)")
      #expect(!wrong.output.contains("wrong-one"))
      // Ctrl-\ and Ctrl-Z do not end or stop the program, which would leave the terminal without echo.
      let letters = try list(typing: "\\x1c\\x1a\\n")
      #expect(letters.status == 1 && letters.output.contains("the passphrase does not open"), "\(letters)")
      // Ctrl-C and Ctrl-D.
      let stopped = try list(typing: "\\x03")
      #expect(stopped.status == 1 && stopped.output.contains("stopped"), "\(stopped)")
      let ended = try list(typing: "\\x04")
      #expect(ended.status == 1 && ended.output.contains("no passphrase was typed"), "\(ended)")
      // Without a terminal there is no prompt.
      let piped = try FootageProgram.command(
        "list", "--robot", "127.0.0.1:\(server.port)", "--pin", server.pin, "--identity",
        server.certs + "/clients/alice.p12"
      ).run()
      #expect(piped.status == 1 && piped.errors.contains("--passphrase-file FILE"), "\(piped)")
    }
  }
}
