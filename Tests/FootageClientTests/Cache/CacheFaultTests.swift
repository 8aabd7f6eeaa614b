/// Full, broken and missing disks and databases: everything plays, and nothing has to be deleted by hand.

import FootageClient
import Foundation
import FootageSystem
import Synchronization
import LinuxTestSupport
import Testing

@Suite struct CacheFaultTests {
  let content = testBytes(1000)

  private func play(_ cache: MediaCache, _ source: TestSource? = nil) async throws -> [UInt8] {
    try await cache.playback(of: testKey, testVersion(content), from: source ?? TestSource(content)).readAll()
  }

  @Test(arguments: [
    ("write", Errno.noSpaceLeft), ("write", .diskQuotaExceeded), ("write", .ioError),
    ("create", .noSpaceLeft),
    ("create", .readOnlyFileSystem), ("sync /", .ioError), ("index", .noSpaceLeft), ("read", .ioError),
    ("rename", .ioError), ("syncfolder", .ioError),
  ])
  func `a disk that fails costs the cache, never the playback`(_ call: String, _ number: Errno) async throws {
    let disk = SimulatedDisk()
    let cache = try MediaCache(at: "/c", quota: 1 << 20, files: disk, limits: .small)
    disk.failing { $0.hasPrefix(call) ? number : nil }
    let source = TestSource(content)
    #expect(try await play(cache, source) == content)
    disk.failing(nil)
    #expect(try await play(cache, source) == content)
    let playback = try await cache.playback(of: testKey, testVersion(content), from: source)
    try await playback.download()
    #expect(playback.state.isComplete && playback.state.storageProblem == nil)
    #expect(try await cache.verify().allSatisfy { $0.damagedBytes.isEmpty })
  }

  @Test func `what is claimed is never written over, even where it cannot be read and the claim not taken back`()
    async throws
  {
    let disk = SimulatedDisk()
    let cache = try MediaCache(at: "/c", quota: 1 << 20, files: disk, limits: .small)
    let source = TestSource(content)
    let playback = try await cache.playback(of: testKey, testVersion(content), from: source)
    try await playback.download()
    disk.failing { $0.hasPrefix("read") || $0.hasPrefix("index") ? .ioError : nil }
    let before = disk.callCount
    #expect(try await playback.readAll() == content)
    disk.failing(nil)
    #expect(try await playback.readAll() == content)
    #expect(disk.state.withLock { $0.calls.dropFirst(before).contains { $0.hasPrefix("write ") } } == false)
  }

  @Test func `a claim goes for good before its bytes are written over`() async throws {
    let disk = SimulatedDisk()
    let cache = try MediaCache(at: "/c", quota: 1 << 20, files: disk, limits: .small)
    let playback = try await cache.playback(of: testKey, testVersion(content), from: TestSource(content))
    try await playback.download()
    disk.failing { $0.hasPrefix("read") ? .ioError : nil }
    let before = disk.callCount
    let reader = try playback.reader(of: 0..<1000)
    #expect(try await reader.read(at: 0, count: 10) == Array(content.prefix(10)))
    disk.failing(nil)
    try await playback.download()
    let calls = disk.state.withLock { Array($0.calls.dropFirst(before)) }
    let unclaim = try #require(calls.firstIndex(of: "index unclaim"))
    #expect(calls.firstIndex { $0.hasPrefix("write ") }.map { $0 > unclaim } != false)
  }

  @Test func `what is still claimed is not written over`() async throws {
    let disk = SimulatedDisk()
    let cache = try MediaCache(at: "/c", quota: 1 << 20, files: disk, limits: .small)
    let source = TestSource(content)
    try await cache.playback(of: testKey, testVersion(content), from: source).download()
    disk.failing { $0.hasPrefix("read") || $0.hasPrefix("index") ? .ioError : nil }
    let playback = try await cache.playback(of: testKey, testVersion(content), from: source)
    #expect(try await playback.readAll(300..<400) == Array(content[300..<400]))
    disk.failing(nil)
    let calls = disk.state.withLock { $0.calls.count }
    #expect(try await playback.readAll() == content)
    #expect(disk.state.withLock { $0.calls[calls...].count { $0.hasPrefix("write") } } == 0)
    #expect(disk.claims.values.first?.isComplete == true)
    // A power cut at this moment tears everything that was written since the last sync.
    for seed in UInt64(0)..<8 {
      var random = SeededGenerator(seed: seed)
      let found = disk.afterPowerCut(&random)
      let again = try MediaCache(at: "/c", quota: 1 << 20, files: found, limits: .small)
      #expect(try await again.verify().allSatisfy { $0.damagedBytes.isEmpty }, "seed \(seed)")
    }
  }

