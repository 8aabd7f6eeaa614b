/// The manifests of complete files, and the recordings that they restore.
import Foundation
import FootageSystem
import Synchronization
import Testing

@testable import FootageCore

@Suite struct VersionManifestTests {
  private static let record = CacheRecord(
    key: RecordingKey(robot: "sha256/A b", name: "front/ü \n\"x\""),
    version: RecordingVersion(tag: "\"a'b\"", length: 300), stem: "x-1", lastUse: 7,
    item: "{\"name\":\"ü %\"}",
    fragments: [
      ChecksummedRange(0..<100, checksum: 0), ChecksummedRange(100..<300, blockBytes: 150, checksums: [.max, 5]),
    ])

  @Test func `a manifest is read as it was written, and a cut one not at all`() throws {
    let manifest = try #require(VersionManifest(Self.record))
    let text = Array(manifest.text.utf8)
    #expect(VersionManifest(text, stem: "x-1") == manifest)
    for end in text.indices { #expect(VersionManifest(Array(text[..<end]), stem: "x-1") == nil) }
    #expect(VersionManifest(text + text, stem: "x-1") == nil)
  }

  @Test(arguments: [
    ("length 300", "length 301"), ("length 300", "length 18446744073709551615"), ("length 300", "length -1"),
    ("fragment 0 100 0", "fragment 1 100 0"), ("fragment 0 100 0", "fragment 0 99 0"),
    ("fragment 0 100 0", "fragment"), ("fragment 100 150", "fragment 50 150"),
    ("fragment 100 150", "fragment 100 0"), ("fragment 100 150", "fragment 100 18446744073709551615"),
    ("fragment 100 150", "fragment 18446744073709551615 150"), ("fragment 100 150", "fragment 100 151"),
    ("fragment 0 100 0\n", ""), ("kept 0", "kept 2"), ("used 7", "used"), ("item ", "items "),
    ("etag \"a'b\"", "etag W/\"a\""), ("footage-card 2", "footage-card 3"), ("footage-card 2", "footage-card 1"),
    ("ffffffffffffffff", "fffffffffffffffff"),
  ])
  func `a manifest that makes no sense is none`(from: String, to: String) throws {
    let text = try #require(VersionManifest(Self.record)).text
    #expect(text.contains(from))
    #expect(VersionManifest(Array(text.replacingOccurrences(of: from, with: to).utf8), stem: "x-1") == nil)
  }

  @Test func `what is not complete has none`() {
    var record = Self.record
    record.fragments.removeLast()
    #expect(VersionManifest(record) == nil)
  }

  @Test func `what is kept has one as far as it is here`() throws {
    var record = Self.record
    record.isKept = true
    record.fragments.removeFirst()
    let manifest = try #require(VersionManifest(record))
    #expect(VersionManifest(Array(manifest.text.utf8), stem: "x-1") == manifest)
    record.fragments = []
    #expect(VersionManifest(record) == nil)
  }

  @Test func `a manifest of the first kind is read, with a checksum for each fragment`() throws {
    let text = """
      footage-card 1
      robot sha256/A%20b
      name front/one
      etag "a"
      length 300
      kept 1
      used 7
      fragment 0 100 0
      fragment 100 300 ffffffffffffffff
      end

      """
    let record = try #require(VersionManifest(Array(text.utf8), stem: "x-1")).record
    #expect(
      record
        == CacheRecord(
          key: RecordingKey(robot: "sha256/A b", name: "front/one"),
          version: RecordingVersion(tag: "\"a\"", length: 300), stem: "x-1", isKept: true, lastUse: 7,
          fragments: [ChecksummedRange(0..<100, checksum: 0), ChecksummedRange(100..<300, checksum: .max)]))
  }

  private let content = testBytes(1000)

  private func filled(_ disk: SimulatedDisk) async throws -> String {
    let cache = try MediaCache(at: "/c", quota: 1 << 20, files: disk, limits: .small)
    try await cache.playback(of: testKey, testVersion(content), from: TestSource(content)).download()
    let path = try #require(await cache.entries().first).path
    await cache.close()
    return String(path.dropLast(4))
  }

