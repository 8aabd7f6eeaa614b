/// Power cuts and kill -9 between any two calls of the cache.

import FootageClient
import FootageBase
import Foundation
import FootageSystem
import Synchronization
import LinuxTestSupport
import Testing

@Suite(.serialized) struct CacheCrashTests {
  private static let keys = (0..<3).map { RecordingKey(robot: "r", name: "\($0)") }
  private static let contents = (0..<3).map { testBytes(200 + 30 * $0, seed: UInt64($0)) }

  /// Runs a cache from start to end: two recordings complete, one partial, one that makes room for another, one
  /// removed.
  private func live(on disk: SimulatedDisk) async {
    guard let cache = try? MediaCache(at: "/c", quota: 500, files: disk, limits: .small) else { return }
    for index in Self.keys.indices {
      guard
        let playback = try? await cache.playback(
          of: Self.keys[index], testVersion(Self.contents[index], "\(index)"), from: TestSource(Self.contents[index]))
      else { continue }
      if index == 1 {
        _ = try? await playback.readAll(50..<120)
        _ = try? await playback.readAll(170..<200)
      }
      try? await playback.download()
    }
    try? await cache.keep(Self.keys[1])
    try? await cache.remove(Self.keys[0])
    await cache.close()
  }

  /// Opens the remains and reads all of them, with the robot's help and without it.
  private func check(_ disk: SimulatedDisk, _ when: String) async throws {
    let cache = try MediaCache(at: "/c", quota: 500, files: disk, limits: .small)
    for (_, record) in disk.claims {
      let index = try #require(Self.keys.firstIndex(of: record.key))
      let file = disk.content("/c/media/\(record.stem).mp4") ?? disk.content("/c/media/\(record.stem).part") ?? []
      for range in record.claimed.ranges {
        let range = Int(range.lowerBound)..<Int(range.upperBound)
        #expect(range.upperBound <= file.count && file[range] == Self.contents[index][range], "\(when)")
      }
    }
    // There are no files without a claim.
    let stems = Set(disk.claims.values.map(\.stem))
    for path in disk.paths where path.hasPrefix("/c/media/") {
      #expect(stems.contains { path.hasPrefix("/c/media/\($0).") }, "\(when): \(path)")
    }
    #expect(try await cache.verify().allSatisfy { $0.damagedBytes.isEmpty }, "\(when)")
    for index in Self.keys.indices {
      let playback = try await cache.playback(
        of: Self.keys[index], testVersion(Self.contents[index], "\(index)"), from: TestSource(Self.contents[index]))
      #expect(try await playback.readAll() == Self.contents[index], "\(when)")
    }
    await cache.close()
  }

  /// Checks that a complete file with its card is found without the index, too.
  private func checkWithoutIndex(_ disk: SimulatedDisk, _ when: String) async throws {
    disk.state.withLock { $0.isIndexDamaged = true }
    let paths = disk.paths
    let complete = paths.filter { $0.hasSuffix(".mp4") && paths.contains($0.dropLast(4) + ".card") }
    let cache = try MediaCache(at: "/c", quota: 500, files: disk, limits: .small)
    #expect(Set(complete).isSubset(of: await cache.entries().filter(\.isComplete).map(\.path)), "\(when)")
    await cache.close()
    try await check(disk, when)
  }

  @Test(.timeLimit(.minutes(5)))
  func `an index that was lost, and a crash while it is made anew, cost no complete recording`() async throws {
    let whole = SimulatedDisk()
    await live(on: whole)
    let count = try await callsOfRebuilding(whole.afterKill())
    #expect(count > 10)
    for call in 1...count {
      let disk = whole.afterKill()
      disk.state.withLock {
        $0.isIndexDamaged = true
        $0.powerEnds = call
      }
      _ = try? MediaCache(at: "/c", quota: 500, files: disk, limits: .small)
      for seed in UInt64(0)..<3 {
        var random = SeededGenerator(seed: seed)
        let found = seed == 0 ? disk.afterKill() : disk.afterPowerCut(&random)
        let cache = try MediaCache(at: "/c", quota: 500, files: found, limits: .small)
        let entry = try #require(await cache.entries().first { $0.key == Self.keys[1] }, "\(call)")
        #expect(entry.isComplete && entry.isKept, "\(call)")
        #expect(found.content(entry.path) == Self.contents[1], "\(call)")
        await cache.close()
        try await check(found, "rebuilding ended at call \(call)")
      }
    }
  }

