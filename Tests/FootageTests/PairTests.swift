/// A pairing over the years: compared again, with a new key, at another address, with and without the robot.
import Foundation
import LinuxTestSupport
import Testing

@Suite(.offThePool) struct PairTests {
  private let desk: FetchTests.Desk
  private static let other = "sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="

  init() throws { desk = try FetchTests.Desk() }

  private var pairings: String { get throws { try text(of: desk.path("config/footage/robots")) } }

  /// Plays to a player that reads everything.
  private func play(_ name: String, _ arguments: String...) throws -> (outcome: Command.Outcome, bytes: Data?) {
    try play(name, arguments)
  }

  private func play(_ name: String, _ arguments: [String]) throws -> (outcome: Command.Outcome, bytes: Data?) {
    let target = desk.path("played-\(UUID().uuidString)")
    let command = FootageProgram.command(
      ["play", name, "--cache", desk.path("cache"), "--player", "curl -sf -o \(target)"] + arguments,
      environment: ["XDG_CONFIG_HOME": desk.path("config")])
    return (try command.run(), FileManager.default.contents(atPath: target))
  }

  // MARK: Compared

  @Test func `a pin that is given is compared, whatever was remembered`() throws {
    try withServer { server in
      let robot = FetchTests.robot(server)
      #expect(try desk.footage("pair", robot, "--pin", server.pin).run().succeeded)
      let same = try desk.footage("pair", robot, "--pin", server.pin).run()
      #expect(same.succeeded && same.errors == "\(robot) is already paired, and its pin has not changed\n")
      // The stored pin is that of the robot that answers, but the console shows another one.
      let before = try pairings
      let compared = try desk.footage("pair", robot, "--pin", Self.other).run()
      #expect(compared.status == 1 && compared.lines == [server.pin])
      for words in [
        server.pin, Self.other, "nothing was changed", "was paired by mistake", "footage pair \(robot) --forget",
      ] {
        #expect(compared.errors.contains(words), "\(compared.errors)")
      }
      // An announced key does not count as the robot's while the robot does not use it.
      #expect(try desk.footage("pair", robot, "--next-pin", Self.other).run().succeeded)
      #expect(try pairings == "\(robot) \(server.pin) \(Self.other)\n")
      let early = try desk.footage("pair", robot, "--pin", Self.other).run()
      #expect(early.status == 1 && early.errors.contains("nothing was changed"), "\(early.errors)")
      #expect(try desk.footage("pair", robot, "--pin", server.pin).run().succeeded)
      #expect(try desk.footage("pair", robot).run().succeeded)
      #expect(try pairings == "\(robot) \(server.pin) \(Self.other)\n" && before == "\(robot) \(server.pin)\n")
      #expect(try server.answered("\"GET /").allSatisfy { $0.contains("/health?live") })
    }
  }

  @Test func `a key can be announced without the robot, taken back, and is never a stranger's`() throws {
    let robot = "robot.test:8443"
    let pins = (1...2).map { Data(repeating: UInt8($0), count: 32).base64EncodedString() }.map { "sha256/\($0)" }
    let unknown = try desk.footage("pair", robot, "--next-pin", Self.other).run()
    #expect(unknown.status == 1 && unknown.errors.contains("is not paired"), "\(unknown.errors)")
    try FileManager.default.createDirectory(atPath: desk.path("config/footage"), withIntermediateDirectories: true)
    try Data("\(robot) \(pins[0])\nother.test:8443 \(pins[1])\n".utf8)
      .write(to: URL(fileURLWithPath: desk.path("config/footage/robots")))
    let announced = try desk.footage("pair", robot, "--next-pin", Self.other).run()
    #expect(announced.succeeded && announced.errors.contains("\(robot) is now also known by the key \(Self.other)"))
    #expect(try desk.footage("pair", robot, "--next-pin", Self.other).run().errors.contains("already"))
    #expect(try pairings == "\(robot) \(pins[0]) \(Self.other)\nother.test:8443 \(pins[1])\n")
    let taken = try desk.footage("pair", robot, "--next-pin", pins[1]).run()
    #expect(taken.status == 1 && taken.errors.contains("the pin of the robot at other.test:8443"), "\(taken.errors)")
    #expect(try desk.footage("pair", robot, "--next-pin", Self.other, "--forget").run().succeeded)
    #expect(try desk.footage("pair", robot, "--next-pin", pins[0], "--forget").run().status == 1)
    #expect(try pairings == "\(robot) \(pins[0])\nother.test:8443 \(pins[1])\n")
  }

