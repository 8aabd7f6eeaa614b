/// A camera's time in the app's proxy and with `footage play --camera`: across recordings, a gap, and a growing
/// recording.
import FootageClient
import Foundation
import LinuxTestSupport
import Testing

@testable import FootageCore

@Suite struct CameraPlayTests {
  /// The starts of two consecutive recordings of 13 s and of one after a gap, all from an hour ago.
  private static let starts = ["2026-11-20T14-00-00Z", "2026-11-20T14-00-13Z", "2026-11-20T14-02-00Z"]
  private static let from = UnixTime(seconds: 1_795_183_202)
  private static let to = UnixTime(seconds: 1_795_183_500)

  private static func get(_ url: String, _ arguments: [String] = []) async throws -> (status: Int, body: Data) {
    let folder = try TemporaryFolder()
    let outcome = try await Command(
      "curl",
      arguments: ["--silent", "--max-time", "60", "--output", folder.path("body"), "--write-out", "%{http_code}"]
        + arguments + [url]
    ).finished()
    let body = (try? Data(contentsOf: URL(fileURLWithPath: folder.path("body")))) ?? Data()
    if outcome.output == "200", arguments.isEmpty { ServedMedia.check(url, body) }
    return (Int(outcome.output) ?? 0, body)
  }

  private static func withRobot(_ body: (Server, TemporaryFolder) async throws -> Void) async throws {
    let folder = try TemporaryFolder()
    try FileManager.default.createDirectory(
      atPath: folder.path("recordings/rear"), withIntermediateDirectories: true)
    for start in starts { try Fixtures.record(seconds: 13, to: folder.path("recordings/rear/\(start).mp4"), []) }
    let server = try Server([], folder: folder)
    defer { server.kill() }
    for start in starts { try server.waitForState("ready", of: "rear/\(start)") }
    try await body(server, folder)
  }

  private static func robot(_ server: Server, _ cache: MediaCache) throws -> RobotConnection {
    try RobotConnection(
      to: FetchTests.robot(server), trusting: .pinned([try .spki(server.pin)]), cache: cache)
  }

  /// Returns the parts in the order of the playlist, relative to the folder above it.
  private static func parts(of list: Data) -> [String] {
    let text = String(decoding: list, as: UTF8.self)
    var parts: [String] = []
    for match in text.matches(of: #/\.\./(hls/[^"\n]+)/#) where parts.last != String(match.1) {
      parts.append(String(match.1))
    }
    return parts
  }

  @Test(.timeLimit(.minutes(2))) func `a camera's film is the robot's, and what was seen of it stays`() async throws {
    try await Self.withRobot { server, folder in
      let cache = try MediaCache(at: folder.path("cache"), quota: .gigabytes(1))
      let playback = try await Self.robot(server, cache).playback(ofCamera: "rear", from: Self.from, to: Self.to)
      #expect(playback.timeline.spans.map(\.recordings.count) == [2, 1])
      let url = try playback.filmLink()
      let place = try #require(url.range(of: "cameras/")).lowerBound
      let target = "/" + url[place...]
      let list = try await Self.get(url)
      #expect(list.status == 200 && String(decoding: list.body, as: UTF8.self).contains("#EXT-X-ENDLIST"))
      #expect(try server.answer(target).body == list.body)
      let parts = Self.parts(of: list.body)
      #expect(parts.count >= 9 && Set(parts.map { $0.split(separator: "/")[1] }).count == 3)
      var seen: [String: Data] = [:]
      for part in parts {
        let answer = try await Self.get(url[..<place] + part)
        #expect(try answer.status == 200 && answer.body == server.answer("/\(part)").body, "\(part)")
        seen[part] = answer.body
      }
      #expect(playback.playbacks.map(\.key.name) == Self.starts.map { "rear/\($0)" })
      // Only this film is served.
      for other in ["hls/0123456789abcdef/0.m4s", "recordings/rear/\(Self.starts[0]).mp4", "cameras/rear.json", "x"] {
        #expect(try await Self.get(url[..<place] + other).status == 404, "\(other)")
      }
      #expect(try await Self.get(url.replacing("rear.m3u8", with: "front.m3u8")).status == 404)
      try server.stop()
      #expect(try await Self.get(url).body == list.body)
      for part in parts { #expect(try await Self.get(url[..<place] + part).body == seen[part], "offline \(part)") }
    }
  }

  @Test(.timeLimit(.minutes(2))) func `a camera's film goes on in the app while it is recorded`() async throws {
    let bytes = try GrowingRecorder.source.get()
    try await Self.withRobot { server, folder in
      let recorder = try GrowingRecorder(bytes, to: server.file("rear/now.mp4"))
      try recorder.write(upTo: 0.6)
      let id = try server.liveID(of: "rear/now")
      let cache = try MediaCache(at: folder.path("cache"), quota: .gigabytes(1))
      let playback = try await Self.robot(server, cache).playback(
        ofCamera: "rear", from: UnixTime(seconds: Int64(Date().timeIntervalSince1970) - 3_600))
      let url = try playback.filmLink()
      let place = try #require(url.range(of: "cameras/")).lowerBound
      let early = Self.parts(of: try await Self.get(url).body)
      #expect(early.count == 3 && early.allSatisfy { $0.hasPrefix("hls/\(id)/") })
      try recorder.write(upTo: 1)
      try recorder.close()
      try server.waitForState("ready", of: "rear/now")
      let later = try await Self.get(url)
      // The film goes on, or it is that of the complete recording, which is cut at key frames only.
      let now = Self.parts(of: later.body)
      let isSame = now.contains { $0.hasPrefix("hls/\(id)/") }
      #expect(now.count > (isSame ? early.count : 1), "\(now)")
      for part in Self.parts(of: later.body) {
        let answer = try await Self.get(url[..<place] + part)
        #expect(try answer.status == 200 && answer.body == server.answer("/\(part)").body, "\(part)")
      }
      #expect(playback.playbacks.isEmpty)
      try server.stop()
      #expect(try await Self.get(url).body == later.body)
      let gone = try await Self.get(url[..<place] + early[1])
      #expect(gone.status == 502 && String(decoding: gone.body, as: UTF8.self).contains("cannot be reached"))
    }
  }

  @Test(.timeLimit(.minutes(2))) func `a time without an end may begin before the longest film`()
    async throws
  {
    let start = UnixTime(seconds: Int64(Date().timeIntervalSince1970) - 30 * 3_600)
    let name = "rear/\(start.description.replacing(":", with: "-"))"
    try await Self.withRobot { server, folder in
      try Fixtures.record(seconds: 13, to: server.file("\(name).mp4"), [])
      try server.waitForState("ready", of: name)
      let cache = try MediaCache(at: folder.path("cache"), quota: .gigabytes(1))
      let playback = try await Self.robot(server, cache).playback(ofCamera: "rear", from: start)
      #expect(playback.timeline.to == UnixTime(seconds: start.seconds + 26 * 3_600))
      let list = try await Self.get(try playback.filmLink())
      // The playlist ends where the 26 hours do, although that is not the present.
      #expect(list.status == 200 && String(decoding: list.body, as: UTF8.self).contains("#EXT-X-ENDLIST"))
      #expect(Self.parts(of: list.body).count > 3)
    }
  }

  @Test(.timeLimit(.minutes(2))) func `a clip that ends ahead of the robot's clock has what was recorded`() async throws
  {
    let start = UnixTime(seconds: Int64(Date().timeIntervalSince1970) - 60)
    let name = "rear/\(start.description.replacing(":", with: "-"))"
    try await Self.withRobot { server, folder in
      try Fixtures.record(seconds: 13, to: server.file("\(name).mp4"), [])
      try server.waitForState("ready", of: name)
      let robot = try RobotConnection(to: FetchTests.robot(server), trusting: .pinned([try .spki(server.pin)]))
      let from = UnixTime(seconds: start.seconds + 3)
      func clip(to end: Int64) async throws -> Data {
        let path = folder.path("until-\(end).mp4")
        let clip = try robot.clip(ofCamera: "rear", from: from, to: UnixTime(seconds: start.seconds + end))
        try await clip.download(to: path)
        return try Data(contentsOf: URL(fileURLWithPath: path))
      }
      #expect(try await clip(to: 3_600) == clip(to: 13))
      await #expect(throws: RobotError.self) {
        try await robot.clip(ofCamera: "nobody", from: from, to: UnixTime(seconds: start.seconds + 3_600))
          .download(to: folder.path("none.mp4"))
      }
    }
  }