  @Test func `a full disk is said in the state`() async throws {
    let disk = SimulatedDisk()
    let cache = try MediaCache(at: "/c", quota: 1 << 20, files: disk, limits: .small)
    disk.failing { $0.hasPrefix("write") ? .noSpaceLeft : nil }
    let playback = try await cache.playback(of: testKey, testVersion(content), from: TestSource(content))
    let error = await #expect(throws: MediaCacheError.self) { try await playback.download() }
    #expect(error?.description.contains("No space left on device (free some room on this file system)") == true)
    #expect(playback.state.storageProblem?.description.contains("No space left") == true)
  }

  @Test func `a sync that failed is not believed later`() async throws {
    let disk = SimulatedDisk()
    let cache = try MediaCache(at: "/c", quota: 1 << 20, files: disk, limits: .small)
    disk.failing { $0.hasPrefix("sync /") ? .ioError : nil }
    let source = TestSource(content)
    let playback = try await cache.playback(of: testKey, testVersion(content), from: source)
    await #expect(throws: MediaCacheError.self) { try await playback.download() }
    disk.failing(nil)
    // Bytes that the kernel may have dropped are fetched again; a second sync would not help.
    try await playback.download()
    #expect(source.deliveredBytes >= 1064)
    #expect(disk.claims.values.first?.isComplete == true)
  }

  @Test func `a folder that cannot be made leaves everything playing`() async throws {
    let folder = try TemporaryFolder()
    try Data().write(to: URL(filePath: folder.path("file")))
    let words = EventLog<String>()
    let cache = try MediaCache(
      at: folder.path("file/cache"), quota: 1 << 20, limits: .small, onWarning: { words.append($0) })
    #expect(words.all.count == 1 && words.all[0].contains("recordings play, but nothing is cached"))
    #expect(try await play(cache) == content)
    #expect(await cache.entries().isEmpty)
  }

  @Test func `a folder that was deleted is made anew, and who plays plays on`() async throws {
    let folder = try TemporaryFolder()
    let words = EventLog<String>()
    let cache = try MediaCache(
      at: folder.path("cache"), quota: 1 << 20, limits: .small, onWarning: { words.append($0) })
    let old = try await cache.playback(of: testKey, testVersion(content), from: TestSource(content))
    #expect(try await old.readAll(0..<500) == Array(content[..<500]))
    try FileManager.default.removeItem(atPath: folder.path("cache"))
    #expect(try await old.readAll() == content)
    let new = try await cache.playback(of: testKey, testVersion(content), from: TestSource(content))
    try await new.download()
    #expect(words.all.contains { $0.contains("deleted or replaced") })
    #expect(FileManager.default.contents(atPath: try #require(await cache.entries().first).path) == Data(content))
    #expect(try await old.readAll() == content)
  }

