/// Damage to bytes on the disk: it is found before they are delivered, and costs no more than necessary.

import FootageBase
import Foundation
import FootageSystem
import Synchronization
import LinuxTestSupport
import Testing

@testable import FootageCore

@Suite(.offThePool) struct CacheDamageTests {
  let content = testBytes(1000)

  /// Fills a cache as an earlier run did, and keeps the recording.
  private func filled(_ disk: SimulatedDisk, isKept: Bool = true) async throws {
    let cache = try MediaCache(at: "/c", quota: 1 << 20, files: disk, limits: .small)
    try await cache.playback(of: testKey, testVersion(content), from: TestSource(content)).download()
    if isKept { try await cache.keep(testKey) }
    await cache.close()
  }

  private func open(_ disk: SimulatedDisk) throws -> MediaCache {
    try MediaCache(at: "/c", quota: 1 << 20, files: disk, limits: .small)
  }

  private func damage(_ disk: SimulatedDisk, _ offsets: Int...) {
    disk.state.withLock { state in
      guard let name = state.names.keys.first(where: { $0.hasSuffix(".mp4") || $0.hasSuffix(".part") }),
        let inode = state.names[name]
      else { return }
      for offset in offsets { state.inodes[inode]?.bytes[offset] ^= 1 }
    }
  }

  @Test func `a damaged byte is not given, and its block alone is fetched again`() async throws {
    let disk = SimulatedDisk()
    try await filled(disk)
    damage(disk, 500)
    let cache = try open(disk)
    let source = TestSource(content)
    let playback = try await cache.playback(of: testKey, testVersion(content), from: source)
    #expect(try await playback.readAll() == content)
    #expect(source.requestedRanges == [496..<512])
    try await playback.download()
    #expect(try await cache.verify().allSatisfy { $0.damagedBytes.isEmpty })
    #expect(try #require(await cache.entries().first).isKept)
  }

  @Test func `where nobody can replace it, the read says which bytes, and the rest plays and stays kept`() async throws
  {
    let disk = SimulatedDisk()
    try await filled(disk)
    damage(disk, 500, 505)
    for round in 0..<3 {
      // The last round is without the index.
      if round == 2 { disk.state.withLock { $0.isIndexDamaged = true } }
      let cache = try open(disk)
      let playback = try await cache.playback(of: testKey)
      #expect(try await playback.readAll(0..<496) == Array(content[..<496]))
      let error = await #expect(throws: MediaCacheError.self) { try await playback.readAll(480..<600) }
      // Later runs know only that the range is missing.
      #expect(error == (round == 0 ? .damaged(testKey, 496..<512) : .offline(testKey)))
      #expect(try await playback.readAll(512..<1000) == Array(content[512...]))
      let entry = try #require(await cache.entries().first)
      #expect(entry.isKept && !entry.isComplete && entry.cachedBytes == 984)
      await cache.close()
    }
  }

  @Test func `verify takes the damaged blocks from what is kept, and nothing else`() async throws {
    let disk = SimulatedDisk()
    try await filled(disk)
    damage(disk, 0, 20, 500, 999)
    let cache = try open(disk)
    #expect(try await cache.verify().map(\.damagedBytes) == [[0..<32, 496..<512, 992..<1000]])
    let entry = try #require(await cache.entries().first)
    #expect(entry.isKept && entry.cachedBytes == 1000 - 56)
    #expect(try await cache.verify().map(\.damagedBytes) == [[]])
    let source = TestSource(content)
    try await cache.playback(of: testKey, testVersion(content), from: source).download()
    #expect(source.deliveredBytes <= 56 + 3 * 16)
    #expect(try #require(await cache.entries().first).isComplete)
  }

  @Test func `what was compared once is not compared again while it is open`() async throws {
    let disk = SimulatedDisk()
    try await filled(disk)
    let playback = try await open(disk).playback(of: testKey)
    // Read-ahead by bytes does not look for the recording's own index, which would be one more read.
    playback.readAhead = .all
    #expect(try await playback.readAll(step: 1000) == content)
    let before = disk.callCount
    #expect(try await playback.readAll(step: 1000) == content)
    // One read per 40 bytes, and nothing else.
    #expect(disk.state.withLock { $0.calls.dropFirst(before).count { $0.hasPrefix("read ") } } == 25)
  }

