/// Opening recordings with and without their robot, and keeping them.
import Foundation
import Synchronization
import LinuxTestSupport
import Testing

@testable import FootageCore

@Suite(.timeLimit(.minutes(2))) struct PlaybackTests {
  static let recording = content(60_000)

  private func bytes(of playback: Playback, _ range: Range<UInt64>? = nil) async throws(MediaCacheError) -> [UInt8] {
    let range = range ?? 0..<playback.version.length
    let reader = try playback.reader(of: range)
    var bytes: [UInt8] = []
    while UInt64(bytes.count) < range.upperBound - range.lowerBound {
      bytes += try await reader.read(at: range.lowerBound + UInt64(bytes.count), count: 7_777)
    }
    return bytes
  }

  @Test func `what was played whole plays without its robot`() async throws {
    let scene = try PlayingScene(Self.recording)
    do {
      let playback = try await scene.open()
      try await playback.download()
      #expect(playback.state.isComplete && playback.state.cachedBytes == [0..<60_000])
    }
    for _ in 0..<20 { scene.misbehave(.unreachable) }
    let asked = scene.robot.requests.count
    let offline = try await scene.open()
    #expect(try await bytes(of: offline) == Self.recording)
    // The robot was asked once, and not repeatedly.
    try await Self.wait(for: offline) { $0.robotSaid == .unreachable("connection refused") }
    #expect(scene.robot.requests.count == asked + 1)
    let unasked = try await scene.connection.cachedPlayback(of: PlayingScene.name)
    #expect(try await bytes(of: unasked) == Self.recording)
    #expect(scene.robot.requests.count == asked + 1)
  }

  @Test func `what a recording lacks comes when its robot is there again`() async throws {
    let scene = try PlayingScene(Self.recording)
    do { try await (try await scene.open()).preload(bytes: 20_000) }
    scene.misbehave(.unreachable)
    let playback = try await scene.open()
    #expect(try await bytes(of: playback) == Self.recording)
  }

  @Test func `where nothing is cached, the robot's absence is the answer`() async throws {
    let scene = try PlayingScene(Self.recording)
    for _ in 0..<20 { scene.misbehave(.unreachable) }
    await #expect(throws: RobotError.unreachable("connection refused")) { try await scene.open() }
    await #expect(throws: RobotError.cache(.notCached(RecordingKey(robot: "robot", name: PlayingScene.name)))) {
      try await scene.connection.cachedPlayback(of: PlayingScene.name)
    }
  }

  /// Waits until the state satisfies a condition.
  static func wait(for playback: Playback, _ condition: (PlaybackState) -> Bool) async throws {
    for await state in playback.states() where condition(state) { return }
  }

  @Test(arguments: [401, 403, 404, 500])
  func `what is kept plays whatever the robot says of it, and the state says that`(status: Int) async throws {
    let scene = try PlayingScene(Self.recording)
    do {
      let playback = try await scene.open()
      try await playback.download()
      try await #require(scene.cache).keep(playback.key)
    }
    scene.misbehave(.status(status))
    let asked = scene.robot.requests.count
    let playback = try await scene.open()
    #expect(try await bytes(of: playback) == Self.recording)
    try await Self.wait(for: playback) { $0.robotSaid != nil }
    switch playback.state.robotSaid {
    case .notAllowed(let seen, _), .unavailable(let seen, _): #expect(seen == status)
    case .notFound: #expect(status == 404)
    default: Issue.record("\(String(describing: playback.state.robotSaid))")
    }
    #expect(playback.state.isComplete && scene.robot.requests.count == asked + 1)
  }

  @Test func `what is in the cache opens with no answer of the robot's at all`() async throws {
    let scene = try PlayingScene(Self.recording)
    do { try await (try await scene.open()).preload(bytes: 20_000) }
    scene.misbehave(.stalls)
    let playback = try await scene.open()
    #expect(try await bytes(of: playback, 0..<20_000) == Array(Self.recording[..<20_000]))
    // The request to the robot is still pending.
    #expect(playback.state.robotSaid == nil)
  }

  @Test func `where somebody else answers, it plays from what is here, and the state is the alarm`() async throws {
    let scene = try PlayingScene(Self.recording)
    do { try await (try await scene.open()).preload(bytes: 20_000) }
    let failure = TrustFailure(.otherKey, host: "robot.test", seen: nil, expected: [])
    scene.robot.state.withLock { $0.distrust = failure }
    let delivered = scene.robot.delivered
    let playback = try await scene.open()
    try await Self.wait(for: playback) { $0.activity == .failed(.trust(failure)) }
    #expect(playback.state.robotSaid == .trust(failure))
    #expect(try await bytes(of: playback, 0..<20_000) == Array(Self.recording[..<20_000]))
    let error = await #expect(throws: MediaCacheError.self) { try await self.bytes(of: playback) }
    #expect(error == .refused(playback.key, .trust(failure)))
    #expect(scene.robot.delivered == delivered)
  }

  @Test func `what was listed opens without a question, and keeps what the robot said of it`() async throws {
    let scene = try PlayingScene(Self.recording)
    let listed = try await scene.connection.recording(PlayingScene.name)
    let asked = scene.robot.requests.count
    let playback = try await scene.connection.playback(of: listed)
    #expect(try await bytes(of: playback) == Self.recording)
    try await playback.download()
    #expect(scene.robot.requests.dropFirst(asked).allSatisfy { $0.range != nil })
    let again = try await scene.connection.playback(of: listed)
    let before = scene.robot.requests.count
    #expect(try await bytes(of: again) == Self.recording)
    #expect(scene.robot.requests.count == before)
    let entry = try #require(await scene.cache?.entries().first)
    #expect(entry.recording == listed && entry.itemJSON == listed.itemJSON)
  }

  @Test func `what the list says cannot be played, and is here, plays`() async throws {
    let scene = try PlayingScene(Self.recording)
    var listed = try await scene.connection.recording(PlayingScene.name)
    do { try await (try await scene.connection.playback(of: listed)).download() }
    listed.state = .refused("it has no moov")
    let playback = try await scene.connection.playback(of: listed)
    #expect(try await bytes(of: playback) == Self.recording)
    #expect(playback.state.robotSaid == .notFound(name: PlayingScene.name, code: "refused", reason: "it has no moov"))
    listed.name = "another"
    await #expect(throws: RobotError.notFound(name: "another", code: "refused", reason: "it has no moov")) {
      try await scene.connection.playback(of: listed)
    }
  }

  @Test(arguments: ["recording", "refused", "dreaming"])
  func `what is not ready is not opened, and the reason is told`(state: String) async throws {
    let scene = try PlayingScene(Self.recording)
    scene.robot.state.withLock {
      $0.documents["/recordings/front/a%20b.json"] = (
        200,
        #"{"name":"front/a b","state":"\#(state)","reason":"it has no moov","size":9,"startedAt":"2026-11-20T10:15:30Z"}"#
      )
      $0.documents["/recordings/front/a%20b.mp4"] = (
        404, #"{"code":"\#(state == "refused" ? "refused" : "not-ready")","detail":"it has no moov"}"#
      )
    }
    let listed = try await scene.connection.recording(PlayingScene.name)
    let fromList = await #expect(throws: RobotError.self) { try await scene.connection.playback(of: listed) }
    guard case .notFound = fromList else { throw TestProblem("\(String(describing: fromList))") }
    let error = await #expect(throws: RobotError.self) { try await scene.open() }
    guard case .notFound(_, let code, let detail) = error else { throw TestProblem("\(String(describing: error))") }
    #expect(code == (state == "refused" ? "refused" : "not-ready"))
    #expect(!detail.isEmpty)
  }

  @Test func `a new version plays when it is known of, and the old one goes when that is complete`() async throws {
    let scene = try PlayingScene(Self.recording)
    let cache = try #require(scene.cache)
    let next = content(50_000, seed: 9)
    do {
      try await (try await scene.open()).download()
      try await cache.keep(RecordingKey(robot: "robot", name: PlayingScene.name))
      scene.replace(next)
      let old = try await scene.open()
      #expect(try await bytes(of: old) == Self.recording)
      try await Self.wait(for: old) { $0.robotSaid == .replaced(name: PlayingScene.name) }
      do {
        let new = try await scene.open()
        #expect(try await bytes(of: new, 0..<10_000) == Array(next[..<10_000]))
        #expect(try await bytes(of: old) == Self.recording)
      }
      // The robot is away, and the new version is incomplete.
      scene.misbehave(.unreachable)
      let offline = try await scene.open()
      #expect(try await bytes(of: offline) == Self.recording)
      #expect(offline.state.robotSaid == .unreachable("connection refused"))
      #expect(try await bytes(of: try await scene.connection.cachedPlayback(of: PlayingScene.name)) == Self.recording)
      #expect(await cache.entries().count == 2)
      let new = try await scene.open()
      #expect(new.version.tag == "\"v2\"")
      try await new.download()
      #expect(try await bytes(of: old) == Self.recording)
    }
    while await !cache.isAtRest { await Task.yield() }
    let entries = await cache.entries()
    // A kept recording is kept in its new version.
    #expect(entries.map(\.version.tag) == ["\"v2\""] && entries.allSatisfy { $0.isKept && $0.isComplete })
  }

  @Test func `a version that turns out to be replaced while it plays is not opened again`() async throws {
    let scene = try PlayingScene(Self.recording)
    let listed = try await scene.connection.recording(PlayingScene.name)
    let next = content(50_000, seed: 9)
    do {
      let playback = try await scene.connection.playback(of: listed)
      try await playback.preload(bytes: 10_000)
      scene.replace(next)
      await #expect(throws: MediaCacheError.self) { try await bytes(of: playback) }
    }
    let playback = try await scene.open()
    #expect(playback.version.tag == "\"v2\"")
    #expect(try await bytes(of: playback) == next)
  }

  @Test func `without a cache it plays straight from the robot, and keeps nothing`() async throws {
    let scene = try PlayingScene(Self.recording, isCached: false)
    let playback = try await scene.open()
    #expect(try await bytes(of: playback) == Self.recording)
    #expect(try await bytes(of: playback, 50_000..<51_000) == Array(Self.recording[50_000..<51_000]))
    #expect(playback.state.storageProblem != nil && !playback.state.isComplete)
    await #expect(throws: MediaCacheError.self) { try await playback.download() }
  }

  @Test func `a robot that gets its next key finds its recordings again`() async throws {
    let folder = try TemporaryFolder()
    let cache = try MediaCache(at: folder.path("cache"), quota: .gigabytes(1))
    let scene = try PlayingScene(Self.recording, isCached: false)
    func connection(_ names: String...) throws -> RobotConnection {
      RobotConnection(
        try #require(RobotAddress("robot.test")), over: scene.robot, cache: cache, cacheNames: names,
        retrying: .immediate, onEvent: { _ in })
    }
    do { try await (try await connection("old").playback(of: PlayingScene.name)).download() }
    let delivered = scene.robot.delivered
    let playback = try await connection("new", "old").playback(of: PlayingScene.name)
    #expect(try await bytes(of: playback) == Self.recording)
    #expect(scene.robot.delivered - delivered < 1_000)
    // A robot without any of these keys is another robot.
    let stranger = try await connection("new").playback(of: PlayingScene.name)
    #expect(stranger.state.cachedBytes.isEmpty)
  }

  @Test func `states tell of what is here, in bytes and in seconds, until it is complete`() async throws {
    let (bytes, _) = TestRecording.make(seconds: 60)
    let scene = try PlayingScene(bytes)
    let playback = try await scene.open()
    async let download: Void = playback.download()
    var last: PlaybackState?
    for await state in playback.states() {
      if let last { #expect(last.cachedBytes.count <= 2 && state.length == last.length) }
      last = state
      if state.isComplete, state.cachedSeconds != nil { break }
    }
    try await download
    let state = try #require(last)
    #expect(state.cachedBytes == [0..<UInt64(bytes.count)])
    #expect(state.duration == 60)
    #expect(state.cachedSeconds == [0..<60])
  }

  @Test func `a state has seconds though nobody listens to states`() async throws {
    let (bytes, _) = TestRecording.make(seconds: 60)
    let playback = try await PlayingScene(bytes).open()
    try await playback.download()
    try await eventually("the recording's index to be read") { () async -> Bool in
      playback.state.cachedSeconds == [0..<60]
    }
    #expect(playback.state.duration == 60)
  }

  @Test func `the first seconds are what the recording's own index says`() async throws {
    let (bytes, headEnd) = TestRecording.make(seconds: 600)
    let scene = try PlayingScene(bytes)
    let playback = try await scene.open()
    try await playback.preload(seconds: 10)
    let here = try #require(playback.state.cachedBytes.first)
    #expect(here.lowerBound == 0 && here.upperBound >= UInt64(headEnd + 8 + 1_000))
    #expect(here.upperBound < UInt64(bytes.count))
  }
}

struct TestProblem: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}