  @Test(.timeLimit(.minutes(2))) func `a time without footage is said when it is opened`() async throws {
    try await Self.withRobot { server, folder in
      let robot = try Self.robot(server, try MediaCache(at: folder.path("cache"), quota: .gigabytes(1)))
      await #expect {
        _ = try await robot.playback(ofCamera: "rear", from: UnixTime(seconds: 1_000), to: UnixTime(seconds: 2_000))
      } throws: {
        guard case .notFound(name: "rear", code: "no-footage", reason: _)? = $0 as? RobotError else { return false }
        return true
      }
      await #expect(throws: RobotError.self) {
        _ = try await robot.playback(ofCamera: "nobody", from: Self.from, to: Self.to)
      }
    }
  }

  @Test(.timeLimit(.minutes(2))) func `a command plays a time of a camera, and what is being recorded`() async throws {
    let bytes = try GrowingRecorder.source.get()
    try await Self.withRobot { server, folder in
      let recorder = try GrowingRecorder(bytes, to: server.file("rear/now.mp4"))
      try recorder.write(upTo: 0.6)
      _ = try server.liveID(of: "rear/now")
      func play(_ player: String, _ times: String...) throws -> [String] {
        let command = FootageProgram.command(
          ["play", "--camera", "rear", "--cache", folder.path("cache"), "--robot", "127.0.0.1:\(server.port)", "--pin"]
            + [server.pin, "--player", player] + times,
          environment: ["XDG_CONFIG_HOME": folder.path("config")])
        let outcome = try command.run()
        #expect(outcome.succeeded, "\(outcome.errors)")
        return outcome.output.split(separator: "\n").map(String.init)
      }
      let past = try play("true", "--from", "2026-11-20T14:00:02Z", "--to", "2026-11-20T14:05:00Z")
      #expect(past.count { $0.hasPrefix("http://127.0.0.1:") } == 3, "\(past)")
      #expect(past.first?.hasSuffix(".mp4?start=2.000&end=13.000") == true, "\(past)")
      let counting = "ffprobe -v error -count_packets -show_entries stream=nb_read_packets -o \(folder.path("count"))"
      let now = try play(counting, "--from", "10 min ago")
      #expect(now.count { $0.contains("/cameras/rear.m3u8?from=") } == 1, "\(now)")
      // 20 packets per second, from the complete fragments.
      let count = try String(contentsOfFile: folder.path("count"), encoding: .utf8)
      let packets = count.matches(of: /nb_read_packets=([0-9]+)/).compactMap { Int($0.1) }
      #expect(packets.contains { $0 >= 200 }, "\(count)")
    }
  }
}
