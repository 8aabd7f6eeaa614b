/// Full and read-only disks: cached recordings are listed, played and exported, and unused ones make room.

import FootageClient
import Foundation
import FootageSystem
import Synchronization
import LinuxTestSupport
import Testing

/// A small file system in memory, which is mounted for as long as the object lives.
private final class SmallDisk {
  let folder: TemporaryFolder
  var path: String { folder.path("disk") }
  private let search = (ProcessInfo.processInfo.environment["PATH"] ?? "") + ":/usr/sbin:/sbin"

  init(bytes: Int) throws {
    folder = try TemporaryFolder()
    try FileManager.default.createDirectory(atPath: folder.path("disk"), withIntermediateDirectories: false)
    _ = try Command("mount", "-t", "tmpfs", "-o", "size=\(bytes)", "footage", path, environment: ["PATH": search])
      .successfulOutput()
  }

  /// Remounts the disk, and waits until no process has a file open any more.
  func remount(_ option: String) async throws {
    let command = Command("mount", "-o", "remount,\(option)", path, environment: ["PATH": search])
    while true {
      let outcome = try command.run()
      if outcome.succeeded { return }
      guard outcome.errors.contains("busy") else { throw TestProblem(outcome.errors) }
      try await Task.sleep(for: .milliseconds(10))
    }
  }

  /// Fills the disk to its last byte.
  func fill() throws {
    let file = path + "/filling"
    try Data().write(to: URL(filePath: file))
    guard let handle = FileHandle(forWritingAtPath: file) else { throw TestProblem("no \(file)") }
    for size in [1 << 16, 4096, 1] {
      let bytes = Data(count: size)
      do { while true { try handle.write(contentsOf: bytes) } } catch { continue }
    }
  }

  deinit { _ = try? Command("umount", "-l", path, environment: ["PATH": search]).run() }

  static let mayMount: Bool = getuid() == 0 && (try? SmallDisk(bytes: 1 << 20)) != nil
}

