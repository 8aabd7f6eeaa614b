/// Players that pause, leave early or have unusual requests, and robots with unusual names.
import Foundation
import Synchronization
import LinuxTestSupport
import Testing

@testable import FootageCore

@Suite(.timeLimit(.minutes(2))) struct UnhappyPlayersTests {
  static let recording = content(60_000)

  @Test func `a player that left before anything was waited for waits for nothing`() async throws {
    let scene = try PlayingScene(Self.recording)
    let playback = try await scene.open()
    for _ in 0..<10 { scene.misbehave(.stalls) }
    let body = try #require(PlaybackBody(wholeOf: playback))
    body.begin(0..<1000)
    body.giveUp()
    await #expect(throws: (any Error).self) { try await body.read(at: 0, count: 100) }
  }

  @Test func `a paused player that goes past the cache lets its connection go, and plays on by another`() async throws {
    let source = TestSource(Self.recording, chunk: 1000)
    var limits = MediaCacheLimits.small
    limits.directIdle = .milliseconds(1)
    let cache = try MediaCache(passingThrough: limits)
    let playback = try await cache.playback(of: testKey, testVersion(Self.recording), from: source)
    let reader = try playback.reader(of: 0..<60_000)
    #expect(try await reader.read(at: 0, count: 700) == Array(Self.recording[..<700]))
    while !source.requests.allSatisfy(\.isOver) { await Task.yield() }
    #expect(try await reader.read(at: 700, count: 700) == Array(Self.recording[700..<1400]))
    #expect(source.requestedRanges == [0..<60_000, 700..<60_000])
  }

  @Test func `a reader that is closed lets its connection go at once`() async throws {
    let source = TestSource(Self.recording, chunk: 1000)
    let cache = try MediaCache(passingThrough: .small)
    let playback = try await cache.playback(of: testKey, testVersion(Self.recording), from: source)
    let reader = try playback.reader(of: 0..<60_000)
    #expect(try await reader.read(at: 0, count: 700).count == 700)
    reader.close()
    #expect(source.requests.map(\.isOver) == [true])
  }

  @Test(arguments: [
    "../../etc/passwd", "a/./b", "..", "", "/", "a?b#c d", "line\r\nbreak", String(repeating: "ä", count: 4000),
  ])
  func `a robot's odd name leads no player astray`(name: String) async throws {
    let cache = try MediaCache(passingThrough: .small)
    let key = RecordingKey(robot: "r", name: name)
    let playback = try await cache.playback(of: key, testVersion(Self.recording), from: TestSource(Self.recording))
    let fetched = try await curl(playback.playerLink(), "--range", "5-9")
    #expect(fetched.status == 206 && fetched.body == Array(Self.recording[5...9]))
  }

  @Test func `a recording that is all here shows its seconds to who only watches, and no speed`() async throws {
    let (bytes, _) = TestRecording.make(seconds: 60)
    let scene = try PlayingScene(bytes)
    do { try await (try await scene.open()).download() }
    let playback = try await scene.connection.cachedPlayback(of: PlayingScene.name)
    for await state in playback.states() where state.cachedSeconds != nil {
      #expect(state.cachedSeconds == [0..<60] && state.duration == 60)
      break
    }
    let other = try PlayingScene(bytes)
    let loaded = try await other.open()
    try await loaded.download()
    for await state in loaded.states() where state.isComplete && state.bytesPerSecond == 0 { break }
  }

  @Test func `holes can be filled as slowly as anybody likes`() async throws {
    let scene = try PlayingScene(Self.recording)
    let playback = try await scene.open()
    let filling = Task { try? await playback.fillHoles(bytesPerSecond: .leastNonzeroMagnitude) }
    while playback.state.cachedBytes.isEmpty { await Task.yield() }
    filling.cancel()
    await filling.value
  }

  @Test func `many ranges in one request are answered by the whole, and few by their bytes`() async throws {
    let scene = try PlayingScene(Self.recording)
    let playback = try await scene.open()
    let many = (0..<500).map { "\($0 * 100)-\($0 * 100)" }.joined(separator: ",")
    let whole = try await curl(playback.playerLink(), "--range", many)
    #expect(whole.status == 200 && whole.body == Self.recording)
  }
}
