/// A cache in front of a robot: the configuration of Documentation/guide/tier.md, exactly as it is there, in a real
/// nginx.
import FootageAPI
import FootageClient
import FootageBase
import Foundation
import LinuxTestSupport
import Testing

@testable import FootageCore

@Suite(.serialized, .timeLimit(.minutes(5))) struct TierTests {
  private func item(_ tier: Tier, _ name: String) throws -> RecordingItem? {
    let outcome = try tier.curl("alice", tier.url + "/recordings/\(name).json").run()
    return JSONValue(Array(outcome.output.utf8)).flatMap { try? RecordingItem($0) }
  }

  private func download(_ tier: Tier, _ target: String) throws -> Data {
    let file = tier.folder.path(UUID().uuidString)
    let outcome = try tier.curl("alice", "--fail", "--output", file, tier.url + target).run()
    try #require(outcome.succeeded, "\(outcome.errors) \(tier.story)")
    return try Data(contentsOf: URL(filePath: file))
  }

  @Test(.enabled(if: Tier.hasSlices, "nginx with its module slice is not installed"))
  func `twenty viewers cost the robot one transfer, a new version is right at once, and an impostor gets nothing on`()
    throws
  {
    let scene = try TierScene(rights: "cameras=*")
    let (server, tier) = (scene.server, scene.tier)
    // The tier does not admit a client that the robot would refuse.
    #expect(try tier.status("/recordings", as: nil) == 400)
    #expect(try tier.status("/recordings", as: "mallory") == 400)

    try scene.record("x", filler: 0x5A)
    let ready = { (was: String?) in
      try eventually("x to be another version; \(server.story)") { () -> RecordingItem? in
        let item = try self.item(tier, "x")
        return item?.versionedTarget == nil || item?.entityTag == was ? nil : item
      }
    }
    let first = try ready(nil)
    let target = try #require(first.versionedTarget)
    // Without the right to share, each viewer costs a transfer.
    let whole = try download(tier, target)
    #expect(try download(tier, target) == whole)
    #expect(try scene.sentBytes(of: "x") >= 2 * whole.count)

    try scene.give("cameras=* share")
    let before = try scene.sentBytes(of: "x")
    let files = (0..<20).map { tier.folder.path("viewer-\($0)") }
    let viewers = try files.map { file in
      try RunningProgram(tier.curl("alice", "--fail", "--output", file, tier.url + target))
    }
    for viewer in viewers { #expect(viewer.waitForEnd() == 0, "\(viewer.errors) \(tier.story)") }
    for file in files { #expect(try Data(contentsOf: URL(filePath: file)) == whole) }
    #expect(try scene.sentBytes(of: "x") - before == whole.count, "\(server.story)")

    try scene.record("x", filler: 0xA5)
    let second = try ready(first.entityTag)
    let newTarget = try #require(second.versionedTarget)
    let changed = try scene.sentBytes(of: "x")
    // A seek does not wait for the bytes before it. It costs only the slices that contain the requested bytes.
    let sought = tier.folder.path("sought")
    let seek = tier.curl("alice", "--range", "\(whole.count - 100)-", "--output", sought, tier.url + newTarget)
    #expect(try seek.run().succeeded)
    #expect((1...2 << 20).contains(try scene.sentBytes(of: "x") - changed), "\(server.story)")
    let new = try download(tier, newTarget)
    #expect(new.count == whole.count && new != whole)
    #expect(try Data(contentsOf: URL(filePath: sought)) == new.suffix(100))
    #expect(try download(tier, newTarget) == new)
    #expect(try scene.sentBytes(of: "x") - changed == whole.count)
    // The end of the recording, without the bytes before it.
    let end = try tier.curl("alice", "--range", "-100", "--output", tier.folder.path("end"), tier.url + newTarget).run()
    #expect(try end.succeeded && Data(contentsOf: URL(filePath: tier.folder.path("end"))) == new.suffix(100))
    #expect(try tier.status("/recordings/x.mp4?v=0000000000000000") == 404)
    // Without a version, the request costs the robot the requested bytes, and no whole slice.
    let passed = try scene.sentBytes(of: "x")
    let part = tier.curl(
      "alice", "--range", "5-104", "--output", tier.folder.path("part"), tier.url + "/recordings/x.mp4")
    #expect(try part.run().succeeded && Data(contentsOf: URL(filePath: tier.folder.path("part"))) == new[5..<105])
    #expect(try scene.sentBytes(of: "x") - passed == 100, "\(server.story)")

    let port = server.port
    try server.stop()
    let impostor = try Server(certs: try Fixtures.otherCerts(), port: port)
    defer { impostor.kill() }
    #expect(try tier.status("/recordings") == 502)
    #expect(try tier.status("/recordings/x.mp4?v=1") == 502)
    // The cached bytes are the robot's, and may be served forever.
    #expect(try tier.status(newTarget) == 200)
  }

  /// The identity of an app behind the tier, and the tier's address and pin.
  private struct App: Sendable {
    let address: String
    let pin: TrustPin
    let identity: Data

    init(_ scene: TierScene) throws {
      address = "127.0.0.1:\(scene.tier.port)"
      let pin = try String(contentsOfFile: Fixtures.otherCerts() + "/server.pin", encoding: .utf8)
      self.pin = try .spki(pin.trimmingCharacters(in: .whitespacesAndNewlines))
      identity = try scene.identity("alice")
    }

    func connect(cache: MediaCache? = nil) async throws -> RobotConnection {
      try await RobotConnection(
        to: address, trusting: .pinned([pin]), as: .pkcs12(identity, passphrase: Fixtures.passphrase), cache: cache)
    }
  }

  /// Waits until the recording is ready in another version than before.
  private func listed(
    _ name: String, by app: RobotConnection, otherThan tag: String? = nil
  ) async throws -> RobotRecording {
    try await eventually("\(name) to be listed anew") { () async throws -> RobotRecording? in
      let recording = try? await app.recording(name)
      return recording?.entityTag == nil || recording?.entityTag == tag ? nil : recording
    }
  }

  private func bytes(of playback: Playback) async throws -> Data {
    let length = playback.version.length
    let reader = try playback.reader(of: 0..<length)
    var bytes = Data()
    while UInt64(bytes.count) < length { bytes += try await reader.read(at: UInt64(bytes.count), count: 1 << 20) }
    return bytes
  }

  @Test(.enabled(if: Tier.hasSlices, "nginx with its module slice is not installed"))
  func `twenty apps cost the robot one transfer, and a recording that is replaced or gone is so at once`()
    async throws
  {
    let scene = try TierScene(rights: "cameras=* share")
    let folder = try TemporaryFolder()
    let size: UInt32 = 5 << 20
    try scene.record("x", filler: 0x5A, byteCount: size)
    let app = try App(scene)
    let first = try await app.connect()
    let old = try await listed("x", by: first)
    let before = try scene.sentBytes(of: "x")
    let served = try await withThrowingTaskGroup(of: Data.self) { group in
      for number in 0..<20 {
        group.addTask {
          guard number % 2 == 0 else {
            let path = folder.path("\(number).mp4")
            let fetched = try await app.connect().download("x", to: path)
            #expect(fetched.entityTag == old.entityTag)
            return try Data(contentsOf: URL(filePath: path))
          }
          let cache = try MediaCache(at: folder.path("cache-\(number)"), quota: .gigabytes(1))
          let robot = try await app.connect(cache: cache)
          let playback = try await robot.playback(of: try await robot.recording("x"))
          return try await bytes(of: playback)
        }
      }
      return try await group.reduce(into: Set()) { $0.insert($1) }
    }
    #expect(served.count == 1 && served.first?.count == Int(old.size))
    try expectSent(Int(old.size), by: scene, since: before)

    // If only the name is known, the first bytes come from the robot, and the rest from the tier.
    let unknown = try scene.sentBytes(of: "x")
    let stranger = try await app.connect(cache: try MediaCache(at: folder.path("new"), quota: .gigabytes(1)))
    let opened = try await stranger.playback(of: "x")
    while !stranger.requests.versionedURLs.areKnown { await Task.yield() }
    #expect(try await bytes(of: opened) == served.first)
    try expectSent(Int(MediaCacheLimits().firstPieceBytes), by: scene, since: unknown)

    let cache = try MediaCache(at: folder.path("cache"), quota: .gigabytes(1))
    let watching = try await app.connect(cache: cache)
    let playback = try await watching.playback(of: old)
    #expect(try await bytes(of: playback) == served.first)
    try scene.record("x", filler: 0xA5, byteCount: size)
    let new = try await listed("x", by: first, otherThan: old.entityTag)
    let changed = try scene.sentBytes(of: "x")
    // The tier has had the older version for a long time. Even so, a file, a partial file and the cache's bytes are
    // replaced.
    let path = folder.path("1.mp4")
    let fetched = try await first.download("x", to: path)
    #expect(fetched.entityTag == new.entityTag && !fetched.wasThere)
    let replaced = try Data(contentsOf: URL(filePath: path))
    #expect(replaced.count == Int(new.size) && served.first != replaced)
    let asked = try await watching.playback(of: "x")
    for await state in asked.states() where state.robotSaid == .replaced(name: "x") { break }
    #expect(try await bytes(of: try await watching.playback(of: "x")) == replaced)
    try expectSent(Int(new.size), by: scene, since: changed)

    // A version that neither of them has is denied by the robot, because it has another one.
    await #expect(throws: RobotError.replaced(name: "x")) {
      for try await _ in first.read("x", range: 0..<10, version: "\"00000000000000000000000000000000\"") {}
    }
    try FileManager.default.removeItem(atPath: scene.server.file("x.mp4"))
    try await eventually("x to be gone") { try await isMissing("x", first) }
    #expect(try await isMissing("x", first) { try await first.download("x", to: folder.path("none.mp4")) })
    #expect(
      try await isMissing("x", first) {
        for try await _ in first.read("x", range: 0..<10, version: "\"00000000000000000000000000000000\"") {}
      })
    try scene.server.stop()
  }

  /// Waits until the robot logs that it has sent this number of bytes. It logs a transfer when it is over.
  private func expectSent(_ count: Int, by scene: TierScene, since before: Int) throws {
    try eventually("so much to be sent; \(scene.server.story)") { try scene.sentBytes(of: "x") - before >= count }
    #expect(try scene.sentBytes(of: "x") - before == count, "\(scene.server.story)")
  }

  /// Returns true if the robot answers that there is no such recording.
  private func isMissing(_ name: String, _ app: RobotConnection, _ ask: (() async throws -> Void)? = nil) async throws
    -> Bool
  {
    do {
      if let ask { try await ask() } else { _ = try await app.recording(name) }
    } catch {
      guard case .notFound(name, "not-found", _)? = error as? RobotError else { throw error }
      return true
    }
    return false
  }
}
