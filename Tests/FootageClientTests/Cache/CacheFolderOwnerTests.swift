/// The folders that a cache takes over, and the files in them that it removes.

import FootageClient
import FootageSystem
import Foundation
import LinuxTestSupport
import Testing

@testable import FootageCore

@Suite struct CacheFolderOwnerTests {
  let folder: TemporaryFolder
  let content = testBytes(1000)

  init() throws { folder = try TemporaryFolder() }

  private func put(_ text: String, _ name: String) throws {
    let path = folder.path(name)
    try FileManager.default.createDirectory(
      atPath: URL(filePath: path).deletingLastPathComponent().path(percentEncoded: false),
      withIntermediateDirectories: true)
    try Data(text.utf8).write(to: URL(filePath: path))
  }

  private func setMode(_ mode: Int, _ name: String) throws {
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: folder.path(name))
  }

  private func names(_ path: String) -> [String] {
    ((try? FileManager.default.subpathsOfDirectory(atPath: folder.path(path))) ?? []).sorted()
  }

  /// Fills a cache in a folder, which must be writable.
  private func fill(_ name: String) async throws {
    let cache = try MediaCache(at: folder.path(name), quota: 1 << 20, limits: .small)
    #expect(await cache.folderProblem == nil)
    let playback = try await cache.playback(
      of: RecordingKey(robot: "r", name: "a"), testVersion(content), from: TestSource(content))
    try await playback.download()
    await cache.close()
  }

  /// The possible contents of another program's folder.
  @Test(
    arguments: [
      ["media/holiday.mp4"], ["notes.txt"], ["media/holiday.mp4", "lock"], ["fragments.sqlite"], ["lists/a.list"],
      ["media/a.card"], ["media/sub/holiday.mp4"], ["lock", "notes.txt"],
      // Names with a time, as recorders and players give them.
      ["media/record-1699190000000.mp4", "lock"], ["media/front-231105143022.mp4", "lock"],
    ])
  func `a folder of somebody else's is left as it is, and what is played is not kept`(_ files: [String]) async throws {
    for file in files { try put(file == "lock" ? "" : "precious", "mine/\(file)") }
    let before = names("mine")
    let cache = try MediaCache(at: folder.path("mine"), quota: 1 << 20, limits: .small)
    let problem = try #require(await cache.folderProblem)
    #expect(problem.description.contains("is not a Footage cache"), "\(problem)")
    guard case .folder(let failure) = problem, failure.reason == .notOurs else {
      Issue.record("\(problem)")
      return
    }
    let playback = try await cache.playback(
      of: RecordingKey(robot: "r", name: "a"), testVersion(content), from: TestSource(content))
    #expect(try await playback.reader(of: 0..<10).read(at: 0, count: 10) == Array(content.prefix(10)))
    await cache.close()
    #expect(names("mine") == before)
    for file in files where file != "lock" {
      #expect(FileManager.default.contents(atPath: folder.path("mine/\(file)")) == Data("precious".utf8))
    }
  }

  @Test(arguments: ["fragments.sqlite", "lock", "media"])
  func `a folder of a cache's is known by what is left of it`(_ missing: String) async throws {
    try await fill("cache")
    try FileManager.default.removeItem(atPath: folder.path("cache/\(missing)"))
    try put("precious", "cache/notes.txt")
    try await fill("cache")
    #expect(names("cache").contains("notes.txt"))
  }

  @Test(arguments: [[], ["media/.nomedia"], ["catalogs/1/catalog.sqlite"], [".DS_Store"]])
  func `a folder with nothing of somebody else's in it is taken over`(_ files: [String]) async throws {
    try FileManager.default.createDirectory(atPath: folder.path("cache/media"), withIntermediateDirectories: true)
    for file in files { try put("x", "cache/\(file)") }
    try await fill("cache")
    for file in files { #expect(names("cache").contains(file)) }
  }

  @Test func `a folder that is reached by a link is a cache's as well`() async throws {
    try FileManager.default.createDirectory(atPath: folder.path("real"), withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(atPath: folder.path("cache"), withDestinationPath: folder.path("real"))
    try await fill("cache")
    try await fill("cache")
    #expect(names("real").contains("fragments.sqlite"))
  }

  @Test func `only files of the cache's own form are removed`() async throws {
    try await fill("cache")
    let orphans = ["x-3w5e11264sgsf.mp4", "front_-000000000000a.part", "-1y2p0ij32e8e7.signed", "a-abc2defghijk.index"]
    let others = [
      "record-1699190000000.mp4", "cam-202311051430.mp4", "front-231105143022.mp4",
      "holiday.mp4", "a.mp4", "trip-switzerland.mp4", "a-4w5e11264sgsf.mp4", "a-3w5e11264sgsf.mov",
      "a-3W5E11264SGSF.mp4",
      "a b-3w5e11264sgsf.mp4", "3w5e11264sgsf.mp4", "a-3w5e11264sgsf.mp4.bak", "notes.txt",
    ]
    for name in orphans + others { try put("x", "cache/media/\(name)") }
    for name in orphans { try setMode(0o600, "cache/media/\(name)") }
    // A name of the cache's form, but with the permissions that other programs give.
    try put("x", "cache/media/x-2w5e11264sgsf.mp4")
    try setMode(0o644, "cache/media/x-2w5e11264sgsf.mp4")
    try put("precious", "cache/media/folder-3w5e11264sgsf.mp4/notes.txt")
    try await fill("cache")
    let left = Set(names("cache/media"))
    #expect(left.isDisjoint(with: orphans))
    #expect(left.isSuperset(of: others + ["folder-3w5e11264sgsf.mp4/notes.txt", "x-2w5e11264sgsf.mp4"]))
  }

  @Test(arguments: ["front/2026-11-20T10-15-30", "", "é/ü", "a/b.c d", String(repeating: "x", count: 200)])
  func `every name that a cache gives has its own form`(_ name: String) {
    for _ in 0..<200 {
      let stem = CacheStore.stem(RecordingKey(robot: "r", name: name))
      for ending in [".part", ".mp4", ".card", ".index", ".signed", ".draft"] {
        #expect(CacheStore.isOwn(stem + ending))
      }
    }
  }
}
