/// An app's films, clips and pictures from its cache equal the robot's byte for byte, and stay so without a robot.
import FootageClient
import Foundation
import LinuxTestSupport
import Testing

@testable import FootageCore

@Suite struct OfflineFilmTests {
  private static let name = "rear/x"

  private struct Answer: Equatable {
    var status: Int
    var fields: [String: String] = [:]
    var body: Data

    /// The fields that must be equal.
    static let compared = ["content-type", "etag", "cache-control", "content-range", "accept-ranges", "content-length"]
  }

  private static func answer(of command: (String, [String]) throws -> Command, _ url: String, _ arguments: [String])
    async throws -> Answer
  {
    let folder = try TemporaryFolder()
    let body = folder.path("body")
    let outcome = try await command(
      url, ["--silent", "--max-time", "30", "--dump-header", "-", "--output", body] + arguments
    ).finished()
    try #require(outcome.succeeded, "\(url): \(outcome.errors)")
    let lines = outcome.output.split(separator: "\r\n")
    var fields: [String: String] = [:]
    for line in lines.dropFirst() {
      let parts = line.split(separator: ":", maxSplits: 1)
      if parts.count == 2 { fields[parts[0].lowercased()] = parts[1].trimmingCharacters(in: .whitespaces) }
    }
    return Answer(
      status: lines.first?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0,
      fields: fields.filter { Answer.compared.contains($0.key) },
      body: (try? Data(contentsOf: URL(fileURLWithPath: body))) ?? Data())
  }

  private static func ask(_ server: Server, _ target: String, _ arguments: [String] = []) async throws -> Answer {
    let answer = try await answer(of: { server.curl(arguments: $1 + [$0]) }, server.url + target, arguments)
    if answer.status == 200, arguments.isEmpty { ServedMedia.check(target, answer.body) }
    return answer
  }

  /// - Parameter target: the target on the robot.
  private static func ask(_ playback: Playback, _ target: String, _ arguments: [String] = []) async throws -> Answer {
    let place = try playback.filmLink().prefix { $0 != "?" }.replacing("/recordings/\(name).m3u8", with: "")
    return try await answer(of: { Command("curl", arguments: $1 + [$0]) }, place + target, arguments)
  }

  private static func bodies(_ targets: [String], _ body: (String) async throws -> Data) async throws -> [Data] {
    var bodies: [Data] = []
    for target in targets { bodies.append(try await body(target)) }
    return bodies
  }

  private static func robot(_ server: Server, _ cache: MediaCache) throws -> RobotConnection {
    try RobotConnection(
      to: FetchTests.robot(server), trusting: .pinned([try .spki(server.pin)]), cache: cache)
  }

