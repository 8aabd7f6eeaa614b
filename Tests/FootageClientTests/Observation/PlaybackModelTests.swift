/// The state that a player's screen gets through Observation.
import FootageClient
import FootageClientTesting
import Foundation
import Observation
import TestSupport
import Testing

@MainActor @Suite(.timeLimit(.minutes(1))) struct PlaybackModelTests {
  private static let start = UnixTime(seconds: 1_795_169_730)
  private let robot = InMemoryRobot(SampleRecording.row(ofCamera: "front", count: 2, from: start))
  private var name: String { robot.names[0] }

  @Test func `its state follows what plays, until it is closed`() async throws {
    let folder = try TemporaryFolder()
    let cache = try MediaCache(at: folder.path("cache"), quota: .megabytes(1))
    let model = PlaybackModel(name, of: robot.connection(cache: cache))
    #expect(model.phase == .closed && model.state == nil && model.canKeepUp(at: 0) == nil && model.cachedShare == 0)
    let changes = EventLog<Void>()
    withObservationTracking {
      _ = model.state
    } onChange: {
      changes.append(())
    }
    await model.open()
    #expect(model.phase == .open && changes.all.count == 1)
    let playback = try #require(model.playback)
    #expect(try playback.playerURL().scheme == "http")
    try await playback.download()
    try await eventually("all of it to be shown") { () async -> Bool in
      model.state?.isComplete == true && model.state?.cachedSeconds == [0..<8]
    }
    #expect(model.canKeepUp(at: 4) == true && model.cachedShare == 1 && model.error == nil)
    model.close()
    #expect(model.phase == .closed && model.playback == nil && model.state == nil)
    // The recording is on this device now, and plays without the robot.
    robot.isReachable = false
    let entry = try #require(await cache.recordingsOnThisDevice().first)
    let kept = PlaybackModel(entry.key, in: cache)
    await kept.open()
    #expect(kept.name == name && kept.state?.isComplete == true)
    try await cache.remove(entry.key)
    await kept.reopen()
    #expect(kept.phase == .failed(.cache(.notCached(entry.key))))
  }

  @Test func `what cannot be opened is a failure with its reason, and is tried again`() async throws {
    let model = PlaybackModel(name, of: robot.connection())
    robot.failAll(with: .otherKey)
    await model.open()
    guard case .trust? = model.error else {
      Issue.record("\(model.phase)")
      return
    }
    robot.failAll(with: nil)
    await model.open()
    #expect(model.phase == .open && model.error == nil)
  }

  @Test func `what fails while it plays is told, and it keeps up no more`() async throws {
    let recording = try await robot.connection().recording(name)
    let model = PlaybackModel(recording, of: robot.connection())
    await model.open()
    robot.failAll(.media, with: .notAllowed)
    let reader = try #require(model.playback).reader(of: 0..<100)
    await #expect(throws: MediaCacheError.self) { try await reader.read(at: 0, count: 10) }
    try await eventually("the failure to be shown") { () async -> Bool in
      guard case .notAllowed? = model.error else { return false }
      return model.canKeepUp(at: 0) == false
    }
    robot.failAll(.media, with: nil)
    await model.reopen()
    #expect(model.phase == .open && model.error == nil)
  }

  @Test func `what was listed and replaced since is opened anew as the robot has it`() async throws {
    let folder = try TemporaryFolder()
    let cache = try MediaCache(at: folder.path("cache"), quota: .megabytes(1))
    let connection = robot.connection(cache: cache)
    let model = PlaybackModel(try await connection.recording(name), of: connection)
    var replacement = SampleRecording(name, startedAt: Self.start)
    // An empty box makes it the same movie with different bytes.
    replacement.bytes += [0, 0, 0, 8] + Array("free".utf8)
    robot.add(replacement)
    await model.open()
    let former = try #require(model.playback).version
    let reader = try #require(model.playback).reader(of: 0..<100)
    await #expect(throws: MediaCacheError.self) { try await reader.read(at: 0, count: 10) }
    await model.reopen()
    #expect(model.phase == .open && model.playback?.version != former)
    _ = try await #require(model.playback).reader(of: 0..<100).read(at: 0, count: 10)
  }

  @Test func `a screen that comes back while its former call winds up opens it all the same`() async throws {
    let model = PlaybackModel(name, of: robot.connection())
    robot.fail(with: .silent)
    let former = Task { await model.open() }
    try await eventually("it to be opening") { () async -> Bool in model.phase == .opening }
    former.cancel()
    await model.open()
    #expect(model.phase == .open)
    await former.value
    #expect(model.phase == .open && model.playback != nil)
  }

  @Test func `what was still to be shown of a recording when it was closed is not`() async throws {
    let model = PlaybackModel(name, of: robot.connection())
    await model.open()
    model.close()
    for _ in 0..<100 { await Task.yield() }
    #expect(model.state == nil && model.phase == .closed)
  }

  @Test func `a timeline says what shows a moment`() async throws {
    let model = TimelineModel(camera: "front", of: robot.connection())
    let end = UnixTime(seconds: Self.start.seconds + 100)
    await model.load(from: Self.start, to: end)
    #expect(model.phase == .loaded && model.timeline?.spans.count == 1)
    let found = try #require(model.part(at: UnixTime(seconds: Self.start.seconds + 9, milliseconds: 500)))
    #expect(found.part.name == robot.names[0] && found.seconds == 1.5)
    #expect(model.part(at: end) == nil)
    robot.isReachable = false
    await model.load(from: Self.start, to: end)
    #expect(model.error?.canPass == true && model.timeline?.spans.count == 1)
  }
}