  @Test func `what was received just now is given without being compared, and after a start it is`() async throws {
    let disk = SimulatedDisk()
    let cache = try open(disk)
    let playback = try await cache.playback(of: testKey, testVersion(content), from: TestSource(content))
    try await playback.download()
    let calls = disk.state.withLock { $0.calls }
    // Nothing was read back to calculate a checksum.
    #expect(!calls.contains { $0.hasPrefix("read /c/media/") && !$0.hasSuffix(".card") })
  }

  @Test func `a second process finds damage too, and reads from the robot`() async throws {
    let folder = try TemporaryFolder()
    let cache = try MediaCache(at: folder.path("cache"), quota: 1 << 20, limits: .small)
    try await cache.playback(of: testKey, testVersion(content), from: TestSource(content)).download()
    let path = try #require(await cache.entries().first).path
    let handle = try #require(FileHandle(forUpdatingAtPath: path))
    try handle.seek(toOffset: 500)
    try handle.write(contentsOf: [content[500] ^ 1])
    try handle.close()
    let second = try MediaCache(at: folder.path("cache"), quota: 1 << 20, limits: .small)
    do {
      let offline = try await second.playback(of: testKey)
      await #expect(throws: MediaCacheError.damaged(testKey, 496..<512)) { try await offline.readAll() }
    }
    let playback = try await second.playback(of: testKey, testVersion(content), from: TestSource(content))
    #expect(try await playback.readAll() == content)
  }

  @Test func `a damaged head makes no wrong time line`() async throws {
    let disk = SimulatedDisk()
    let (recording, headEnd) = TestRecording.make(seconds: 20)
    do {
      let cache = try open(disk)
      try await cache.playback(of: testKey, testVersion(recording), from: TestSource(recording)).download()
      await cache.close()
    }
    damage(disk, headEnd - 10, 100)
    let playback = try await open(disk).playback(of: testKey, testVersion(recording), from: TestSource(recording))
    try await playback.preload(seconds: 20)
    #expect(playback.state.duration == 20 && playback.state.cachedSeconds == [0..<20])
  }

  @Test func `a disk that cannot be read is no damage that is told`() async throws {
    let disk = SimulatedDisk()
    try await filled(disk)
    let playback = try await open(disk).playback(of: testKey, testVersion(content), from: TestSource(content))
    disk.failing { $0.hasPrefix("read") ? .ioError : nil }
    #expect(try await playback.readAll() == content)
    disk.failing(nil)
    #expect(try await playback.readAll() == content)
  }
}

@Suite struct ReceivedChecksumsTests {
  let content = testBytes(5000)

  private func checksum(_ range: Range<Int>) -> UInt64 {
    var checksum = RangeChecksum()
    checksum.update(content, range)
    return checksum.value
  }

  private func add(_ range: Range<Int>, to checksums: inout ReceivedChecksums) {
    checksums.put(checksums.growth(at: UInt64(range.lowerBound), by: Array(content[range]), 0..<range.count))
  }

  /// Expects each range to be as if it had been made from the whole.
  private func expectRight(_ received: [ReceivedRange]) {
    for fragment in received.map(\.fragment) {
      #expect(fragment.isSound)
      for block in fragment.blocks(in: fragment.range) {
        #expect(block.checksum == checksum(Int(block.range.lowerBound)..<Int(block.range.upperBound)))
      }
    }
  }

  @Test(arguments: [1, 7, 99, 100, 101, 350, 5000])
  func `bytes in a row make fragments of the size they may have, whatever the steps`(_ step: Int) {
    var checksums = ReceivedChecksums(fragmentBytes: 1000, blockBytes: 100)
    for start in stride(from: 0, to: 5000, by: step) { add(start..<min(5000, start + step), to: &checksums) }
    let received = checksums.unclaimed
    let expected: [Range<UInt64>] = [0..<1000, 1000..<2000, 2000..<3000, 3000..<4000, 4000..<5000]
    #expect(received.map(\.fragment.range) == expected)
    #expect(received.allSatisfy { $0.fragment.checksums.count == 10 })
    expectRight(received)
  }