  /// Returns all targets of a recording, which its playlists name.
  private static func targets(_ server: Server) async throws -> (playlists: [String], parts: [String], movies: [String])
  {
    let playlists = ["m3u8", "media.m3u8", "iframes.m3u8"].map { "/recordings/\(name).\($0)" }
    var parts: [String] = []
    for playlist in playlists.dropFirst() {
      let text = String(decoding: try await ask(server, playlist).body, as: UTF8.self)
      for match in text.matches(of: #/\.\./\.\./(hls/[^"\n]+)/#) { parts.append("/\(match.1)") }
    }
    let movies = ["start=1.5&end=8.25", "start=12", "keyframe=7.3", "keys=2&speed=4"].map {
      "/recordings/\(name).mp4?\($0)"
    }
    // A camera's film may list these.
    let folder = try #require(parts.first { $0.hasSuffix("/init.mp4") }?.dropLast("init.mp4".utf8.count))
    let silent = ["silent-aac/init.mp4", "silent-opus/0.m4s", "silent-flac/1.m4s", "mute/1.m4s"].map {
      "\(folder)\($0)"
    }
    return (playlists, parts, movies + silent)
  }

  /// Runs a test with a robot whose recording plays for 20 seconds with a key frame each second, so that its film has
  /// several segments.
  private static func withRobot(
    _ options: [String], _ body: (Server, TemporaryFolder) async throws -> Void
  ) async throws {
    let folder = try TemporaryFolder()
    try FileManager.default.createDirectory(
      atPath: folder.path("recordings/rear"), withIntermediateDirectories: true)
    try Fixtures.record(seconds: 20, to: folder.path("recordings/\(name).mp4"), options)
    let server = try Server([], folder: folder)
    defer { server.kill() }
    _ = try server.waitForState("ready", of: name)
    try await body(server, folder)
  }

  @Test(
    .timeLimit(.minutes(2)),
    arguments: [
      [], ["-movflags", "+faststart"], ["-movflags", "frag_keyframe+empty_moov+default_base_moof"],
    ])
  func `every view is the robot's, and the same when that is off`(options: [String]) async throws {
    try await Self.withRobot(options) { server, folder in
      let (playlists, parts, movies) = try await Self.targets(server)
      #expect(parts.count > 20)
      let all = playlists + parts + movies
      var expected: [String: Answer] = [:]
      for target in all { expected[target] = try await Self.ask(server, target) }
      let cache = try MediaCache(at: folder.path("cache"), quota: .gigabytes(1))
      do {
        let playback = try await Self.robot(server, cache).playback(of: Self.name)
        for target in all {
          #expect(try await Self.ask(playback, target) == expected[target], "\(target)")
        }
        // Ranges, conditions and HEAD equal the robot's as well.
        for target in [playlists[1], parts[1], movies[0], movies[2]] {
          let tag = try #require(expected[target]?.fields["etag"])
          for arguments in [
            ["--range", "10-29"], ["--range", "-7"], ["--range", "0-0,20-29"], ["--head"],
            ["--header", "If-None-Match: \(tag)"], ["--header", "If-Range: \"x\"", "--range", "1-2"],
          ] {
            let (here, there) = (
              try await Self.ask(playback, target, arguments), try await Self.ask(server, target, arguments)
            )
            #expect(here.status == there.status, "\(target) \(arguments)")
            #expect(here.fields["content-range"] == there.fields["content-range"], "\(target) \(arguments)")
            #expect(here.fields["content-length"] == there.fields["content-length"], "\(target) \(arguments)")
            // curl writes the head for HEAD, and multipart answers have a new boundary each time.
            if arguments != ["--head"], arguments.last != "0-0,20-29" {
              #expect(here.body == there.body, "\(target) \(arguments)")
            }
          }
        }
        for target in [
          "/hls/0123456789abcdef/0.m4s", parts[1].replacing(#/[0-9]+\.m4s/#, with: "999.m4s"),
          "/recordings/\(Self.name).mp4?start=500", "/recordings/\(Self.name).mp4?start=x",
          "/recordings/\(Self.name).mp4?v=0123456789abcdef&start=1",
        ] {
          #expect(try await Self.ask(playback, target).status == Self.ask(server, target).status, "\(target)")
        }
        try await playback.download()
      }
      await cache.close()
      try server.stop()
      let later = try MediaCache(at: folder.path("cache"), quota: .gigabytes(1))
      let playback = try await later.playback(of: #require(await later.entries().first?.key))
      for target in all {
        #expect(try await Self.ask(playback, target) == expected[target], "offline \(target)")
      }
      #expect(try await Self.ask(playback, "/recordings/\(Self.name).mp4").body.count == Int(playback.version.length))
    }
  }

  @Test(.timeLimit(.minutes(2))) func `what was seen of a film is seen again without the robot`() async throws {
    try await Self.withRobot([]) { server, folder in
      let (playlists, parts, _) = try await Self.targets(server)
      let segments = parts.filter { $0.contains(#/\/[0-9]+\.m4s/#) }
      let seen = playlists + [parts[0]] + segments.prefix(2)
      let cache = try MediaCache(at: folder.path("cache"), quota: .gigabytes(1))
      var expected: [String: Answer] = [:]
      do {
        let robot = try Self.robot(server, cache)
        let playback = try await robot.playback(of: try await robot.recording(Self.name))
        for target in seen { expected[target] = try await Self.ask(playback, target) }
        #expect(!playback.state.isComplete)
      }
      await cache.close()
      try server.stop()
      let later = try MediaCache(at: folder.path("cache"), quota: .gigabytes(1))
      let playback = try await later.playback(of: #require(await later.entries().first?.key))
      for target in seen { #expect(try await Self.ask(playback, target) == expected[target], "\(target)") }
      let last = try await Self.ask(playback, try #require(segments.last))
      #expect(last.status == 502 && String(decoding: last.body, as: UTF8.self).contains("only partly cached"))
    }
  }

  @Test(.timeLimit(.minutes(2)))
  func `a damaged or lost index is fetched again, or made of the recording`()
    async throws
  {
    try await Self.withRobot([]) { server, folder in
      let (playlists, parts, movies) = try await Self.targets(server)
      let cache = try MediaCache(at: folder.path("cache"), quota: .gigabytes(1))
      let media = folder.path("cache/media")
      func index() throws -> String {
        media + "/"
          + (try #require(try FileManager.default.contentsOfDirectory(atPath: media).first { $0.hasSuffix(".index") }))
      }
      func damage() throws {
        var bytes = try Data(contentsOf: URL(fileURLWithPath: index()))
        bytes[bytes.count / 2] ^= 0x40
        try bytes.write(to: URL(fileURLWithPath: index()))
      }
      let expected = try await Self.ask(server, playlists[1])
      let robot = try Self.robot(server, cache)
      do {
        let playback = try await robot.playback(of: Self.name)
        #expect(try await Self.ask(playback, playlists[1]) == expected)
        try await playback.download()
      }
      let path = try index()
      let whole = try Data(contentsOf: URL(fileURLWithPath: path))
      try damage()
      do {
        let playback = try await robot.playback(of: Self.name)
        #expect(try await Self.ask(playback, playlists[1]) == expected)
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == whole)
      }
      try damage()
      #expect(try await cache.verify().allSatisfy(\.damagedBytes.isEmpty))
      #expect(!FileManager.default.fileExists(atPath: path))
      let there = try await Self.bodies(parts + movies) { try await Self.ask(server, $0).body }
      try server.stop()
      let playback = try await cache.playback(of: #require(await cache.entries().first?.key))
      #expect(try await Self.ask(playback, playlists[1]) == expected)
      #expect(try await Self.bodies(parts + movies) { try await Self.ask(playback, $0).body } == there)
    }
  }

  @Test(.timeLimit(.minutes(2))) func `a time is fetched by the index alone, and plays without the robot`() async throws
  {
    try await Self.withRobot(["-movflags", "+faststart"]) { server, folder in
      let (playlists, parts, _) = try await Self.targets(server)
      let cache = try MediaCache(at: folder.path("cache"), quota: .gigabytes(1))
      let robot = try Self.robot(server, cache)
      let playback = try await robot.playback(of: try await robot.recording(Self.name))
      try await playback.preload(secondsOfFilm: 7..<8)
      // The recording begins with `ftyp` and `moov`, of which nothing was fetched.
      let cached = playback.state.cachedBytes
      let bytes = cached.reduce(0) { $0 + ($1.upperBound - $1.lowerBound) }
      #expect(!cached.isEmpty && cached.allSatisfy { $0.lowerBound > 5_000 }, "\(cached)")
      #expect(bytes < playback.version.length / 2, "\(cached) of \(playback.version.length)")
      var seconds: [Range<Double>]?
      for await state in playback.states() where state.cachedSeconds != nil {
        seconds = state.cachedSeconds
        break
      }
      #expect(seconds?.count == 1 && seconds?.first?.contains(7.5) == true && seconds?.first?.contains(2) == false)
      let head = try #require(parts.first { $0.hasSuffix("/init.mp4") })
      let segment = try #require(parts.first { $0.hasSuffix("/1.m4s") })
      let expected = try await Self.bodies([playlists[1], head, segment]) { try await Self.ask(server, $0).body }
      try server.stop()
      #expect(
        try await Self.bodies([playlists[1], head, segment]) { try await Self.ask(playback, $0).body } == expected)
    }
  }
}
