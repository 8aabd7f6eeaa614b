/// `footage clip`: a camera's time as a file, from a robot and from its folder.
import FootageBase
import Foundation
import LinuxTestSupport
import Testing

@Suite struct ClipCommandTests {
  private static let recordings = ["front/2026-11-20T10-15-30.mp4", "rear/2026-11-20T10-15-31.mp4"]
  private static let times = ["--zone", "UTC", "--from", "2026-11-20 10:15:31", "--to", "2026-11-20 10:15:33"]
  private static let target = ".mp4?from=2026-11-20T10:15:31Z&to=2026-11-20T10:15:33Z"

  private func clip(_ server: Server, _ arguments: String...) throws -> Command.Outcome {
    try FootageProgram.command(
      ["clip", "--robot", "127.0.0.1:\(server.port)", "--pin", server.pin] + Self.times + arguments
    ).run()
  }

  @Test func `a clip is what the robot serves, with what it is made of beside it`() throws {
    try withServer("--name-zone", "UTC", "--robot-name", "robot7", recordings: Self.recordings) { server in
      let path = server.folder.path("x.mp4")
      let outcome = try clip(server, "--camera", "front", "-o", path)
      #expect(outcome.succeeded && outcome.output == path + "\n", "\(outcome.errors)")
      let served = try server.answer("/cameras/front" + Self.target).body
      #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == served && !served.isEmpty)
      let beside = try #require(
        JSONValue(Array(try Data(contentsOf: URL(fileURLWithPath: server.folder.path("x.json"))))))
      #expect(beside["camera"]?.string == "front" && beside["robot"]?["name"]?.string == "robot7")

      // The command on the robot's folder gives the same, without a server.
      let own = server.folder.path("own/")
      let local = try FootageProgram.command(
        [
          "clip", "--recordings", server.recordings, "--name-zone", "UTC", "--robot-name", "robot7", "--camera",
          "front",
        ]
          + Self.times + ["-o", own]
      ).run()
      let name = "\(own)robot7_front_2026-11-20T10-15-31+0000.mp4"
      #expect(local.succeeded && local.output == name + "\n", "\(local.errors)")
      #expect(try Data(contentsOf: URL(fileURLWithPath: name)) == served)
    }
  }

  @Test func `all cameras go into one folder, and what recorded nothing is said`() throws {
    try withServer("--name-zone", "UTC", recordings: Self.recordings + ["side/2026-11-20T12-00-00.mp4"]) { server in
      let folder = server.folder.path("all")
      let outcome = try clip(server, "--all-cameras", "-o", folder)
      #expect(
        outcome.succeeded && outcome.errors.contains("side: Nothing playable was recorded"), "\(outcome.errors)")
      let names = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
      #expect(names == ["front.json", "front.mp4", "rear.json", "rear.mp4"])
      let rear = try Data(contentsOf: URL(fileURLWithPath: folder + "/rear.mp4"))
      #expect(try rear == server.answer("/cameras/rear" + Self.target).body)
    }
  }

  @Test func `a time of a camera plays out of its recordings`() throws {
    try withServer("--name-zone", "UTC", recordings: Self.recordings) { server in
      let played = server.folder.path("played")
      func play(_ arguments: String...) throws -> Command.Outcome {
        try FootageProgram.command(
          [
            "play", "--robot", "127.0.0.1:\(server.port)", "--pin", server.pin, "--zone", "UTC", "--cache",
            server.folder.path("cache"),
          ] + arguments
        ).run()
      }
      let part = try play(
        "--camera", "front", "--from", "2026-11-20 10:15:31", "--to", "2026-11-20 10:15:32", "--player",
        "curl -sf -o \(played)")
      #expect(part.succeeded && part.output.hasSuffix("?start=1.000&end=2.000\n"), "\(part.output) \(part.errors)")
      let bytes = try Data(contentsOf: URL(fileURLWithPath: played))
      #expect(try bytes == server.answer("/recordings/front/2026-11-20T10-15-30.mp4?start=1&end=2").body)
      let nothing = try play("--camera", "front", "--from", "2026-11-19", "--to", "2026-11-19 12:00")
      #expect(
        nothing.status == 1 && nothing.errors.contains("recorded nothing playable at that time"), "\(nothing.errors)")
      #expect(try play("--camera", "front").status == 64)
    }
  }

  @Test func `a file that says nothing of a clip is not replaced by what a clip is made of`() throws {
    try withServer("--name-zone", "UTC", recordings: Self.recordings) { server in
      let (path, beside) = (server.folder.path("accident.mp4"), server.folder.path("accident.json"))
      for mine in ["precious", #"{"from": 1, "to": 2, "notes": ["precious"]}"#] {
        try Data(mine.utf8).write(to: URL(fileURLWithPath: beside))
        let outcome = try clip(server, "--camera", "front", "-o", path)
        #expect(outcome.status == 1 && outcome.errors.contains("cannot replace \(beside)"), "\(outcome.errors)")
        #expect(try Data(contentsOf: URL(fileURLWithPath: beside)) == Data(mine.utf8))
        #expect(!FileManager.default.fileExists(atPath: path))
      }
      try FileManager.default.removeItem(atPath: beside)
      // The command replaces files that it made itself.
      for _ in 0..<2 { #expect(try clip(server, "--camera", "front", "-o", path).succeeded) }
    }
  }

  @Test func `what cannot be saved says why`() throws {
    try withServer("--name-zone", "UTC", recordings: Self.recordings) { server in
      let unknown = try clip(server, "--camera", "nix", "-o", server.folder.path("x.mp4"))
      #expect(!unknown.succeeded && unknown.errors.contains("there is no camera 'nix'"), "\(unknown.errors)")
      let both = try clip(server, "--camera", "front", "--all-cameras")
      #expect(both.status == 64 && both.errors.contains("--all-cameras"))
      #expect(!FileManager.default.fileExists(atPath: server.folder.path("x.mp4")))
    }
  }
}
