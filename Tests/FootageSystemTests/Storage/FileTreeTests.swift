/// Writing, naming, listing, locking and watching of real files.

import Foundation
import FootageSystem
import TestSupport
import Testing

func contents(_ path: String) -> [UInt8]? { FileManager.default.contents(atPath: path).map(Array.init) }

func put(_ bytes: [UInt8], _ path: String) throws { try Data(bytes).write(to: URL(filePath: path)) }

@Suite struct FileTreeTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test func `a durable write replaces what was there and leaves nothing else`() throws {
    try put([9, 9, 9], folder.path("a"))
    try FileTree.writeDurably([1, 2], to: folder.path("a"))
    #expect(contents(folder.path("a")) == [1, 2])
    #expect(try FolderListing.entries(of: folder.location).map(\.name) == ["a"])
  }

  @Test func `a durable write to nowhere says so`() {
    let error = #expect(throws: StorageError.self) { try FileTree.writeDurably([1], to: folder.path("no/a")) }
    #expect(error?.reason == .system(.notFound))
  }

  @Test func `a temporary file that gets no name goes away`() throws {
    do {
      let file = try TemporaryFile(in: folder.location)
      try file.write([1, 2, 3])
      #expect(contents(file.path) == [1, 2, 3])
    }
    #expect(try FolderListing.entries(of: folder.location).isEmpty)
  }

  @Test func `a name that is taken is not replaced`() throws {
    try put([9], folder.path("a"))
    let file = try TemporaryFile(in: folder.location)
    try file.write([1])
    let error = #expect(throws: StorageError.self) { try file.rename(to: folder.path("a")) }
    #expect(error?.reason == .system(.alreadyExists))
    try file.rename(to: folder.path("b"))
    #expect(contents(folder.path("a")) == [9])
    #expect(contents(folder.path("b")) == [1])
  }

  @Test func `ranges of a file are copied behind what is there`() throws {
    let bytes = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    try put(bytes, folder.path("a"))
    let source = try RandomAccessFile(path: folder.path("a"))
    let file = try TemporaryFile(in: folder.location)
    try file.write([1, 2])
    try file.append(10..<90_000, of: source)
    try file.append(0..<5, of: source)
    try file.rename(to: folder.path("b"))
    let copied: [UInt8] = [1, 2] + Array(bytes[10..<90_000]) + Array(bytes[0..<5])
    #expect(contents(folder.path("b")) == copied)
  }

  @Test func `copying beyond the end is an error`() throws {
    try put([1, 2, 3], folder.path("a"))
    let file = try TemporaryFile(in: folder.location)
    let error = #expect(throws: StorageError.self) {
      try file.append(0..<4, of: RandomAccessFile(path: folder.path("a")))
    }
    #expect(error?.reason == .endOfFile(offset: 3))
  }

  @Test(arguments: [1_700_000_000_123_456_789, -1, 0] as [Int64])
  func `a modification time is set to the nanosecond`(nanoseconds: Int64) throws {
    let file = try TemporaryFile(in: folder.location)
    try file.setModified(nanoseconds: nanoseconds)
    #expect(try FileStatus.of(file.path).version.modifiedNanoseconds == nanoseconds)
  }

  @Test func `a sweep takes what nobody holds and leaves what somebody does`() throws {
    let held = try TemporaryFile(in: folder.location)
    let left = folder.path(TemporaryFile.namePrefix + "1-1")
    try put([1], left)
    TemporaryFile.sweep(left)
    TemporaryFile.sweep(held.path)
    #expect(contents(left) == nil)
    #expect(contents(held.path) != nil)
  }

  @Test func `a listing tells kinds, keeps odd names and follows no link`() throws {
    try put([], folder.path("b\nc"))
    try FileManager.default.createDirectory(atPath: folder.path("a"), withIntermediateDirectories: false)
    try FileManager.default.createSymbolicLink(atPath: folder.path("z"), withDestinationPath: "/etc")
    #expect(mkfifo(folder.path("pipe"), 0o600) == 0)
    let odd = Array(folder.location.utf8) + [0x2F, 0xFF, 0xFE, 0]
    close(odd.withUnsafeBytes { open($0.baseAddress!.assumingMemoryBound(to: CChar.self), O_CREAT | O_WRONLY, 0o600) })
    let entries = try FolderListing.entries(of: folder.location)
    #expect(entries.map(\.name) == ["a", "b\nc", "pipe", "z", nil])
    #expect(entries.map(\.kind) == [.folder, .regular, .other, .symbolicLink, .regular])
    #expect(entries.last?.bytes == [0xFF, 0xFE])
    #expect(throws: StorageError.self) { try FolderListing.entries(of: folder.path("z")) }
    #expect(throws: StorageError.self) { try FolderListing.entries(of: folder.path("b\nc")) }
  }

  @Test func `a folder of ours goes with everything in it, but nothing behind a link`() throws {
    let outside = try TemporaryFolder()
    try put([1], outside.path("keep"))
    try FileManager.default.createDirectory(atPath: folder.path("a/b"), withIntermediateDirectories: true)
    try put([1], folder.path("a/b/c"))
    try FileManager.default.createSymbolicLink(atPath: folder.path("a/out"), withDestinationPath: outside.location)
    try FileTree.removeFolder(folder.path("a"))
    #expect(contents(outside.path("keep")) == [1])
    #expect(try FolderListing.entries(of: folder.location).isEmpty)
  }

  @Test(arguments: [("/a/b", "/a", "b"), ("/a", "/", "a"), ("a", ".", "a"), ("a/b/", "a/b", "")])
  func `a path splits at its last slash`(path: String, parent: String, name: String) {
    #expect(FileTree.folder(of: path) == parent)
    #expect(FileTree.name(of: path) == name)
  }

  @Test func `a lock is held once`() throws {
    let path = folder.path("lock")
    do {
      let lock = try FileLock(path: path)
      let error = #expect(throws: StorageError.self) { _ = try FileLock(path: path) }
      #expect(error?.reason == .system(.wouldBlock))
      _ = lock
    }
    _ = try FileLock(path: path)
  }

  #if !canImport(Darwin)
  @Test func `a file with a writer is told from one without`() throws {
    try put([1], folder.path("a"))
    let file = try RandomAccessFile(path: folder.path("a"))
    #expect(file.hasNoWriter())
    let writer = try FileHandle(forWritingTo: URL(filePath: folder.path("a")))
    #expect(!file.hasNoWriter())
    try writer.close()
    #expect(file.hasNoWriter())
  }
  #endif
}
