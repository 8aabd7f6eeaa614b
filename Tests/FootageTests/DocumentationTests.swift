/// The documentation's app on a real robot: the code of "From an empty app to a playing video", in its order.
import FootageClient
import Foundation
import Synchronization
import LinuxTestSupport
import Testing

@testable import DocumentationExamples

@Suite(.timeLimit(.minutes(3))) struct DocumentationTests {
  private static func address(_ server: Server) throws -> RobotAddress {
    try #require(RobotAddress("127.0.0.1:\(server.port)"))
  }

  /// Returns the bytes that curl receives for a URL.
  private static func bytes(of url: String, in folder: TemporaryFolder) async throws -> Data {
    let target = folder.path("fetched-\(UUID().uuidString)")
    let outcome = try await Command(
      "curl", "--silent", "--show-error", "--fail", "--max-time", "60", "--output", target, url
    ).finished()
    try #require(outcome.succeeded, "\(outcome.errors)")
    return try Data(contentsOf: URL(fileURLWithPath: target))
  }

  private static func status(of url: String) async throws -> String {
    try await Command("curl", "--silent", "--output", "/dev/null", "--write-out", "%{http_code}", url).finished().output
  }

  /// Returns the frames that ffmpeg decodes.
  private static func frames(of input: String) async throws -> [String] {
    let outcome = try await Command(
      "ffmpeg", "-nostdin", "-v", "error", "-i", input, "-map", "0", "-fps_mode:v", "passthrough", "-f", "framemd5", "-"
    ).finished()
    try #require(outcome.succeeded, "\(outcome.errors)")
    return outcome.lines.filter { !$0.hasPrefix("#") }
  }

  @MainActor
  @Test func `an app pairs, connects, lists, plays, keeps, downloads and goes offline`() async throws {
    let folder = try TemporaryFolder()
    let server = try Server()
    defer { server.kill() }
    for name in ["front/one", "front/two", "back/three"] {
      try server.addClip(name + ".mp4")
      try server.waitForState("ready", of: name)
    }
    let served = try server.download("/recordings/front/one.mp4")
    let address = try Self.address(server)

    let pairings = PairingStore(folder: folder.path("pairings"))
    #expect(try await !pair(with: address, in: pairings) { _ in false })
    await #expect(throws: RobotError.pairing(.notPaired(robot: address.description))) {
      try await RobotConnection(toPaired: address.description, in: pairings)
    }
    #expect(try await pair(with: address, in: pairings) { $0.description == server.pin })
    let cacheFolder = URL(fileURLWithPath: folder.path("cache"))
    let cache = try await openCache(in: cacheFolder)
    let paired = try await connect(toPaired: address.description, in: pairings, cache: cache)
    #expect(try await paired.recording("front/one").size == UInt64(served.count))
    let next = "sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
    try announce(next, of: address, in: pairings)
    #expect(try pairings.pins(of: address).map(\.description) == [server.pin, next])
    #expect(throws: MalformedPin.self) { try announce("no pin", of: address, in: pairings) }

    let robot = try connect(to: address.description, pin: server.pin, cache: cache)
    let listed = try await recordings(of: robot, camera: "front", since: Date(timeIntervalSince1970: 0))
    #expect(Set(listed.map(\.name)) == ["front/one", "front/two"])
    #expect(try await recordings(of: robot, camera: "front", since: .distantFuture.addingTimeInterval(-1)).isEmpty)

    try await play(served, from: robot, in: folder)
    try await preload(["front/two"], of: robot)
    try await keep("front/two", of: robot, in: cache)
    try await complete(try await robot.playback(of: "back/three"))
    try await wait(for: "what was played to be put away", in: cache)
    #expect(await offlineRecordings(in: cache).map(\.key.name).sorted() == ["back/three", "front/one", "front/two"])
    #expect(await cache.entries().filter(\.isKept).map(\.key.name) == ["front/two"])

    let shown = Mutex<[Int]>([])
    let file = URL(fileURLWithPath: folder.path("one.mp4"))
    try await save("front/one", of: robot, to: file) { percent, _ in shown.withLock { $0.append(percent) } }
    #expect(try Data(contentsOf: file) == served)
    #expect(shown.withLock { $0.last == 100 && $0 == $0.sorted() })

    try server.stop()
    let entry = try #require(await offlineRecordings(in: cache).first { $0.key.name == "front/one" })
    let offline = try await open(entry, in: cache)
    #expect(try await Self.bytes(of: offline.playerLink(), in: folder) == served)
    #expect(try Data(contentsOf: URL(fileURLWithPath: entry.path)) == served)
    let again = try await robot.playback(of: "front/two")
    #expect(try await Self.bytes(of: again.playerLink(), in: folder) == served)
    // A URL is valid only while its playback exists.
    withExtendedLifetime((offline, again)) {}
    await cache.close()
    #expect(await offlineRecordings(in: try openCache(in: cacheFolder)).count == 3)
  }

  /// Plays `front/one` on a screen, with ffmpeg as its player.
  @MainActor
  private func play(_ served: Data, from robot: RobotConnection, in folder: TemporaryFolder) async throws {
    var url = ""
    var screen: PlayerScreen? = try await PlayerScreen("front/one", of: robot) { url = $0.absoluteString }
    #expect(try await Self.frames(of: url) == Self.frames(of: Fixtures.clip()))
    #expect(try await Self.bytes(of: url, in: folder) == served)
    try await eventually("all of it to be cached; it says \(screen?.status ?? "")") { () async -> Bool in
      screen?.status == "Plays without the robot" && screen?.cached.isEmpty == false
    }
    let state = try await robot.playback(of: "front/one").state
    let duration = try #require(state.duration)
    #expect(duration > 7.9 && duration < 8.2 && screen?.cached == [0..<duration])
    #expect(ahead(of: 2, in: state) == duration - 2)
    screen?.close()
    screen = nil
    try await eventually("the URL to end") { try await Self.status(of: url) == "404" }
  }

  /// Waits until the cache is complete. Nothing is playing, so everything that was fetched is on disk then.
  @MainActor
  private func wait(for what: String, in cache: MediaCache) async throws {
    try await eventually(what) { await cache.entries().allSatisfy(\.isComplete) }
  }

  @Test func `the present pin or the next is enough, and another one is told`() async throws {
    let folder = try TemporaryFolder()
    let server = try Server()
    defer { server.kill() }
    try server.addClip("a.mp4")
    try server.waitForState("ready", of: "a")
    let address = try Self.address(server).description
    let cache = try await openCache(in: URL(fileURLWithPath: folder.path("cache")))
    let other = "sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
    for (pin, next) in [(server.pin, other), (other, server.pin)] {
      let robot = try connect(to: address, pin: pin, nextPin: next, earlierPins: [other], cache: cache)
      #expect(try await robot.recording("a").state == .ready)
    }
    let stranger = try connect(to: address, pin: other, cache: cache)
    let error = await #expect(throws: RobotError.self) { try await stranger.recording("a") }
    #expect(error.map(remedy) == .compareWithConsole)
    let robot = try connect(to: address, pin: server.pin, cache: cache)
    let missing = await #expect(throws: RobotError.self) { try await robot.playback(of: "b") }
    #expect(missing.map(remedy) == .loadListAgain)
    try server.stop()
  }

  @Test func `an app with an identity is let in, and one without is told`() async throws {
    let folder = try TemporaryFolder()
    let server = try Server(["--client-auth", "require"])
    defer { server.kill() }
    try server.addClip("a.mp4")
    let address = try Self.address(server).description
    let cache = try await openCache(in: URL(fileURLWithPath: folder.path("cache")))
    let policy = try TrustPolicy.pinned([.spki(server.pin)])
    let p12 = URL(fileURLWithPath: try Fixtures.certs() + "/clients/alice.p12")
    let robot = try await connect(
      to: address, trusting: policy, as: p12, passphrase: Fixtures.passphrase, cache: cache)
    // Before the folder was scanned, there is no recording of that name.
    try await eventually("the recording") { (try? await robot.recording("a"))?.state == .ready }
    let wrong = await #expect(throws: RobotError.identity(.wrongPassphrase)) {
      try await connect(to: address, trusting: policy, as: p12, passphrase: "wrong", cache: cache)
    }
    #expect(wrong.map(remedy) == .askForIdentity)
    let nobody = try connect(to: address, pin: server.pin, cache: cache)
    let needed = await #expect(throws: RobotError.identity(.needed)) { try await nobody.recording("a") }
    #expect(needed.map(remedy) == .askForIdentity)
    try server.stop()
  }

  /// A player that records the URLs that it is to open.
  @MainActor
  private final class Notepad: Player {
    var urls: [String] = []
    func open(_ url: URL) { urls.append(url.absoluteString) }
  }

  @MainActor
  @Test func `the few lines of the README do what they say`() async throws {
    let folder = try TemporaryFolder()
    let server = try Server()
    defer { server.kill() }
    try server.addClip("front/2026-11-20T10-15-30.mp4")
    try server.waitForState("ready", of: "front/2026-11-20T10-15-30")
    let player = Notepad()
    try await atAGlance(
      robotAt: Self.address(server).description, pin: server.pin, folder: folder.path("cache"), player: player)
    #expect(player.urls.count == 1)
    let cached = try #require(
      try FileManager.default.contentsOfDirectory(atPath: folder.path("cache/media")).first { $0.hasSuffix(".mp4") })
    #expect(
      try Data(contentsOf: URL(fileURLWithPath: folder.path("cache/media/" + cached)))
        == server.download("/recordings/front/2026-11-20T10-15-30.mp4"))
    try server.stop()
  }
}