  private func reopened(_ disk: SimulatedDisk) throws -> MediaCache {
    let disk = disk
    disk.state.withLock { $0.isIndexDamaged = true }
    return try MediaCache(at: "/c", quota: 1 << 20, files: disk, limits: .small)
  }

  @Test func `the manifest is there, for good, before the file has its name`() async throws {
    let disk = SimulatedDisk()
    let stem = try await filled(disk)
    let calls = disk.state.withLock { $0.calls }
    let name = try #require(calls.firstIndex(of: "rename \(stem).part"))
    let manifest = try #require(calls.firstIndex(of: "rename \(stem).draft"))
    #expect(calls[..<manifest].contains("sync \(stem).draft"))
    #expect(calls[manifest..<name].contains("syncfolder /c/media"))
  }

  @Test func `bytes that are no longer the recording's are fetched again, and the others are not`() async throws {
    let disk = SimulatedDisk()
    let stem = try await filled(disk)
    disk.state.withLock { state in
      guard let inode = state.names["\(stem).mp4"] else { return }
      state.inodes[inode]?.bytes[500] ^= 1
    }
    let cache = try reopened(disk)
    let entry = try #require(await cache.entries().first)
    #expect(!entry.isComplete && entry.cachedBytes >= 900 && entry.path == "\(stem).part")
    #expect(disk.content("\(stem).card") == nil)
    let source = TestSource(content)
    #expect(try await cache.playback(of: testKey, testVersion(content), from: source).readAll() == content)
    #expect(source.deliveredBytes < 200)
  }

  @Test(arguments: ["garbage", "another length", "no file"])
  func `a manifest that does not fit brings nothing back, and is swept`(fault: String) async throws {
    let disk = SimulatedDisk()
    let stem = try await filled(disk)
    disk.state.withLock { state in
      guard let manifest = state.names["\(stem).card"], let file = state.names["\(stem).mp4"] else { return }
      switch fault {
      case "garbage": state.inodes[manifest]?.bytes = testBytes(300)
      case "another length": state.inodes[file]?.bytes = []
      default: state.names["\(stem).mp4"] = nil
      }
    }
    let cache = try reopened(disk)
    #expect(await cache.entries().isEmpty)
    #expect(disk.paths == [])
  }

  @Test func `what is removed, or found damaged, has no manifest any more, and what is kept says so in it`()
    async throws
  {
    let disk = SimulatedDisk()
    let stem = try await filled(disk)
    let cache = try MediaCache(at: "/c", quota: 1 << 20, files: disk, limits: .small)
    func manifest() -> String? { disk.content("\(stem).card").map { String(decoding: $0, as: UTF8.self) } }
    #expect(manifest()?.contains("\nkept 0\n") == true)
    try await cache.keep(testKey)
    #expect(manifest()?.contains("\nkept 1\n") == true)
    disk.state.withLock { state in
      guard let inode = state.names["\(stem).mp4"] else { return }
      state.inodes[inode]?.bytes[500] ^= 1
    }
    #expect(try await cache.verify().first?.damagedBytes.count == 1)
    // The rest is kept, and its manifest says so.
    #expect(manifest()?.contains("\nkept 1\n") == true)
    #expect(await cache.entries().first?.isComplete == false)
    try await cache.release(testKey)
    #expect(manifest() == nil)
    try await cache.playback(of: testKey, testVersion(content), from: TestSource(content)).download()
    #expect(manifest() != nil)
    try await cache.remove(testKey)
    #expect(disk.paths == [])
  }

  @Test func `a cache from before there were manifests gets them`() async throws {
    let disk = SimulatedDisk()
    let stem = try await filled(disk)
    disk.state.withLock { $0.names["\(stem).card"] = nil }
    let cache = try MediaCache(at: "/c", quota: 1 << 20, files: disk, limits: .small)
    #expect(await cache.entries().first?.isComplete == true)
    #expect(disk.content("\(stem).card") != nil)
  }

  @Test func `a manifest that cannot be written keeps no recording from being whole`() async throws {
    let disk = SimulatedDisk()
    disk.failing { $0.hasSuffix(".draft") ? .noSpaceLeft : nil }
    let stem = try await filled(disk)
    #expect(disk.content("\(stem).mp4") == content && disk.content("\(stem).card") == nil)
    #expect(!disk.paths.contains { $0.hasSuffix(".draft") })
  }
}
