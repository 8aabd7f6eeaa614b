/// Recordings that are exported from the cache as plain files.

import FootageClient
import Foundation
import LinuxTestSupport
import Testing

@Suite(.offThePool) struct CacheExportTests {
  let content = testBytes(1000)

  private func damage(_ path: String, at offset: Int) throws {
    let handle = try #require(FileHandle(forUpdatingAtPath: path))
    try handle.seek(toOffset: UInt64(offset))
    try handle.write(contentsOf: [content[offset] ^ 1])
    try handle.close()
  }

  private func filled(_ folder: TemporaryFolder) async throws -> MediaCache {
    let cache = try MediaCache(at: folder.path("cache"), quota: 1 << 20, limits: .small)
    try await cache.playback(of: testKey, testVersion(content), from: TestSource(content)).download()
    return cache
  }

  @Test func `what is complete becomes a plain file of its own, in place of what had its name`() async throws {
    let folder = try TemporaryFolder()
    let cache = try await filled(folder)
    let path = folder.path("out.mp4")
    try Data("old".utf8).write(to: URL(filePath: path))
    try await cache.export(testKey, to: path)
    #expect(FileManager.default.contents(atPath: path) == Data(content))
    // A write to the file changes nothing in the cache.
    try damage(path, at: 500)
    #expect(try await cache.verify().allSatisfy { $0.damagedBytes.isEmpty })
    #expect(Set(try FileManager.default.contentsOfDirectory(atPath: folder.location)) == ["cache", "out.mp4"])
  }

  @Test func `what is not all there, or not at all, is no file`() async throws {
    let folder = try TemporaryFolder()
    let cache = try MediaCache(at: folder.path("cache"), quota: 1 << 20, limits: .small)
    await #expect(throws: MediaCacheError.notCached(testKey)) { try await cache.export(testKey, to: folder.path("o")) }
    let playback = try await cache.playback(of: testKey, testVersion(content), from: TestSource(content))
    try await playback.preload(bytes: 300)
    while await cache.entries().first?.cachedBytes ?? 0 < 300 { await Task.yield() }
    let bytes = try #require(await cache.entries().first).cachedBytes
    await #expect(throws: MediaCacheError.notComplete(testKey, cachedBytes: bytes, length: 1000)) {
      try await cache.export(testKey, to: folder.path("o"))
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.location) == ["cache"])
  }

  @Test func `bytes that are not what was received are said, and fetched again`() async throws {
    let folder = try TemporaryFolder()
    let cache = try await filled(folder)
    try damage(try #require(await cache.entries().first).path, at: 500)
    await #expect(throws: MediaCacheError.damaged(testKey, 496..<512)) {
      try await cache.export(testKey, to: folder.path("o"))
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.location) == ["cache"])
    let source = TestSource(content)
    try await cache.playback(of: testKey, testVersion(content), from: source).download()
    #expect(source.deliveredBytes == 16)
    try await cache.export(testKey, to: folder.path("o"))
    #expect(FileManager.default.contents(atPath: folder.path("o")) == Data(content))
  }

  @Test(arguments: ["cache", "no/such/folder", "/dev/null"])
  func `a file that cannot be made is the file's trouble`(_ name: String) async throws {
    let folder = try TemporaryFolder()
    let cache = try await filled(folder)
    let error = await #expect(throws: MediaCacheError.self) {
      try await cache.export(testKey, to: name.hasPrefix("/") ? name : folder.path(name))
    }
    guard case .file = error else { throw TestProblem("\(String(describing: error))") }
  }
}
