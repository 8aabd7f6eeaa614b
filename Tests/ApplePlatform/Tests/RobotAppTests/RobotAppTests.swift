/// An app on a real robot: its calls go over Network's connections and through the cache, and the results reach
/// AVFoundation.
import AVFoundation
import FootageClient
import FootageCore
import Foundation
import LinuxTestSupport
import Testing

@MainActor @Suite(.enabled(if: ServedRobot.binary != nil), .serialized, .timeLimit(.minutes(5)))
struct RobotAppTests {
  private static let names = ["front/one", "front/two"]

  private let folder: TemporaryFolder
  private let pairings: PairingStore
  private let cache: MediaCache

  init() throws {
    folder = try TemporaryFolder()
    pairings = PairingStore(folder: folder.path("pairings"))
    cache = try MediaCache(at: URL(fileURLWithPath: folder.path("cache")), quota: .gigabytes(1))
  }

  /// Pairs with the robot, as a person does who can see its console.
  private func pair(with robot: ServedRobot) async throws {
    let shown = try await RobotConnection.shownPin(at: robot.address)
    #expect(shown.description == robot.pin)
    try pairings.remember(shown, of: try #require(RobotAddress(robot.address)))
  }

  private func connect(
    to robot: ServedRobot, as identity: IdentitySource? = nil
  ) async throws(RobotError) -> RobotConnection {
    try await RobotConnection(
      toPaired: robot.address, in: pairings, as: identity, cache: cache,
      retrying: RetryPolicy(retries: 0, downloads: .retries))
  }

  /// Waits until the robot has examined its folder.
  private func ready(_ connection: RobotConnection) async throws -> [RobotRecording] {
    var ready: [RobotRecording] = []
    try await eventually("its recordings") { () async throws -> Bool in
      ready = []
      for try await recording in connection.recordings(state: .ready) { ready.append(recording) }
      return ready.count == Self.names.count
    }
    return ready
  }

  /// Returns the bytes that a player receives when it asks for a part.
  private func bytes(
    of playback: Playback, from offset: Int64 = 0, length: Int? = nil, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> [UInt8] {
    let asset = try #require(try await playback.playerItem().asset as? RecordingAsset)
    let request = asset.resourceLoader.ask(from: offset, length: length, wantsInformation: true)
    try await eventually("the end of a request", sourceLocation: sourceLocation) { () async -> Bool in
      request.outcome.isFinished
    }
    #expect(request.outcome.faults.isEmpty && request.outcome.error == nil, sourceLocation: sourceLocation)
    return request.outcome.bytes
  }

  @Test func `it pairs, lists, plays, seeks, shows, cuts, keeps, and plays without the robot`() async throws {
    let robot = try ServedRobot(Self.names, certs: try Fixtures.certs())
    try await pair(with: robot)
    let connection = try await connect(to: robot)
    var metrics = connection.metrics().makeAsyncIterator()
    let listed = try await ready(connection)
    let first = try #require(await metrics.next())
    #expect(try #require(first.timeToConnection) <= #require(first.timeToAnswer))
    #expect(Set(listed.map(\.name)) == Set(Self.names))
    let served = try await robot.served("front/one")

    let playback = try await connection.playback(of: "front/one")
    #expect(try await bytes(of: playback) == served)
    #expect(try await bytes(of: playback, from: 50_000, length: 4_321) == Array(served[50_000..<54_321]))

    let picture = try await connection.keyFrameImage(of: "front/two", at: 3)
    #expect(picture.width == 320 && picture.height == 240)

    let start = try #require(listed.map(\.startedAt).min())
    let day = DateInterval(start: start.date.addingTimeInterval(-60), duration: 3_600)
    #expect(try await connection.timeline(camera: "front", in: day).spans.flatMap(\.recordings).count == 2)
    let film = try await connection.playback(ofCamera: "front", from: start.date, to: start.date.addingTimeInterval(5))
    #expect((try await film.playerItem().asset as? CameraAsset)?.playback === film)
    let clip = URL(fileURLWithPath: folder.path("clip.mp4"))
    try await connection.clip(of: "front/two", seconds: 1..<3).download(to: clip.path)
    #expect(try Data(contentsOf: clip).count > 1_000)

    try await playback.download()
    robot.switchOff()
    let kept = try await connect(to: robot).cachedPlayback(of: "front/one")
    #expect(try await bytes(of: kept) == served)
    #expect(kept.state.situation(at: 2) == .playing)
    await #expect(throws: RobotError.self) { try await connection.playback(of: "front/two") }
  }

  /// Returns everything that an HLS player requests: a playlist, the files that it names, and so on.
  private static func film(at url: String, _ get: (String) async throws -> [UInt8]) async throws -> [String: [UInt8]] {
    var found: [String: [UInt8]] = [:]
    var wanted = [String(try #require(url.split(separator: "/").last))]
    let folder = url.dropLast(wanted[0].count)
    while let name = wanted.popLast() {
      let bytes = try await get(folder + name)
      found[name] = bytes
      guard name.hasSuffix(".m3u8") else { continue }
      for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
        let named =
          line.hasPrefix("#") ? line.split(separator: "URI=\"").dropFirst().first?.prefix { $0 != "\"" } : line
        if let named, found[String(named)] == nil { wanted.append(String(named)) }
      }
    }
    return found
  }

  @Test func `a film is served as the robot serves it, also without the robot`() async throws {
    let robot = try ServedRobot(Self.names, certs: try Fixtures.certs())
    try await pair(with: robot)
    let connection = try await connect(to: robot)
    _ = try await ready(connection)
    let expected = try await Self.film(at: "https://\(robot.address)/recordings/front/one.m3u8") {
      try await ServedRobot.fetched($0)
    }
    // There are at least two playlists, an initialization segment and media segments.
    #expect(expected.count > 4 && expected.keys.contains { $0.hasSuffix(".m4s") })
    let playback = try await connection.playback(of: "front/one")
    let url = try playback.filmURL().absoluteString
    #expect(url.hasPrefix("http://127.0.0.1:"))
    #expect(try await Self.film(at: url) { try await ServedRobot.fetched($0) } == expected)
    try await playback.download()
    robot.switchOff()
    let kept = try await connect(to: robot).cachedPlayback(of: "front/one")
    #expect(try await Self.film(at: kept.filmURL().absoluteString) { try await ServedRobot.fetched($0) } == expected)
  }

  @Test func `somebody else in the robot's place is an alarm, and what is here plays`() async throws {
    let robot = try ServedRobot(Self.names, certs: try Fixtures.certs())
    try await pair(with: robot)
    let connection = try await connect(to: robot)
    _ = try await ready(connection)
    let served = try await robot.served("front/one")
    try await (try await connection.playback(of: "front/one")).download()
    robot.switchOff()
    let impostor = try ServedRobot(Self.names, certs: try Fixtures.otherCerts(), at: robot.address)
    let other = try await connect(to: impostor)
    let playback = try await other.playback(of: "front/one")
    #expect(try await bytes(of: playback) == served)
    try await eventually("the alarm") { () async -> Bool in
      if case .playingAlone(.trust(let failure)) = playback.state.situation(at: 0) {
        failure.reason == .otherKey
      } else {
        false
      }
    }
    await #expect {
      _ = try await other.playback(of: "front/two")
    } throws: { error in
      if case .trust = error as? RobotError { true } else { false }
    }
  }

  @Test func `a robot that asks who this is lets in whom it knows`() async throws {
    let certs = try Fixtures.certs()
    let robot = try ServedRobot(Self.names, certs: certs, "--client-auth", "require")
    try await pair(with: robot)
    let stranger = try await connect(to: robot)
    await #expect(throws: RobotError.identity(.needed)) { _ = try await stranger.recording("front/one") }
    let content = try Data(contentsOf: URL(fileURLWithPath: "\(certs)/clients/alice.p12"))
    let alice = try await connect(to: robot, as: .pkcs12(content, passphrase: Fixtures.passphrase))
    _ = try await ready(alice)
    let playback = try await alice.playback(of: "front/two")
    #expect(try await bytes(of: playback).count == Int(playback.version.length))
  }
}
