/// The cache in a real folder with its real index.

import FootageClient
import Foundation
import FootageSystem
import Synchronization
import LinuxTestSupport
import Testing

/// A clock that a test or a sleep moves.
final class HandClock: Sendable {
  private let step: Duration
  private let time: Mutex<MovableClock?> = Mutex(nil)

  /// - Parameter isPassing: returns true if time passes; it is asked at each reading of the clock.
  init(step: Duration = .zero, while isPassing: @escaping @Sendable () -> Bool = { true }) {
    self.step = step
    let movable = MovableClock(sleeping: { [weak self] _ in
      try? await Task.sleep(for: .milliseconds(1))
      if let self, isPassing() { self.advance(self.step) }
    })
    time.withLock { $0 = movable }
  }

  func advance(_ duration: Duration) { time.withLock { $0 }?.advance(by: duration) }

  var clock: Clock { time.withLock { $0 }?.clock ?? .system }
}

@Suite(.timeLimit(.minutes(2))) struct MediaCacheTests {
  let content = testBytes(1000)

  private func open(_ folder: TemporaryFolder, quota: UInt64 = 1 << 20, _ words: EventLog<String> = EventLog()) throws
    -> MediaCache
  {
    try MediaCache(at: folder.path("cache"), quota: quota, limits: .small, onWarning: { words.append($0) })
  }

  @Test func `what was fetched once is read again with no network, from a plain file`() async throws {
    let folder = try TemporaryFolder()
    let source = TestSource(content)
    do {
      let cache = try open(folder)
      let playback = try await cache.playback(of: testKey, testVersion(content), from: source)
      #expect(try await playback.readAll() == content)
      try await playback.download()
      #expect(playback.state.isComplete)
      #expect(source.deliveredBytes == 1000)
      await cache.close()
    }
    let cache = try open(folder)
    let entry = try #require(await cache.entries().first)
    #expect(entry.isComplete && entry.cachedBytes == 1000 && entry.key == testKey)
    #expect(entry.path.hasSuffix(".mp4") && entry.path.contains("/one-"))
    #expect(FileManager.default.contents(atPath: entry.path) == Data(content))
    let playback = try await cache.playback(of: testKey)
    #expect(try await playback.readAll() == content)
  }

  @Test func `offline, what is not cached fails with words, and at once`() async throws {
    let folder = try TemporaryFolder()
    let cache = try open(folder)
    await #expect(throws: MediaCacheError.notCached(testKey)) { try await cache.playback(of: testKey) }
    do {
      let playback = try await cache.playback(of: testKey, testVersion(content), from: TestSource(content))
      try await playback.preload(bytes: 300)
      await cache.close()
    }
    let again = try open(folder)
    let playback = try await again.playback(of: testKey)
    #expect(try await playback.readAll(0..<300) == Array(content[..<300]))
    let error = await #expect(throws: MediaCacheError.self) { try await playback.readAll(0..<1000) }
    #expect(error?.description.contains("opened without its robot") == true)
  }

  @Test func `a second owner of the folder is told so, and lists, plays and exports what is there`() async throws {
    let folder = try TemporaryFolder()
    let words = EventLog<String>()
    let cache = try open(folder)
    let other = RecordingKey(robot: "r", name: "other")
    try await cache.playback(of: testKey, testVersion(content), item: #"{"x":1}"#, from: TestSource(content)).download()
    try await cache.keep(testKey)
    let owned = MediaCacheError.owned(folder: folder.path("cache"))
    let second = try open(folder, words)
    #expect(words.all.count == 1 && words.all[0].contains("in use by another process"))
    #expect(await second.folderProblem == owned)
    let entry = try #require(await second.entries().first)
    #expect(entry.isComplete && entry.isKept && entry.itemJSON == #"{"x":1}"#)
    #expect(try await second.playback(of: testKey).readAll() == content)
    try await second.export(testKey, to: folder.path("out.mp4"))
    #expect(FileManager.default.contents(atPath: folder.path("out.mp4")) == Data(content))
    await #expect(throws: owned) { try await second.release(testKey) }
    await #expect(throws: owned) { try await second.remove(testKey) }
    await #expect(throws: owned) { try await second.clean() }
    // A recording that is not in the cache plays, and is not kept.
    let past = try await second.playback(of: other, testVersion(content), from: TestSource(content))
    #expect(try await past.readAll() == content)
    #expect(past.state.storageProblem?.description.contains("in use by another process") == true)
    #expect(past.state.storageProblem?.reason == .inUse)
    #expect(await cache.entries() == [entry])
    // Recordings that were added meanwhile are seen.
    try await cache.playback(of: other, testVersion(content), from: TestSource(content)).download()
    #expect(await second.entries().count == 2)
    _ = consume past
    await cache.close()
    // No owner has the folder any more.
    while await !second.isAtRest { await Task.yield() }
    try await second.playback(of: testKey, testVersion(content), from: TestSource(content)).download()
    #expect(await second.folderProblem == nil)
    try await second.remove(other)
  }

  @Test func `what the robot said of a recording is kept with it, and outlives the index`() async throws {
    let folder = try TemporaryFolder()
    let item = #"{"name":"front/one","size":1000,"startedAt":"2026-11-20T10:15:30Z","state":"ready","x":["<é>",1e3]}"#
    do {
      let cache = try open(folder)
      let playback = try await cache.playback(of: testKey, testVersion(content), item: item, from: TestSource(content))
      #expect(try #require(await cache.entries().first).recording?.startedAt == UnixTime(seconds: 1_795_169_730))
      try await playback.download()
      await cache.close()
    }
    let cache = try open(folder)
    #expect(try #require(await cache.entries().first).itemJSON == item)
    await cache.close()
    try FileManager.default.removeItem(atPath: folder.path("cache/fragments.sqlite"))
    let again = try open(folder)
    let entry = try #require(await again.entries().first)
    #expect(entry.itemJSON == item && entry.recording?.name == "front/one")
  }

  @Test func `readers of the same range share one fetch`() async throws {
    let folder = try TemporaryFolder()
    let cache = try open(folder)
    let source = TestSource(content)
    source.hold()
    let playback = try await cache.playback(of: testKey, testVersion(content), from: source)
    let readers = try (0..<5).map { _ in try playback.reader(of: 0..<1000) }
    try await withThrowingTaskGroup { group in
      for reader in readers { group.addTask { try await reader.readAll() } }
      source.permit(1000)
      for try await bytes in group { #expect(bytes == content) }
    }
    #expect(source.requestedRanges == [0..<1000])
    #expect(source.deliveredBytes == 1000)
  }

  @Test func `a seek into a hole asks at once, and the bytes before it are not fetched twice`() async throws {
    let folder = try TemporaryFolder()
    let cache = try open(folder)
    let source = TestSource(content)
    source.hold()
    let playback = try await cache.playback(of: testKey, testVersion(content), from: source)
    let first = try playback.reader(of: 0..<1000)
    async let start = first.readAll()
    let seek = try playback.reader(of: 600..<1000)
    async let end = seek.readAll()
    // Both requests have been sent before any byte has arrived.
    while source.requests.count < 2 { await Task.yield() }
    #expect(Set(source.requestedRanges) == [0..<1000, 600..<1000])
    source.permit(1000)
    #expect(try await start == content)
    #expect(try await end == Array(content[600...]))
    // The first request may have had one chunk in transit when it met the second.
    #expect(source.deliveredBytes <= 1000 + 64)
  }

  @Test func `a fetch stops when its last reader has left`() async throws {
    let folder = try TemporaryFolder()
    let cache = try open(folder)
    let source = TestSource(content)
    source.hold()
    let playback = try await cache.playback(of: testKey, testVersion(content), from: source)
    let reader = try playback.reader(of: 0..<1000)
    source.permit(2)
    #expect(try await reader.read(at: 0, count: 10) == Array(content[..<10]))
    reader.close()
    while source.requests.contains(where: { !$0.isOver }) { await Task.yield() }
    #expect(source.deliveredBytes <= 128)
    await #expect(throws: MediaCacheError.self) { try await reader.read(at: 900, count: 10) }
  }

  @Test func `a cancelled read returns, and others go on`() async throws {
    let folder = try TemporaryFolder()
    let cache = try open(folder)
    let source = TestSource(content)
    source.hold()
    let playback = try await cache.playback(of: testKey, testVersion(content), from: source)
    let (one, other) = (try playback.reader(of: 0..<1000), try playback.reader(of: 0..<1000))
    let cancelled = Task { try await one.read(at: 0, count: 10) }
    let task = Task { try await other.readAll() }
    cancelled.cancel()
    await #expect(throws: MediaCacheError.cancelled) { try await cancelled.value }
    source.permit(1000)
    #expect(try await task.value == content)
  }

  @Test func `a player outranks a download, which goes on after it`() async throws {
    let folder = try TemporaryFolder()
    let cache = try open(folder)
    let source = TestSource(content)
    source.hold()
    let playback = try await cache.playback(of: testKey, testVersion(content), from: source)
    let download = Task { try await playback.download() }
    while source.requests.isEmpty { await Task.yield() }
    let reader = try playback.reader(of: 500..<700)
    async let bytes = reader.readAll()
    while source.requests.count < 2 || !source.requests[0].isOver { await Task.yield() }
    #expect(source.requestedRanges == [0..<1000, 500..<700])
    source.permit(1000)
    #expect(try await bytes == Array(content[500..<700]))
    reader.close()
    try await download.value
    #expect(playback.state.isComplete)
    #expect(Set(source.requestedRanges.dropFirst(2)) == [0..<500, 700..<1000])
  }

  @Test func `new bytes under the same name are a new version, and the old one lives until the new one is complete`()
    async throws
  {
    let folder = try TemporaryFolder()
    let cache = try open(folder)
    let newContent = testBytes(1000, seed: 2)
    let (old, new) = (TestSource(content), TestSource(newContent))
    var oldPlayback: Playback? = try await cache.playback(of: testKey, testVersion(content, "old"), from: old)
    _ = try await oldPlayback?.readAll(0..<500)
    let newPlayback = try await cache.playback(of: testKey, testVersion(newContent, "new"), from: new)
    #expect(try await newPlayback.readAll() == newContent)
    #expect(try await oldPlayback?.readAll() == content)
    #expect(await cache.entries().count == 2)
    oldPlayback = nil
    try await newPlayback.download()
    while await cache.entries().count > 1 { try await Task.sleep(for: .milliseconds(1)) }
    #expect(await cache.entries().map(\.version.tag) == ["\"new\""])
  }

  @Test func `a replaced recording ends the reads of what is missing, never with other bytes`() async throws {
    let folder = try TemporaryFolder()
    let cache = try open(folder)
    let source = TestSource(content)
    source.behave(.failingAfter(300, .replaced(.replaced(name: "front/one"))))
    let playback = try await cache.playback(of: testKey, testVersion(content), from: source)
    await #expect(throws: MediaCacheError.replaced(testKey, .replaced(name: "front/one"))) {
      try await playback.readAll()
    }
    #expect(try await playback.readAll(0..<300) == Array(content[..<300]))
    #expect(playback.state.activity == .failed(.replaced(name: "front/one")))
  }

  @Test(arguments: [
    TestSource.Behaviour.failing(.passing(.unreachable("refused"))),
    .failingAfter(100, .passing(.unreachable("reset"))), .endingAfter(100),
    .tooMuch(100),
  ])
  func `what can pass is taken up again where it stopped`(_ behaviour: TestSource.Behaviour) async throws {
    let folder = try TemporaryFolder()
    let cache = try open(folder)
    let source = TestSource(content)
    source.behave(behaviour, behaviour, behaviour)
    let playback = try await cache.playback(of: testKey, testVersion(content), from: source)
    #expect(try await playback.readAll(100..<900) == Array(content[100..<900]))
    #expect(try await playback.readAll() == content)
    #expect(source.deliveredBytes <= 1300)
  }

  @Test func `a robot that stalls for ever is asked again, and given up with words`() async throws {
    let folder = try TemporaryFolder()
    let source = TestSource(content)
    let unanswered = Atomic(2)
    // Each reading of the clock advances it by a second, except while the robot answers.
    let clock = HandClock(step: .seconds(1)) {
      source.requests.count <= unanswered.load(ordering: .sequentiallyConsistent)
    }
    var limits = MediaCacheLimits()
    // With so fast a clock, a rival would have no time to answer.
    limits.rival = .seconds(1000)
    limits.giveUp = .seconds(200)
    let cache = try MediaCache(at: folder.path("cache"), quota: 1 << 20, limits: limits, clock: clock.clock)
    source.behave(.stallingAfter(64), .silent)
    let playback = try await cache.playback(of: testKey, testVersion(content), from: source)
    #expect(try await playback.readAll() == content)
    source.behaveAlways(.silent)
    unanswered.store(.max, ordering: .sequentiallyConsistent)
    let other = try await cache.playback(
      of: RecordingKey(robot: "r", name: "two"), testVersion(content), from: source)
    let error = await #expect(throws: MediaCacheError.self) { try await other.readAll() }
    #expect(error?.description.contains("no data received for") == true)
    unanswered.store(source.requests.count, ordering: .sequentiallyConsistent)
    source.behaveAlways(.good)
    #expect(try await other.readAll() == content)
  }

  @Test func `the least recently used versions go to make room, and what is kept stays`() async throws {
    let folder = try TemporaryFolder()
    let cache = try open(folder, quota: 3000)
    let keys = (0..<5).map { RecordingKey(robot: "r", name: "\($0)") }
    for (index, key) in keys.enumerated() {
      let playback = try await cache.playback(of: key, testVersion(content), from: TestSource(content))
      try await playback.download()
      if index == 0 { try await cache.keep(key) }
      _ = consume playback
      while !(await cache.isAtRest) { try await Task.sleep(for: .milliseconds(1)) }
    }
    #expect(await cache.entries().map(\.key.name) == ["0", "3", "4"])
  }

  @Test func `a recording larger than the quota plays past the cache`() async throws {
    let folder = try TemporaryFolder()
    let cache = try open(folder, quota: 400)
    let source = TestSource(content)
    let playback = try await cache.playback(of: testKey, testVersion(content), from: source)
    #expect(try await playback.readAll() == content)
    #expect(source.deliveredBytes <= 1000 + 64)
    let error = await #expect(throws: MediaCacheError.self) { try await playback.download() }
    #expect(error?.description.contains("quota of 400 bytes") == true)
    #expect(await cache.entries().allSatisfy { $0.cachedBytes <= 400 })
  }

  @Test func `an empty recording leaves nothing behind`() async throws {
    let folder = try TemporaryFolder()
    let cache = try open(folder)
    let playback = try await cache.playback(of: testKey, testVersion([]), from: TestSource([]))
    try await playback.download()
    #expect(try await playback.readAll() == [])
    #expect(await cache.entries().isEmpty)
    let full = try await cache.playback(of: testKey, testVersion(content), from: TestSource(content))
    #expect(try await full.readAll() == content)
  }

  @Test(arguments: ["W/\"1\"", "1", "", "\"", "\"a\"b\"", "\"a b\""])
  func `bytes under a tag that is not strong are not cached`(_ tag: String) async throws {
    let folder = try TemporaryFolder()
    let cache = try open(folder)
    let version = RecordingVersion(tag: tag, length: 10)
    await #expect(throws: MediaCacheError.notBindable(testKey, version)) {
      try await cache.playback(of: testKey, version, from: TestSource(content))
    }
  }

  @Test func `recordings whose names end alike do not meet`() async throws {
    let folder = try TemporaryFolder()
    let cache = try open(folder)
    let keys = [("A", "front/one"), ("A", "rear/one"), ("B", "front/one"), ("A", "../one"), ("A", "ü/\n\u{1F916}")]
    for (index, (robot, name)) in keys.enumerated() {
      let bytes = testBytes(300, seed: UInt64(index))
      let playback = try await cache.playback(
        of: RecordingKey(robot: robot, name: name), testVersion(bytes), from: TestSource(bytes))
      try await playback.download()
      #expect(try await playback.readAll() == bytes)
    }
    #expect(Set(await cache.entries().map(\.path)).count == keys.count)
    for (index, (robot, name)) in keys.enumerated() {
      let playback = try await cache.playback(of: RecordingKey(robot: robot, name: name))
      #expect(try await playback.readAll() == testBytes(300, seed: UInt64(index)))
    }
  }

  @Test func `states tell of cached ranges, of loading and of the end`() async throws {
    let folder = try TemporaryFolder()
    let cache = try open(folder)
    let source = TestSource(content)
    source.hold()
    let playback = try await cache.playback(of: testKey, testVersion(content), from: source)
    var states = playback.states().makeAsyncIterator()
    let first = try #require(await states.next())
    #expect(first.activity == .idle && first.cachedBytes.isEmpty && first.length == 1000 && !first.isComplete)
    let reader = try playback.reader(of: 100..<1000)
    async let bytes = reader.readAll()
    while let state = await states.next(), state.activity != .loading {}
    source.permit(1)
    while let state = await states.next() {
      guard state.cachedBytes == [100..<164] else { continue }
      #expect(state.bytesPerSecond > 0)
      break
    }
    source.permit(1000)
    _ = try await bytes
    async let all: Void = playback.download()
    while let state = await states.next(), !state.isComplete {}
    try await all
    #expect(playback.state.cachedBytes == [0..<1000])
  }

  @Test func `a playback that waits in vain is shown as stalled, then as retrying with the reason`() async throws {
    let folder = try TemporaryFolder()
    let clock = HandClock()
    var limits = MediaCacheLimits()
    // Longer than the time until the playback is stalled, even if the reader begins to wait late.
    limits.fetchIdle = .seconds(10_000)
    limits.giveUp = .seconds(100_000)
    // A rival would bring the bytes.
    limits.rival = .seconds(100_000)
    let cache = try MediaCache(at: folder.path("cache"), quota: 1 << 20, limits: limits, clock: clock.clock)
    let source = TestSource(content)
    source.behave(.silent)
    let playback = try await cache.playback(of: testKey, testVersion(content), from: source)
    var states = playback.states().makeAsyncIterator()
    let reader = try playback.reader(of: 0..<1000)
    async let bytes = reader.readAll()
    while let state = await states.next(), state.activity != .loading {}
    // It is loading since it has a reader, which may not be waiting yet. Only time during which it waits counts.
    try await eventually("the playback to be stalled") { () async -> Bool in
      clock.advance(.milliseconds(500))
      return playback.state.activity == .stalled
    }
    while let state = await states.next(), state.activity != .stalled {}
    clock.advance(limits.fetchIdle)
    while let state = await states.next() {
      guard case .retrying(let error, let attempt) = state.activity else { continue }
      #expect(error == .unreachable("no data received for 10000 seconds") && attempt == 1)
      break
    }
    clock.advance(.seconds(1))
    #expect(try await bytes == content)
  }

  @Test func `verify finds what a disk did to the bytes, and they are fetched again`() async throws {
    let folder = try TemporaryFolder()
    let cache = try open(folder)
    let source = TestSource(content)
    do {
      let playback = try await cache.playback(of: testKey, testVersion(content), from: source)
      try await playback.download()
    }
    let path = try #require(await cache.entries().first).path
    #expect(try await cache.verify().allSatisfy { $0.damagedBytes.isEmpty })
    let handle = try #require(FileHandle(forUpdatingAtPath: path))
    try handle.seek(toOffset: 500)
    try handle.write(contentsOf: [content[500] ^ 1])
    try handle.close()
    let report = try await cache.verify()
    #expect(report.count == 1)
    let damaged = try #require(report.first?.damagedBytes)
    #expect(damaged.count == 1 && damaged[0].contains(500))
    #expect(try #require(await cache.entries().first).path.hasSuffix(".part"))
    let playback = try await cache.playback(of: testKey, testVersion(content), from: source)
    #expect(try await playback.readAll() == content)
    #expect(source.deliveredBytes <= 1000 + 64)
  }

  @Test func `removing and cleaning take what they say, and players play on`() async throws {
    let folder = try TemporaryFolder()
    let cache = try open(folder)
    let keys = (0..<3).map { RecordingKey(robot: "r", name: "\($0)") }
    for key in keys {
      let playback = try await cache.playback(of: key, testVersion(content), from: TestSource(content))
      try await playback.download()
    }
    while !(await cache.isAtRest) { try await Task.sleep(for: .milliseconds(1)) }
    try await cache.keep(keys[0])
    let source = TestSource(content)
    let playing = try await cache.playback(of: keys[1], testVersion(content), from: source)
    #expect(try await cache.clean() == 1000)
    #expect(await cache.entries().map(\.key.name) == ["0", "1"])
    try await cache.remove(keys[1])
    try await cache.remove(keys[0])
    await #expect(throws: MediaCacheError.notCached(keys[0])) { try await cache.remove(keys[0]) }
    #expect(await cache.entries().isEmpty)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("cache/media")) == [])
    #expect(try await playing.readAll() == content)
  }

  @Test func `hole filling keeps to its rate and completes the file`() async throws {
    let folder = try TemporaryFolder()
    let slept = Mutex(Duration.zero)
    let limits = MediaCacheLimits.small
    let time = MovableClock(ahead: .zero) { duration in
      if duration != limits.tick { slept.withLock { $0 += duration } }
      try? await Task.sleep(for: .milliseconds(1))
    }
    let clock = time.clock
    let cache = try MediaCache(at: folder.path("cache"), quota: 1 << 20, limits: limits, clock: clock)
    let source = TestSource(content)
    let playback = try await cache.playback(of: testKey, testVersion(content), from: source)
    _ = try await playback.readAll(300..<400)
    let before = source.deliveredBytes
    try await playback.fillHoles(bytesPerSecond: 10)
    #expect(playback.state.isComplete)
    // The last chunk of each of the two holes ends its fetch, and is not delayed.
    let paced = source.deliveredBytes - before
    #expect(slept.withLock { $0 } >= .seconds(Double(paced) / 10) - .seconds(13))
    #expect(slept.withLock { $0 } <= .seconds(Double(paced) / 10))
  }

  @Test func `the first seconds are preloaded by the recording's own index, and states count in seconds`() async throws
  {
    let folder = try TemporaryFolder()
    let cache = try open(folder)
    let (recording, headEnd) = TestRecording.make(seconds: 20)
    let source = TestSource(recording)
    let playback = try await cache.playback(of: testKey, testVersion(recording), from: source)
    #expect(playback.state.cachedSeconds == nil && playback.state.duration == nil)
    try await playback.preload(seconds: 3)
    let state = playback.state
    #expect(state.duration == 20 && state.cachedSeconds?.first?.lowerBound == 0)
    #expect(state.cachedSeconds?.first?.upperBound ?? 0 >= 3)
    // Only this much is preloaded, plus the bytes that were in transit.
    #expect(source.deliveredBytes <= UInt64(headEnd + 8 + 300 + 2 * 64))
    _ = try await playback.readAll(UInt64(headEnd + 8 + 1000)..<UInt64(headEnd + 8 + 1500))
    #expect(playback.state.cachedSeconds?.last == 10..<15)
  }

  @Test func `without an index, preloading seconds preloads all of it`() async throws {
    let folder = try TemporaryFolder()
    let cache = try open(folder)
    let playback = try await cache.playback(of: testKey, testVersion(content), from: TestSource(content))
    try await playback.preload(seconds: 1)
    #expect(playback.state.cachedBytes == [0..<1000] && playback.state.cachedSeconds == nil)
  }
}