  @Test(arguments: [["--next-pin", "x"], ["--forget", "--pin", other], ["--next-pin"]])
  func `a command line that makes no sense is told so`(arguments: [String]) throws {
    let outcome = try FootageProgram.command(
      ["pair", "robot"] + arguments, environment: ["XDG_CONFIG_HOME": desk.path("config")]
    ).run()
    #expect(outcome.status == 64 && outcome.output.isEmpty, "\(outcome.errors)")
  }

  // MARK: A new key, another address

  @Test func `cache and pairing go by the key: they survive a new one that was announced, and a new address`() throws {
    let certs = desk.path("certs")
    try Fixtures.copyCertificates(to: certs)
    var robot = ""
    var served = Data()
    // The file as the first version of the program would have written it.
    try withServer(certs: certs, recordings: ["front/one.mp4"]) { server in
      robot = FetchTests.robot(server)
      served = try server.download("/recordings/front/one.mp4")
      #expect(try desk.footage("pair", robot, "--pin", server.pin).run().succeeded)
      #expect(try pairings == "\(robot) \(server.pin)\n")
      let played = try play("front/one")
      #expect(played.outcome.succeeded && played.bytes == served, "\(played.outcome.errors)")

      try Fixtures.provision("--out", certs, "--next")
      let next = String(try text(of: certs + "/server-next.pin").dropLast())
      #expect(try desk.footage("pair", robot, "--next-pin", next).run().succeeded)
      try Fixtures.provision("--out", certs, "--promote")
      let words = "\(robot) now has the key that was announced: its pin is \(next), and was \(server.pin)"
      try eventually("the next key to be met; log: \(server.story)") {
        let listed = try desk.footage("list", "--robot", robot).run()
        #expect(listed.succeeded && listed.lines.count == 2, "\(listed.errors)")
        return listed.errors == "footage: \(words)\n"
      }
      #expect(try pairings == "\(robot) \(next) earlier:\(server.pin)\n")
      let again = try desk.footage("list", "--robot", robot).run()
      #expect(again.succeeded && again.errors.isEmpty, "\(again.errors)")
      // Recordings that were cached under the former key still play, and none of their bytes is fetched again.
      let requests = try server.requestCount(of: "front/one")
      let after = try play("front/one", "--robot", robot)
      #expect(after.outcome.succeeded && after.bytes == served, "\(after.outcome.errors)")
      #expect(try server.requestCount(of: "front/one") == requests)
      let named = try play("front/one", "--robot", robot, "--pin", next)
      #expect(named.outcome.succeeded && named.bytes == served, "\(named.outcome.errors)")
      #expect(try server.requestCount(of: "front/one") == requests)
      // The former key is compared, and is no longer the robot's.
      let former = try desk.footage("pair", robot, "--pin", server.pin).run()
      #expect(former.status == 1 && former.errors.contains("nothing was changed"), "\(former.errors)")
    }
    try expectCached(served, robot)
    let away = try play("front/one")
    #expect(away.outcome.succeeded && away.bytes == served, "\(away.outcome.errors)")
    let listed = try desk.footage("list").run()
    #expect(listed.status == 1 && listed.errors.contains("--robot HOST:PORT"), "\(listed.errors)")

    try withServer(certs: certs, recordings: ["front/one.mp4", "two.mp4"]) { server in
      let moved = FetchTests.robot(server)
      // No robot was met there yet, and without a connection no robot can prove a key.
      let stranger = try play("front/one", "--offline", "--robot", moved)
      #expect(
        stranger.outcome.status == 1 && stranger.outcome.errors.contains("no paired robot is known at \(moved)"),
        "\(stranger.outcome.errors)")
      let listed = try desk.footage("list", "--robot", moved).run()
      #expect(listed.succeeded && listed.lines.count == 3, "\(listed.errors)")
      #expect(listed.errors == "footage: the robot that was at \(robot) is now at \(moved)\n")
      #expect(try pairings.hasPrefix("\(moved) \(server.pin) earlier:"))
      // The robot need not be named again.
      let fetched = try desk.footage("fetch", "two", "-o", desk.path("two.mp4")).run()
      #expect(fetched.succeeded && fetched.errors.contains("now at \(moved)") == false, "\(fetched.errors)")
      try expectCached(served, moved)
      let told = try desk.footage("pair", moved, "--pin", server.pin).run()
      #expect(told.succeeded && told.errors.contains("already paired"), "\(told.errors)")
    }
    try expectCached(served, nil)
  }

  /// Expects the recording to play without the robot, however the robot is named.
  private func expectCached(_ served: Data, _ robot: String?, sourceLocation: SourceLocation = #_sourceLocation) throws
  {
    let bare = try play("front/one", "--offline")
    #expect(bare.outcome.succeeded && bare.bytes == served, "\(bare.outcome.errors)", sourceLocation: sourceLocation)
    guard let robot else { return }
    let named = try play("front/one", "--offline", "--robot", robot)
    #expect(
      named.outcome.succeeded && named.bytes == served, "\(named.outcome.errors)", sourceLocation: sourceLocation)
  }

  @Test func `without the robot the one that is named is meant, and else the only one that has the recording`() throws {
    for certs in [try Fixtures.certs(), try Fixtures.otherCerts()] {
      try withServer(certs: certs, recordings: ["one.mp4"]) { server in
        #expect(try desk.footage("pair", FetchTests.robot(server), "--pin", server.pin).run().succeeded)
        let played = try play("one", "--robot", FetchTests.robot(server))
        #expect(played.outcome.succeeded && played.bytes?.isEmpty == false, "\(played.outcome.errors)")
      }
    }
    let ambiguous = try play("one", "--offline")
    #expect(ambiguous.outcome.status == 1 && ambiguous.outcome.errors.contains("2 robots have a cached recording one"))
    for line in try pairings.split(separator: "\n") {
      let robot = String(line.prefix { $0 != " " })
      #expect(try play("one", "--offline", "--robot", robot).outcome.succeeded)
    }
    // No robot was met there, so it is neither of the two. If no server answers, the others' recordings do not play.
    for arguments in [["--offline"], []] {
      let unknown = try play("one", arguments + ["--robot", "127.0.0.1:1"])
      #expect(unknown.outcome.status == 1 && unknown.bytes == nil, "\(arguments): \(unknown.outcome.errors)")
    }
    let unknown = try play("one", "--offline", "--robot", "unknown.test")
    #expect(
      unknown.outcome.errors.contains("no paired robot is known at unknown.test:8443"), "\(unknown.outcome.errors)")
    #expect(unknown.outcome.errors.contains("the cache has one of --robot "), "\(unknown.outcome.errors)")
    #expect(try play("two", "--offline").outcome.errors.contains("there is no recording two in the cache"))
    try FileManager.default.removeItem(atPath: desk.path("config/footage/robots"))
    let forgotten = try play("one", "--offline", "--robot", "unknown.test")
    #expect(
      forgotten.outcome.errors.contains("no paired robot is known at unknown.test:8443"), "\(forgotten.outcome.errors)")
  }

  @Test func `a stranger at an address that is not known gets no request, and a paired robot there is found`() throws {
    try withServer(recordings: ["a.mp4"]) { server in
      let robot = FetchTests.robot(server)
      try withServer(certs: try Fixtures.otherCerts(), recordings: ["a.mp4"]) { stranger in
        let there = FetchTests.robot(stranger)
        for paired in ["\(robot) \(server.pin)\n", "robot.test:8443 \(server.pin)\nother.test:8443 \(Self.other)\n"] {
          try FileManager.default.createDirectory(
            atPath: desk.path("config/footage"), withIntermediateDirectories: true)
          try Data(paired.utf8).write(to: URL(fileURLWithPath: desk.path("config/footage/robots")))
          let requests = try stranger.answered("\"GET /").count
          for command in [
            desk.footage("list", "--robot", there), desk.footage("fetch", "a", "--robot", there),
            desk.footage("fetch", "--all", "--robot", there),
          ] {
            let outcome = try command.run()
            #expect(outcome.status == 1 && outcome.output.isEmpty)
            #expect(
              outcome.errors.contains(
                "\(there) shows the key \(stranger.pin), which belongs to none of the paired robots"),
              "\(outcome.errors)")
          }
          #expect(try stranger.answered("\"GET /").count == requests)
          #expect(try pairings == paired)
          let found = try desk.footage("list", "--robot", robot).run()
          #expect(found.succeeded && found.lines.count == 2, "\(found.errors)")
        }
        #expect(
          try pairings == """
            \(robot) \(server.pin)
            # \(server.pin) also:robot.test:8443
            other.test:8443 \(Self.other)

            """)
        // Before it can be paired, its key must be compared like any other.
        #expect(try desk.footage("pair", there).run().status == 1)
        #expect(try desk.footage("pair", there, "--pin", stranger.pin).run().succeeded)
        // The two robots have exchanged their addresses.
        try Data("\(there) \(server.pin)\n\(robot) \(stranger.pin)\n".utf8)
          .write(to: URL(fileURLWithPath: desk.path("config/footage/robots")))
        #expect(try desk.footage("list", "--robot", there).run().status == 1)
        let swapped = try desk.footage("pair", there).run()
        #expect(swapped.succeeded && swapped.errors.contains("is now at \(there)"), "\(swapped.errors)")
        #expect(try pairings == "\(robot) \(server.pin)\n\(there) \(stranger.pin)\n# \(stranger.pin) also:\(robot)\n")
      }
    }
  }
}