  private func callsOfRebuilding(_ disk: SimulatedDisk) async throws -> Int {
    disk.state.withLock { $0.isIndexDamaged = true }
    let cache = try MediaCache(at: "/c", quota: 500, files: disk, limits: .small)
    let count = disk.callCount
    await cache.close()
    return count
  }

  @Test(.timeLimit(.minutes(5))) func `nothing claimed is missing after a crash between any two calls`() async throws {
    let whole = SimulatedDisk()
    await live(on: whole)
    let callCount = whole.callCount
    #expect(callCount > 50)
    for call in 1...callCount {
      let disk = SimulatedDisk()
      disk.state.withLock { $0.powerEnds = call }
      await live(on: disk)
      try await check(disk.afterKill(), "killed at call \(call)")
      for seed in UInt64(0)..<4 {
        var random = SeededGenerator(seed: seed &* 1000 &+ UInt64(call))
        try await check(disk.afterPowerCut(&random), "power cut at call \(call), seed \(seed)")
      }
      try await checkWithoutIndex(disk.afterKill(), "killed at call \(call), and the index lost")
    }
  }

  @Test func `the sync comes before the claim, and the name before both are of use`() async throws {
    let disk = SimulatedDisk()
    let cache = try MediaCache(at: "/c", quota: 500, files: disk, limits: .small)
    let playback = try await cache.playback(
      of: testKey, testVersion(Self.contents[0]), from: TestSource(Self.contents[0]))
    try await playback.download()
    await cache.close()
    let calls = disk.state.withLock { $0.calls }
    let claim = try #require(calls.firstIndex(of: "index add"))
    #expect(calls[..<claim].contains { $0.hasPrefix("sync /c/media/") })
    #expect(calls[..<claim].contains("syncfolder /c/media"))
    #expect(calls[..<claim].last { !$0.hasPrefix("write ") } == "syncfolder /c/media")
  }

  @Test(.timeLimit(.minutes(5))) func `kill -9 at any moment leaves a cache that is as good as before`() async throws {
    let folder = try TemporaryFolder()
    var random = SeededGenerator(seed: 9)
    for round in 0..<8 {
      let (path, microseconds) = (folder.path("cache"), UInt32.random(in: 0..<60_000, using: &random))
      await #expect(processExitsWith: .signal(SIGKILL)) {
        [path = path as String, microseconds = microseconds as UInt32, round = round as Int] in
        let cache = try MediaCache(at: path, quota: 2 << 20, limits: .small)
        let killer = try FootageSystem.Thread.start("killer") {
          usleep(microseconds)
          kill(getpid(), SIGKILL)
        }
        for index in 0..<1000 {
          let content = testBytes(300_000, seed: UInt64(index % 9))
          let source = TestSource(content, chunk: 20_000)
          let playback = try await cache.playback(
            of: RecordingKey(robot: "r", name: "\((index + round) % 9)"), testVersion(content, "\(index % 9)"),
            from: source)
          _ = try await playback.readAll(100_000..<200_000, step: 50_000)
          try await playback.download()
        }
        killer.join()
      }
      let cache = try MediaCache(at: path, quota: 2 << 20, limits: .small)
      #expect(try await cache.verify().allSatisfy { $0.damagedBytes.isEmpty })
      for entry in await cache.entries() {
        let seed = try #require(UInt64(entry.version.tag.dropFirst().dropLast()))
        let playback = try await cache.playback(
          of: entry.key, entry.version, from: TestSource(testBytes(300_000, seed: seed), chunk: 20_000))
        #expect(try await playback.readAll(step: 50_000) == testBytes(300_000, seed: seed))
      }
      await cache.close()
    }
  }
}