@Suite(.offThePool, .serialized, .timeLimit(.minutes(2))) struct CacheRoomTests {
  static let (one, other, third) = (
    RecordingKey(robot: "r", name: "one"), RecordingKey(robot: "r", name: "other"),
    RecordingKey(robot: "r", name: "third")
  )
  let content = testBytes(1000)

  private func load(_ key: RecordingKey, _ content: [UInt8], _ cache: MediaCache) async throws {
    try await cache.playback(of: key, testVersion(content), from: TestSource(content, chunk: 1 << 16)).download()
    while !(await cache.isAtRest) { try await Task.sleep(for: .milliseconds(1)) }
  }

  @Test func `a full disk gives up what is unused before it gives up storing`() async throws {
    let disk = SimulatedDisk()
    let cache = try MediaCache(at: "/c", quota: 1 << 20, files: disk, limits: .small)
    try await load(Self.one, content, cache)
    try await load(Self.other, content, cache)
    try await cache.keep(Self.other)
    // With the cards, there is not enough room for all of a third recording.
    disk.state.withLock { $0.capacity = 4500 }
    let playback = try await cache.playback(of: Self.third, testVersion(content), from: TestSource(content))
    #expect(try await playback.readAll() == content)
    try await playback.download()
    #expect(playback.state.isComplete && playback.state.storageProblem == nil)
    #expect(await cache.entries().map(\.key) == [Self.other, Self.third])
    #expect(try await cache.verify().allSatisfy { $0.damagedBytes.isEmpty })
  }

  @Test func `where all is kept, or plays, a full disk costs what is new, and nothing else`() async throws {
    let disk = SimulatedDisk()
    let cache = try MediaCache(at: "/c", quota: 1 << 20, files: disk, limits: .small)
    try await load(Self.one, content, cache)
    try await cache.keep(Self.one)
    disk.state.withLock { $0.capacity = 3300 }
    let playback = try await cache.playback(of: Self.other, testVersion(content), from: TestSource(content))
    #expect(try await playback.readAll() == content)
    #expect(playback.state.storageProblem?.description.contains("No space left") == true)
    #expect(playback.state.storageProblem?.reason == .noRoom)
    #expect(try #require(await cache.entries().first { $0.key == Self.one }).isComplete)
  }

  @Test func `an index that has no room makes some`() async throws {
    let disk = SimulatedDisk()
    let cache = try MediaCache(at: "/c", quota: 1 << 20, files: disk, limits: .small)
    try await load(Self.one, content, cache)
    try await load(Self.other, content, cache)
    disk.failing { $0 == "index remove" ? .noSpaceLeft : nil }
    try await cache.remove(Self.one)
    #expect(await cache.entries().map(\.key) == [Self.other])
    disk.failing(nil)
    await cache.close()
    let again = try MediaCache(at: "/c", quota: 1 << 20, files: disk.afterKill(), limits: .small)
    #expect(await again.entries().map(\.key) == [Self.other])
  }

  @Test func `what the robot has replaced goes before what was unused for longer`() async throws {
    let folder = try TemporaryFolder()
    let cache = try MediaCache(at: folder.path("cache"), quota: 3000, limits: .small)
    try await load(Self.one, content, cache)
    try await load(Self.other, content, cache)
    let new = testBytes(1000, seed: 2)
    let playback = try await cache.playback(of: Self.other, testVersion(new, "2"), from: TestSource(new))
    #expect(try await playback.readAll(0..<500) == Array(new[..<500]))
    #expect(await cache.entries().count == 3)
    let more = testBytes(600)
    try await cache.playback(of: Self.third, testVersion(more), from: TestSource(more)).download()
    #expect(
      await cache.entries().map { "\($0.key.name) \($0.version.tag)" } == ["one \"1\"", "other \"2\"", "third \"1\""])
  }

  private static let words: Comment = "a file system in memory can be mounted (root)"

  @Test(.enabled(if: SmallDisk.mayMount, words), arguments: [true, false])
  func `on a full disk everything is listed, played and exported, and removing makes room`(
    wasClosed: Bool
  ) async throws {
    let disk = try SmallDisk(bytes: 4 << 20)
    let (kept, loose) = (testBytes(1 << 20), testBytes(600_000, seed: 2))
    let folder = disk.path + "/cache"
    var cache: MediaCache? = try MediaCache(at: folder, quota: 1 << 30)
    try await load(Self.one, kept, try #require(cache))
    try await load(Self.other, loose, try #require(cache))
    try await cache?.keep(Self.one)
    if wasClosed { await cache?.close() }
    cache = nil
    try disk.fill()
    let full = try MediaCache(at: folder, quota: 1 << 30)
    #expect(Set(await full.entries().map(\.key)) == [Self.one, Self.other])
    #expect(await full.entries().allSatisfy(\.isComplete))
    #expect(try await full.playback(of: Self.one).readAll(step: 1 << 18) == kept)
    try await full.export(Self.one, to: disk.folder.path("out.mp4"))
    #expect(FileManager.default.contents(atPath: disk.folder.path("out.mp4")) == Data(kept))
    let past = try await full.playback(of: Self.third, testVersion(content), from: TestSource(content))
    #expect(try await past.readAll() == content)
    _ = consume past
    while !(await full.isAtRest) { try await Task.sleep(for: .milliseconds(1)) }
    if await full.entries().contains(where: { $0.key == Self.other }) { try await full.remove(Self.other) }
    #expect(!(await full.entries().contains { $0.key == Self.other }))
    // There is room again, and the cache works as before.
    try await load(Self.third, testBytes(300_000, seed: 3), full)
    #expect(await full.folderProblem == nil)
    #expect(try #require(await full.entries().first { $0.key == Self.third }).isComplete)
    await full.close()
    let after = try MediaCache(at: folder, quota: 1 << 30)
    #expect(await after.entries().map { "\($0.key.name) \($0.isKept)" } == ["one true", "third false"])
    #expect(try await after.verify().allSatisfy { $0.damagedBytes.isEmpty })
  }

  @Test(.enabled(if: SmallDisk.mayMount, words), arguments: ["closed", "killed", "no index", "garbage"])
  func `on a read-only disk everything is listed, played and exported, and nothing is changed`(
    _ state: String
  ) async throws {
    let disk = try SmallDisk(bytes: 4 << 20)
    let kept = testBytes(1 << 20)
    let folder = disk.path + "/cache"
    var cache: MediaCache? = try MediaCache(at: folder, quota: 1 << 30)
    try await cache?.playback(of: Self.one, testVersion(kept), item: "{}", from: TestSource(kept, chunk: 1 << 16))
      .download()
    try await cache?.keep(Self.one)
    while await cache?.isAtRest == false { try await Task.sleep(for: .milliseconds(1)) }
    if state != "killed" { await cache?.close() }
    // A killed process has left the index's log behind.
    if state == "killed" { _ = try Command("cp", "-a", folder, disk.path + "/copy").successfulOutput() }
    cache = nil
    let path = state == "killed" ? disk.path + "/copy" : folder
    if state == "no index" {
      for name in ["", "-wal", "-shm"] {
        try? FileManager.default.removeItem(atPath: folder + "/fragments.sqlite" + name)
      }
    }
    if state == "garbage" { try Data(testBytes(5000)).write(to: URL(filePath: folder + "/fragments.sqlite")) }
    try await disk.remount("ro")
    let words = EventLog<String>()
    let read = try MediaCache(at: path, quota: 1 << 30, onWarning: { words.append($0) })
    #expect(words.all.count == 1 && words.all[0].contains("Read-only file system"), "\(words.all)")
    #expect(await read.folderProblem != nil)
    let entry = try #require(await read.entries().first)
    #expect(entry.isComplete && entry.isKept && entry.itemJSON == "{}")
    #expect(try await read.playback(of: Self.one).readAll(step: 1 << 18) == kept)
    try await read.export(Self.one, to: disk.folder.path("out.mp4"))
    #expect(FileManager.default.contents(atPath: disk.folder.path("out.mp4")) == Data(kept))
    #expect(try await read.verify().map(\.damagedBytes) == [[]])
    await #expect(throws: MediaCacheError.self) { try await read.release(Self.one) }
    await #expect(throws: MediaCacheError.self) { try await read.remove(Self.one) }
    await #expect(throws: MediaCacheError.self) { try await read.clean() }
    let past = try await read.playback(of: Self.other, testVersion(content), from: TestSource(content))
    #expect(try await past.readAll() == content)
    #expect(past.state.storageProblem?.description.contains("Read-only file system") == true)
    #expect(past.state.storageProblem?.reason == .noPermission)
    _ = consume past
    while !(await read.isAtRest) { try await Task.sleep(for: .milliseconds(1)) }
    try await disk.remount("rw")
    try await load(Self.other, content, read)
    #expect(await read.folderProblem == nil)
    #expect(await read.entries().filter(\.isComplete).count == 2)
  }
}
