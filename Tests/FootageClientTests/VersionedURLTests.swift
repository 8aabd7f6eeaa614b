/// A known version is requested by its own URL, for the sake of intermediate caches. The results are the same as before
/// such URLs existed.
import FootageAPI
import FootageClient
import Foundation
import Synchronization
import LinuxTestSupport
import Testing

@testable import FootageCore

@Suite(.timeLimit(.minutes(1))) struct VersionedURLTests {
  static let recording = content(50_000)
  static let whole = "/recordings/a.mp4"

  /// Returns a robot that lists its one recording.
  static func robot(
    _ content: [UInt8] = recording, _ faults: [ScriptedRobot.Fault] = [], isOld: Bool = false
  ) -> ScriptedRobot {
    let robot = ScriptedRobot(content, faults)
    robot.state.withLock {
      $0.listedName = "a"
      $0.isOld = isOld
    }
    return robot
  }

  private func targets(_ robot: ScriptedRobot) -> [String] { robot.byteRequests.map(\.target) }

  /// Leaves a partial download of this number of bytes, as an interrupted run does.
  private func breakOff(_ path: String, after count: Int = 30_000) async {
    let robot = ScriptedRobot(Self.recording, [.cut(count)] + Array(repeating: .unreachable, count: 9))
    _ = await DownloadTests.download(robot, to: path)
    #expect(DownloadTests.map(path)?.received == UInt64(count))
  }

  // MARK: Downloads

  @Test func `a download asks for the version that is listed, and for the rest of it`() async throws {
    let folder = try TemporaryFolder()
    let robot = Self.robot(Self.recording, [.cut(30_000), .unreachable])
    #expect(await DownloadTests.download(robot, to: folder.path("a.mp4")).recording?.entityTag == "\"v1\"")
    #expect(DownloadTests.file(folder.path("a.mp4")) == Self.recording)
    #expect(targets(robot) == Array(repeating: "\(Self.whole)?v=v1", count: 3))
    #expect(robot.byteRequests.map(\.range) == [0..<UInt64.max, 30_000..<50_000, 30_000..<50_000])
    #expect(robot.byteRequests.allSatisfy { $0.ifRange == "\"v1\"" })
  }

  @Test func `what an earlier run has left goes on by the version's URL`() async throws {
    let folder = try TemporaryFolder()
    await breakOff(folder.path("a.mp4"))
    let robot = Self.robot()
    #expect(await DownloadTests.download(robot, to: folder.path("a.mp4")).error == nil)
    #expect(DownloadTests.file(folder.path("a.mp4")) == Self.recording)
    #expect(targets(robot) == ["\(Self.whole)?v=v1"] && robot.byteRequests.map(\.range) == [30_000..<UInt64.max])
    // All of it is there and listed, so no further request is needed.
    #expect(await DownloadTests.download(robot, to: folder.path("a.mp4")).recording?.wasThere == true)
    #expect(targets(robot).count == 1)
  }

  @Test func `a version that went since it was listed is begun anew with what there is`() async throws {
    for other in [content(70_000, seed: 3), content(9, seed: 3), []] {
      let folder = try TemporaryFolder()
      let path = folder.path("a.mp4")
      let robot = Self.robot(Self.recording, [.replaced(other)])
      #expect(await DownloadTests.download(robot, to: path).recording?.length == UInt64(other.count))
      #expect(DownloadTests.file(path) == other)
      #expect(targets(robot) == ["\(Self.whole)?v=v1", Self.whole])
      let later = Self.robot(Self.recording, [.cut(30_000), .replaced(other), .unreachable])
      #expect(await DownloadTests.download(later, to: folder.path("b.mp4")).recording?.entityTag == "\"v2\"")
      #expect(DownloadTests.file(folder.path("b.mp4")) == other)
      #expect(Set(try FileManager.default.contentsOfDirectory(atPath: folder.location)) == ["a.mp4", "b.mp4"])
    }
  }

  @Test func `a recording that is removed is not found, also where its version was listed`() async throws {
    let folder = try TemporaryFolder()
    let error = RobotError.notFound(name: "a", code: "not-found", reason: "There is no such thing.")
    let robot = Self.robot(Self.recording, [.removed])
    #expect(await DownloadTests.download(robot, to: folder.path("a.mp4")).error == error)
    // First it was replaced, and then the other one was removed.
    let gone = Self.robot(Self.recording, [.cut(30_000), .replaced([1]), .removed])
    #expect(await DownloadTests.download(gone, to: folder.path("b.mp4")).error == error)
    #expect(DownloadTests.map(folder.path("b.mp4"))?.received == 30_000)
  }

  @Test func `a robot that denies the version that it has is given up like any that always breaks off`() async throws {
    let folder = try TemporaryFolder()
    let robot = Self.robot(Self.recording, Array(repeating: .cut(30_000), count: 100))
    robot.state.withLock { $0.deniesVersions = true }
    #expect(await DownloadTests.download(robot, to: folder.path("a.mp4")).error == .unreachable("cut off"))
    // The first attempt, and three more, each preceded by a denial.
    #expect(robot.byteRequests.count == 8)
  }

  /// A transport that keeps one version forever, as an intermediate cache does, and asks the robot for everything else.
  private struct Keeping: MediaTransport {
    let kept: ScriptedRobot
    let robot: ScriptedRobot

    func open(_ request: MediaRequest) async throws(TransportFailure) -> MediaResponse {
      let isKept = ScriptedRobot.version(in: request.target) == VersionTag(entityTag: kept.tag)
      return try await (isKept ? kept : robot).open(request)
    }
  }

  @Test(arguments: [30_000, 50_000])
  func `what a cache in between still has of an older version is not taken for the robot's`(count: Int) async throws {
    let folder = try TemporaryFolder()
    let path = folder.path("a.mp4")
    let (old, new) = (Self.robot(), Self.robot())
    if count == 50_000 { _ = await DownloadTests.download(old, to: path) } else { await breakOff(path, after: count) }
    let next = content(60_000, seed: 7)
    new.state.withLock {
      $0.content = next
      $0.version = 2
    }
    let connection = RobotConnection(
      to: try #require(RobotAddress("robot.test")), over: Keeping(kept: old, robot: new), retrying: .immediate)
    let asked = old.requests.count
    let outcome = try await connection.download("a", to: path)
    #expect(outcome.entityTag == "\"v2\"" && !outcome.wasThere)
    #expect(DownloadTests.file(path) == next)
    #expect(targets(new) == ["\(Self.whole)?v=v2"] && old.requests.count == asked)
  }

  // MARK: Reading

  @Test func `a version that is wanted is had by its URL, or is replaced`() async throws {
    let robot = Self.robot()
    let connection = ReadTests.connection(robot)
    let tag = try #require(try await connection.recording("a").entityTag)
    var bytes: [UInt8] = []
    for try await chunk in connection.read("a", range: 10..<20, version: tag) { bytes += chunk }
    #expect(bytes == Array(Self.recording[10..<20]))
    robot.state.withLock { $0.version = 2 }
    for range in [10..<20, 0..<20, nil] as [Range<UInt64>?] {
      await #expect(throws: RobotError.replaced(name: "a")) {
        for try await _ in connection.read("a", range: range, version: tag) {}
      }
    }
    #expect(targets(robot) == Array(repeating: "\(Self.whole)?v=v1", count: 4))
    // Without a requested version, any version will do.
    for try await _ in connection.read("a", range: 10..<20) {}
    #expect(targets(robot).last == Self.whole)
  }

  // MARK: Playing

  @Test func `what was listed plays by its version's URL from the first byte on`() async throws {
    let scene = try PlayingScene(Self.recording) { $0.firstPieceBytes = 16_384 }
    let playback = try await scene.openListed()
    #expect(try await playback.readAll(step: 7_000) == Self.recording)
    #expect(Set(targets(scene.robot)) == ["/recordings/front/a%20b.mp4?v=v1"])
    #expect(scene.robot.byteRequests.allSatisfy { $0.ifRange == "\"v1\"" })
  }

  @Test func `what was opened by its name plays by its version's URL once that is listed`() async throws {
    let scene = try PlayingScene(Self.recording) { $0.firstPieceBytes = 16_384 }
    let playback = try await scene.open()
    while !scene.connection.requests.versionedURLs.areKnown { await Task.yield() }
    #expect(try await playback.readAll(step: 7_000) == Self.recording)
    #expect(targets(scene.robot).first == "/recordings/front/a%20b.mp4")
    #expect(Set(targets(scene.robot).dropFirst()) == ["/recordings/front/a%20b.mp4?v=v1"])
  }

  @Test func `what the cache knows of it is enough, before the robot says anything`() async throws {
    let scene = try PlayingScene(Self.recording)
    do { try await (try await scene.openListed()).preload(bytes: 10_000) }
    let asked = scene.robot.byteRequests.count
    scene.robot.state.withLock { $0.documents = [:] }
    let later = RobotConnection(
      try #require(RobotAddress("robot.test")), over: scene.robot, cache: scene.cache, cacheNames: ["robot"],
      retrying: .immediate, onEvent: { _ in })
    let playback = try await later.playback(of: PlayingScene.name)
    #expect(try await playback.readAll(step: 7_000) == Self.recording)
    #expect(Set(targets(scene.robot).dropFirst(asked)) == ["/recordings/front/a%20b.mp4?v=v1"])
  }

  @Test func `a version that goes while it plays is replaced, and one that is removed is not`() async throws {
    let replaced = try PlayingScene(Self.recording)
    let playback = try await replaced.openListed()
    replaced.replace(content(40_000, seed: 5))
    await #expect(throws: MediaCacheError.replaced(playback.key, .replaced(name: PlayingScene.name))) {
      try await playback.readAll(step: 7_000)
    }
    #expect(try await (try await replaced.open()).readAll(step: 7_000) == content(40_000, seed: 5))
    let removed = try PlayingScene(Self.recording)
    let last = try await removed.openListed()
    removed.robot.state.withLock { $0.isRemoved = true }
    await #expect(
      throws: MediaCacheError.replaced(
        last.key, .notFound(name: PlayingScene.name, code: "not-found", reason: "There is no such thing."))
    ) { try await last.readAll(step: 7_000) }
  }

  // MARK: Earlier robots

  @Test func `a robot that lists no versions' URLs is never asked by one`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path("a.mp4")
    let robot = Self.robot(Self.recording, [.cut(30_000), .unreachable], isOld: true)
    #expect(await DownloadTests.download(robot, to: path).error == nil)
    let next = content(40_000, seed: 5)
    robot.state.withLock { $0.faults = [.replaced(next)] }
    #expect(await DownloadTests.download(robot, to: path).recording?.entityTag == "\"v2\"")
    #expect(DownloadTests.file(path) == next)
    #expect(Set(targets(robot)) == [Self.whole])

    let scene = try PlayingScene(Self.recording)
    scene.robot.state.withLock { $0.isOld = true }
    scene.describe()
    for playback in [try await scene.openListed(), try await scene.open()] {
      #expect(try await playback.readAll(step: 7_000) == Self.recording)
    }
    #expect(Set(targets(scene.robot)) == ["/recordings/front/a%20b.mp4"])
  }

  /// The robot's program may have been replaced with an earlier one since it listed the recording.
  @Test func `a robot that ignores the version is found out by its entity tag`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path("a.mp4")
    let robot = Self.robot(Self.recording, [.cut(30_000), .replaced(content(40_000, seed: 5))])
    let connection = ReadTests.connection(robot)
    let listed = try await connection.recording("a")
    robot.state.withLock { $0.isOld = true }
    let outcome = try await connection.download("a", to: path)
    #expect(outcome.entityTag == "\"v2\"" && DownloadTests.file(path) == content(40_000, seed: 5))
    await #expect(throws: RobotError.replaced(name: "a")) {
      for try await _ in connection.read("a", range: 5..<10, version: listed.entityTag) {}
    }
    #expect(targets(robot).last == "\(Self.whole)?v=v1")
  }
}