  @Test(arguments: ["garbage", "newer", "missing", "other schema", "cut"])
  func `a database that cannot be used is made anew, with a word, and what is complete stays`(
    _ fault: String
  ) async throws {
    let folder = try TemporaryFolder()
    let partial = RecordingKey(robot: "r", name: "partial")
    do {
      let cache = try MediaCache(at: folder.path("cache"), quota: 1 << 20, limits: .small)
      let playback = try await cache.playback(of: testKey, testVersion(content), from: TestSource(content))
      try await playback.download()
      try await cache.keep(testKey)
      let other = try await cache.playback(of: partial, testVersion(content), from: TestSource(content))
      #expect(try await other.readAll(0..<100).count == 100)
      await cache.close()
    }
    let path = folder.path("cache/fragments.sqlite")
    switch fault {
    case "garbage": try Data(testBytes(5000)).write(to: URL(filePath: path))
    case "newer": try Database(path: path).execute("PRAGMA user_version = 99")
    case "missing": try FileManager.default.removeItem(atPath: path)
    case "other schema":
      try FileManager.default.removeItem(atPath: path)
      try Database(path: path).execute(
        "CREATE TABLE versions (robot, tag, length_bytes, stem); PRAGMA user_version = 1")
    default: try #require(FileHandle(forWritingAtPath: path)).truncate(atOffset: 3000)
    }
    let words = EventLog<String>()
    let cache = try MediaCache(
      at: folder.path("cache"), quota: 1 << 20, limits: .small, onWarning: { words.append($0) })
    #expect(words.all.count == (fault == "missing" ? 1 : 2), "\(words.all)")
    #expect(words.all.last?.contains("was lost and rebuilt: 1 of 1 recordings are complete;") == true)
    let entry = try #require(await cache.entries().first)
    #expect(await cache.entries().count == 1)
    #expect(entry.key == testKey && entry.version == testVersion(content) && entry.isComplete && entry.isKept)
    #expect(FileManager.default.contents(atPath: entry.path) == Data(content))
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("cache/media")).count == 2)
    #expect(try await cache.playback(of: testKey).readAll() == content)
    let again = try await cache.playback(of: partial, testVersion(content), from: TestSource(content))
    #expect(try await again.readAll() == content)
  }

  @Test func `rows that make no sense are dropped, and so are files that are too short`() async throws {
    let folder = try TemporaryFolder()
    let keys = (0..<3).map { RecordingKey(robot: "r", name: "\($0)") }
    do {
      let cache = try MediaCache(at: folder.path("cache"), quota: 1 << 20, limits: .small)
      for key in keys {
        let playback = try await cache.playback(of: key, testVersion(content), from: TestSource(content))
        try await playback.download()
      }
      await cache.close()
    }
    do {
      let database = try Database(path: folder.path("cache/fragments.sqlite"))
      // Beyond the end, backward, negative, overlapping, and without a version.
      try database.execute(
        """
        DELETE FROM fragments WHERE version = 1;
        INSERT INTO fragments (version, start, end, checksum) VALUES (1, 990, 1010, 0), (1, 50, 40, 0), (1, -5, 10, 0), (1, 0, 48, 0), (99, 0, 10, 0);
        """)
    }
    let short = try #require(
      try FileManager.default.contentsOfDirectory(atPath: folder.path("cache/media")).first {
        $0.hasPrefix("1-") && $0.hasSuffix(".mp4")
      })
    try #require(FileHandle(forWritingAtPath: folder.path("cache/media/\(short)"))).truncate(atOffset: 999)
    let cache = try MediaCache(at: folder.path("cache"), quota: 1 << 20, limits: .small)
    // The remaining blocks of a truncated file are kept.
    let entries = await cache.entries().map { "\($0.key.name) \($0.cachedBytes)" }
    #expect(entries.count == 3 && entries.first == "0 48" && entries.last == "2 1000", "\(entries)")
    // The one that remained has a wrong checksum.
    #expect(try await cache.verify().map(\.damagedBytes.count).sorted() == [0, 0, 1])
    for key in keys {
      let playback = try await cache.playback(of: key, testVersion(content), from: TestSource(content))
      #expect(try await playback.readAll() == content)
    }
  }

  @Test func `what cannot be opened for a moment is not thrown away`() async throws {
    var disk = SimulatedDisk()
    do {
      let cache = try MediaCache(at: "/c", quota: 1 << 20, files: disk, limits: .small)
      let playback = try await cache.playback(of: testKey, testVersion(content), from: TestSource(content))
      try await playback.download()
      try await cache.keep(testKey)
      await cache.close()
    }
    disk = disk.afterKill()
    disk.failing { $0.hasPrefix("open") && $0.hasSuffix(".mp4") ? .ioError : nil }
    do {
      let cache = try MediaCache(at: "/c", quota: 1 << 20, files: disk, limits: .small)
      #expect(await cache.entries().map(\.isKept) == [true])
      await #expect(throws: MediaCacheError.self) { try await cache.verify() }
      await #expect(throws: MediaCacheError.self) { try await cache.playback(of: testKey) }
      await cache.close()
    }
    disk.failing(nil)
    disk = disk.afterKill()
    let cache = try MediaCache(at: "/c", quota: 1 << 20, files: disk, limits: .small)
    #expect(await cache.entries().map { $0.isKept && $0.isComplete } == [true])
    #expect(try await cache.playback(of: testKey).readAll() == content)
  }

  @Test func `a file that is cut under a player is fetched again`() async throws {
    let folder = try TemporaryFolder()
    let cache = try MediaCache(at: folder.path("cache"), quota: 1 << 20, limits: .small)
    let source = TestSource(content)
    let playback = try await cache.playback(of: testKey, testVersion(content), from: source)
    try await playback.download()
    let path = try #require(await cache.entries().first).path
    try #require(FileHandle(forWritingAtPath: path)).truncate(atOffset: 100)
    #expect(try await playback.readAll() == content)
  }
}