  @Test func `a fragment goes on growing after it was claimed`() {
    var checksums = ReceivedChecksums(fragmentBytes: 1000, blockBytes: 100)
    for second in 0..<20 {
      add((second * 70)..<(second * 70 + 70), to: &checksums)
      let received = checksums.unclaimed
      expectRight(received)
      // The part that was claimed before is known.
      #expect(received.map { $0.fragment.range.upperBound - $0.claimedEnd }.reduce(0, +) == 70)
      checksums.claimed(received)
      #expect(checksums.unclaimed.isEmpty)
    }
  }

  @Test func `places at which bytes come do not disturb each other, and what is forgotten is not claimed`() {
    var checksums = ReceivedChecksums(fragmentBytes: 1000, blockBytes: 100)
    for step in 0..<5 {
      for place in [0, 2000, 4000] { add((place + step * 30)..<(place + step * 30 + 30), to: &checksums) }
    }
    expectRight(checksums.unclaimed)
    #expect(checksums.unclaimed.map(\.fragment.range) == [0..<150, 2000..<2150, 4000..<4150])
    checksums.forget(2100..<2101)
    #expect(checksums.unclaimed.map(\.fragment.range) == [0..<150, 4000..<4150])
    // Checksums of a run that is gone are dropped.
    let late = checksums.growth(at: 150, by: Array(content[150..<200]), 0..<50)
    checksums.forget(0..<1)
    checksums.put(late)
    #expect(checksums.unclaimed.map(\.fragment.range) == [4000..<4150])
  }

  @Test func `a fragment without some of its blocks is its rests`() {
    let fragment = ChecksummedRange(10..<95, blockBytes: 20, checksums: [1, 2, 3, 4, 5])
    #expect(fragment.isSound)
    #expect(fragment.without(0..<5) == [fragment])
    #expect(
      fragment.without(50..<51) == [
        ChecksummedRange(10..<50, blockBytes: 20, checksums: [1, 2]),
        ChecksummedRange(70..<95, blockBytes: 20, checksums: [4, 5]),
      ])
    #expect(fragment.without(0..<31) == [ChecksummedRange(50..<95, blockBytes: 20, checksums: [3, 4, 5])])
    #expect(fragment.without(94..<200) == [ChecksummedRange(10..<90, blockBytes: 20, checksums: [1, 2, 3, 4])])
    #expect(fragment.without(0..<100) == [])
  }

  @Test func `a slow evening makes few rows`() async throws {
    let folder = try TemporaryFolder()
    var limits = MediaCacheLimits()
    // As if a second passed between chunks.
    limits.commitBytes = 1
    let cache = try MediaCache(at: folder.path("cache"), quota: 1 << 30, limits: limits)
    let content = [UInt8](repeating: 7, count: 54 * 250_000)
    let source = TestSource(content, chunk: 250_000)
    source.hold()
    let playback = try await cache.playback(of: testKey, testVersion(content), from: source)
    let download = Task { try await playback.download() }
    for second in 1...54 {
      while await cache.entries().first?.cachedBytes ?? 0 < UInt64(second * 250_000) {
        // The last chunk of a request is shorter.
        source.permit(1)
        try await Task.sleep(for: .milliseconds(5))
      }
    }
    source.permit(1000)
    try await download.value
    await cache.close()
    let index = try #require(try RangeDatabase.read(folder.path("cache/fragments.sqlite")))
    let rows = try #require(index.values.first).fragments.map(\.range)
    #expect(rows.count <= 4 && RangeSet(rows).ranges == [0..<13_500_000], "\(rows)")
    let again = try MediaCache(at: folder.path("cache"), quota: 1 << 30, limits: limits)
    #expect(try await again.verify().map(\.damagedBytes) == [[]])
  }
}
