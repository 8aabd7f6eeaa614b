/// `footage pair`, `list --robot` and `fetch`, with the real server and with an impostor.
import Foundation
import LinuxTestSupport
import Testing

@Suite struct FetchTests {
  /// A person's machine: a place for pairings and for files.
  final class Desk {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    func footage(_ arguments: String...) -> Command {
      FootageProgram.command(arguments, environment: ["XDG_CONFIG_HOME": folder.path("config")])
    }

    func path(_ name: String) -> String { folder.path(name) }
    func data(_ name: String) -> Data? { FileManager.default.contents(atPath: folder.path(name)) }

    func names() throws -> Set<String> {
      Set(try FileManager.default.subpathsOfDirectory(atPath: folder.location).filter { !$0.hasPrefix("config") })
    }
  }

  static func robot(_ server: Server) -> String { "127.0.0.1:\(server.port)" }

  @Test func `what OpenSSL cannot do here is told as this machine's`() throws {
    let desk = try Desk()
    let configuration = try LameConfiguration.write(into: desk.folder)
    let pin = "sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
    let outcome = try FootageProgram.command(
      "list", "--robot", "127.0.0.1:1", "--pin", pin, environment: ["OPENSSL_CONF": configuration]
    ).run()
    #expect(outcome.status == 1 && outcome.errors.contains("OpenSSL cannot be used"), "\(outcome)")
    #expect(
      outcome.errors.contains("OPENSSL_CONF") && !outcome.errors.contains("answer from the robot"), "\(outcome.errors)")
  }

  @Test func `a robot is paired once, and its recordings are listed and fetched`() throws {
    try withServer(recordings: ["front/one.mp4", "two.mp4"]) { server in
      let desk = try Desk()
      let robot = Self.robot(server)
      let paired = try desk.footage("pair", robot, "--pin", server.pin).run()
      #expect(paired.succeeded && paired.lines == [server.pin], "\(paired.errors)")
      let again = try desk.footage("pair", robot).run()
      #expect(again.succeeded && again.errors.contains("already paired"))
      // The only robot needs no name.
      let fetched = try desk.footage("fetch", "front/one", "-o", desk.path("x.mp4")).run()
      #expect(fetched.succeeded && fetched.lines == [desk.path("x.mp4")], "\(fetched.errors)")
      #expect(try desk.data("x.mp4") == server.download("/recordings/front/one.mp4"))
      let all = try desk.footage("fetch", "--all", "--robot", robot, "-o", desk.path("out/")).run()
      #expect(all.succeeded, "\(all.errors)")
      #expect(Set(all.lines) == [desk.path("out/front/one.mp4"), desk.path("out/two.mp4")])
      #expect(try desk.data("out/two.mp4") == server.download("/recordings/two.mp4"))
      #expect(try desk.names() == ["x.mp4", "out", "out/front", "out/front/one.mp4", "out/two.mp4"])
      let table = try desk.footage("list", "--robot", robot).run()
      #expect(table.lines.count == 3 && table.lines[0].hasPrefix("NAME"), "\(table.errors)")
      let only = try desk.footage("list", "--robot").run()
      #expect(only.output == table.output, "\(only.errors)")
      let json = try desk.footage("list", "--robot", "--json").run()
      let local = try FootageProgram.command("list", "--recordings", server.recordings, "--json").run()
      #expect(json.output == local.output)
      // Without a folder to list, the only robot is meant; an existing or named folder takes precedence.
      let bare = Command(
        "sh", "-c", "cd \(desk.folder.location) && exec \(FootageProgram.path) list \"$@\"", "sh",
        environment: ["XDG_CONFIG_HOME": desk.path("config")])
      #expect(try bare.run().output == table.output)
      var named = bare
      named.arguments += ["--recordings", "recordings"]
      #expect(try named.run().errors.contains("recordings: No such file"))
      try FileManager.default.createDirectory(atPath: desk.path("recordings"), withIntermediateDirectories: true)
      #expect(try bare.run().lines.count < 2)
      let since = try desk.footage("fetch", "--since", "2100-01-01", "--robot", robot).run()
      #expect(since.succeeded && since.output.isEmpty && since.errors.contains("nothing to fetch"))
    }
  }

  @Test func `what the cache has in the robot's version is copied, and nothing else`() throws {
    try withServer(recordings: ["a.mp4", "b.mp4"]) { server in
      let desk = try Desk()
      let robot = ["--robot", Self.robot(server), "--pin", server.pin, "--cache", desk.path("cache")]
      func fetch(_ target: String, _ more: String...) throws -> Command.Outcome {
        try FootageProgram.command(["fetch", "a", "-o", desk.path(target)] + robot + more).run()
      }
      // A cache that does not exist is not created.
      #expect(try fetch("before.mp4").succeeded && !desk.names().contains("cache"))
      do {
        let session = try PlaySession("a", on: server, cache: desk.path("cache"), "--read-ahead", "all")
        try session.waitUntilComplete()
        #expect(try session.interrupt() == 0)
      }
      let served = try server.download("/recordings/a.mp4")
      let requests = try server.requestCount(of: "a")
      let copied = try fetch("copied.mp4")
      #expect(copied.succeeded && copied.lines == [desk.path("copied.mp4")], "\(copied.errors)")
      #expect(copied.errors.contains("a was copied from the cache"))
      #expect(try desk.data("copied.mp4") == served && server.requestCount(of: "a") == requests)
      // The file is the same as after a download.
      #expect(try fetch("copied.mp4").errors.contains("was already fetched"))
      // The robot gets another version.
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSinceNow: -7_200)], ofItemAtPath: server.file("a.mp4"))
      try eventually("the new version") {
        let outcome = try fetch("new-\(UUID().uuidString).mp4")
        return outcome.succeeded && !outcome.errors.contains("was copied from the cache")
      }
    }
  }

  @Test func `nothing is remembered that nobody has compared`() throws {
    try withServer { server in
      let desk = try Desk()
      let robot = Self.robot(server)
      let asked = try desk.footage("pair", robot).run()
      #expect(asked.status == 1 && asked.lines == [server.pin] && asked.errors.contains("Nothing was remembered"))
      let wrong = try desk.footage("pair", robot, "--pin", "sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=").run()
      #expect(wrong.status == 1 && wrong.errors.contains("nothing was remembered"))
      let unknown = try desk.footage("fetch", "x", "--robot", robot).run()
      #expect(unknown.status == 1 && unknown.errors.contains("is not paired"))
    }
  }

  @Test func `on a terminal a person is asked, and only yes is yes`() throws {
    try withServer { server in
      let desk = try Desk()
      func pair(typing line: String) throws -> Command.Outcome {
        try Command(
          "script", "-qec", "\(FootageProgram.path) pair \(Self.robot(server))", "/dev/null",
          environment: ["XDG_CONFIG_HOME": desk.path("config")], input: line + "\n"
        ).run()
      }
      for line in ["", "y", "YES", "no", "yes "] {
        let outcome = try pair(typing: line)
        #expect(outcome.status == 1 && outcome.output.contains("Nothing was remembered."), "\(outcome.output)")
        #expect(outcome.output.contains("Does the console of \(Self.robot(server)) show exactly this pin?"))
      }
      #expect(try pair(typing: "yes").succeeded)
      #expect(try text(of: desk.path("config/footage/robots")) == "\(Self.robot(server)) \(server.pin)\n")
    }
  }

  @Test func `a pin that changed is an error with its own name, until the robot is forgotten`() throws {
    try withServer(recordings: ["a.mp4"]) { server in
      let desk = try Desk()
      let robot = Self.robot(server)
      let other = "sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
      try FileManager.default.createDirectory(
        atPath: desk.path("config/footage"), withIntermediateDirectories: true)
      try Data("\(robot) \(other)\n".utf8).write(to: URL(fileURLWithPath: desk.path("config/footage/robots")))
      for command in [
        desk.footage("fetch", "a", "-o", desk.path("a.mp4")), desk.footage("list", "--robot", robot),
        desk.footage("pair", robot), desk.footage("pair", robot, "--pin", server.pin),
      ] {
        let outcome = try command.run()
        #expect(outcome.status == 1)
        #expect(
          outcome.errors.contains("THE PIN OF \(robot) HAS CHANGED: it was \(other), and now it is \(server.pin)."),
          "\(outcome.errors)")
      }
      #expect(try desk.names() == [])
      #expect(try desk.footage("pair", robot, "--forget").run().succeeded)
      #expect(try desk.footage("pair", robot, "--pin", server.pin).run().succeeded)
      #expect(try desk.footage("fetch", "a", "-o", desk.path("a.mp4")).run().succeeded)
      // The refused clients have sent no request.
      #expect(try server.requestCount(of: "a") == 1)
    }
  }

  @Test func `who is asked for a certificate shows the one that was given`() throws {
    try withServer("--client-auth", "require") { server in
      try server.addClip("a.mp4")
      let desk = try Desk()
      try Data("\(Fixtures.passphrase)\nnot this line\n".utf8).write(to: URL(fileURLWithPath: desk.path("pass")))
      func fetch(
        _ identity: String?, certs: String, environment: [String: String] = [:]
      ) throws -> Command.Outcome {
        var arguments = ["fetch", "a", "--robot", Self.robot(server), "--pin", server.pin, "-o", desk.path("a.mp4")]
        if let identity {
          let path = identity == "nokey.p12" ? desk.path(identity) : "\(certs)/clients/\(identity)"
          arguments += ["--identity", path, "--passphrase-file", desk.path("pass")]
        }
        return try FootageProgram.command(arguments, environment: environment).run()
      }
      let certs = try Fixtures.certs()
      _ = try Command(
        "openssl", "pkcs12", "-export", "-nokeys", "-in", "\(certs)/clients/alice-both.pem", "-passout",
        "pass:\(Fixtures.passphrase)", "-out", desk.path("nokey.p12")
      ).successfulOutput()
      for identity in ["alice.p12", "alice-both.pem"] {
        try eventually("\(identity) to be let in; log: \(server.story)") {
          try fetch(identity, certs: certs).succeeded
        }
      }
      #expect(desk.data("a.mp4")?.isEmpty == false)
      for (identity, folder, words) in [
        (nil, certs, "requires a client certificate"),
        ("nokey.p12", certs, "the identity has no private key"),
        ("mallory.p12", certs, "does not accept the identity"),
        ("stranger.p12", try Fixtures.otherCerts(), "does not accept the identity"),
      ] as [(String?, String, String)] {
        let outcome = try fetch(identity, certs: folder)
        #expect(outcome.status == 1 && outcome.errors.contains(words), "\(outcome.errors)")
      }
      try Data("wrong\n".utf8).write(to: URL(fileURLWithPath: desk.path("pass")))
      let locked = try fetch("alice.p12", certs: certs)
      #expect(locked.status == 1 && locked.errors.contains("the passphrase does not open the identity"))
      let unopened = try desk.footage(
        "fetch", "a", "--robot", Self.robot(server), "--pin", server.pin, "--identity", "\(certs)/clients/alice.p12"
      ).run()
      #expect(unopened.status == 1 && unopened.errors.contains("(--passphrase-file FILE)"), "\(unopened.errors)")
      // In the year 2300.
      try Data("\(Fixtures.passphrase)\n".utf8).write(to: URL(fileURLWithPath: desk.path("pass")))
      let late = try fetch("alice.p12", certs: certs, environment: try FixedClock.environment(seconds: 10_413_792_000))
      #expect(late.status == 1 && late.errors.contains("the identity expired on "), "\(late.errors)")
    }
  }

  @Test func `a recording that is not there is told in the robot's words`() throws {
    try withServer { server in
      let desk = try Desk()
      let outcome = try desk.footage(
        "fetch", "none", "--robot", Self.robot(server), "--pin", server.pin, "-o", desk.path("a.mp4")
      ).run()
      #expect(outcome.status == 1)
      #expect(
        outcome.errors.contains(
          "there is no recording none on 127.0.0.1:\(server.port): footage list --robot 127.0.0.1"))
      #expect(try desk.names() == [])
    }
  }

  @Test(
    arguments: [
      ["fetch"], ["fetch", "a", "--all"], ["fetch", "--since", "whenever"], ["fetch", "a", "--camera", "x"],
      ["fetch", "a", "--pin", "x"],
      ["fetch", "a", "--robot", "a:b:c"], ["list", "--pin", "sha256/x"],
      ["fetch", "a", "--robot", "a:b:c", "--pin", "sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="],
      ["fetch", "--state", "recording"], ["fetch", "a", "--state", "ready"], ["pair"], ["pair", "a b"],
      ["pair", "robot", "--pin", "x"],
    ])
  func `a command line that makes no sense is told so`(arguments: [String]) throws {
    let desk = try Desk()
    let outcome = try FootageProgram.command(
      arguments, environment: ["XDG_CONFIG_HOME": desk.path("config")]
    ).run()
    #expect(outcome.status == 64 && outcome.output.isEmpty, "\(outcome.errors)")
  }
}
