#if !canImport(Darwin)
/// Temporary folders that are removed when their process ends.

import Foundation
import FootageSystem
import TestSupport
import Testing

@Suite(.serialized) struct ScratchFolderTests {
  /// Returns the path of a folder with this name in the process's own `$TMPDIR`, since there is only one environment.
  static func path(_ name: String) -> String {
    FileManager.default.temporaryDirectory.resolvingSymlinksInPath().appendingPathComponent(name).path
  }

  /// Makes a folder with a name like those of `mkdtemp`.
  static func leftover() throws -> String {
    let path = path("footage-" + UUID().uuidString.prefix(6))
    try FileManager.default.createDirectory(atPath: path + "/heads", withIntermediateDirectories: true)
    try put([1], path + "/heads/x.head")
    try put([2], path + "/catalog.sqlite")
    return path
  }

  @Test func `it is there while it is wanted, also when others sweep, and no longer`() throws {
    var path = ""
    do {
      let folder = try ScratchFolder()
      path = folder.path
      try put([1], path + "/x")
      ScratchFolder.sweep()
      #expect(contents(path + "/x") == [1])
      #expect(try FileStatus.of(path).mode == 0o700)
      withExtendedLifetime(folder) {}
    }
    #expect(!FileTree.exists(path))
  }

  @Test(arguments: ["scratch.lock", "serve.lock"])
  func `a lock that is held says that somebody wants it`(lock: String) throws {
    let path = try Self.leftover()
    defer { try? FileTree.removeFolder(path) }
    try put([], path + "/" + lock)
    let held = try FileLock(path: path + "/" + lock)
    ScratchFolder.sweep(otherLocks: ["serve.lock"])
    #expect(FileTree.exists(path + "/heads/x.head"))
    withExtendedLifetime(held) {}
  }

  @Test(arguments: ["scratch.lock", "serve.lock"])
  func `what a killed process left is swept`(lock: String) throws {
    let path = try Self.leftover()
    defer { try? FileTree.removeFolder(path) }
    try put([], path + "/" + lock)
    ScratchFolder.sweep(otherLocks: ["serve.lock"])
    #expect(!FileTree.exists(path))
  }

  @Test func `folders of others stay: without a lock, with another name, behind a link`() throws {
    let unlocked = try Self.leftover()
    let named = Self.path("footage-bench-" + UUID().uuidString.prefix(6))
    let elsewhere = try TemporaryFolder()
    let link = Self.path("footage-" + UUID().uuidString.prefix(6))
    defer {
      for path in [unlocked, named] { try? FileTree.removeFolder(path) }
      try? FileTree.remove(link)
    }
    try FileManager.default.createDirectory(atPath: named, withIntermediateDirectories: true)
    for folder in [named, elsewhere.location] { try put([], folder + "/scratch.lock") }
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: elsewhere.location)
    ScratchFolder.sweep()
    #expect(FileTree.exists(unlocked + "/catalog.sqlite"))
    #expect(FileTree.exists(named + "/scratch.lock"))
    #expect(FileTree.exists(elsewhere.path("scratch.lock")))
  }
}
#endif
