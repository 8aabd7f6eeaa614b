#if !canImport(Darwin)
import Foundation
import FootageSystem
import TestSupport
import Testing

/// The system's reports of changes in folders.
@Suite struct FolderChangesTests {
  let folder: TemporaryFolder
  let stream: FolderChanges
  let watch: FolderChanges.Watch

  init() throws {
    folder = try TemporaryFolder()
    stream = try FolderChanges()
    watch = try stream.watch(folder: folder.location)
  }

  /// Returns the kinds of changes that are reported for `name`, in order. The kernel queues them before the call that
  /// causes them returns.
  func kinds(of name: String) -> [FolderChanges.Kinds] {
    stream.changes().compactMap {
      guard case .inFolder(watch, name: Array(name.utf8), let kinds) = $0 else { return nil }
      return kinds
    }
  }

  @Test func `writing a file is told from its creation to its closing`() throws {
    let descriptor = open(folder.path("a.mp4"), O_CREAT | O_WRONLY | O_CLOEXEC, 0o600)
    #expect(write(descriptor, "x", 1) == 1)
    #expect(write(descriptor, "x", 1) == 1)
    close(descriptor)
    var found = kinds(of: "a.mp4")
    // A process that another test starts at this moment has the file open, too, until it becomes another program.
    for _ in 0..<2_000 where found.last != .closedAfterWriting {
      usleep(1_000)
      found += kinds(of: "a.mp4")
    }
    #expect(found == [.created, .modified, .closedAfterWriting])
    #expect(stream.changes().isEmpty)
  }

  @Test func `links, moves, attributes and deletions are told`() throws {
    try Data([1]).write(to: URL(filePath: folder.path("a")))
    _ = stream.changes()
    #expect(link(folder.path("a"), folder.path("b")) == 0)
    #expect(kinds(of: "b") == [.created])
    #expect(rename(folder.path("b"), folder.path("c")) == 0)
    let changes = stream.changes()
    #expect(
      changes == [
        .inFolder(watch, name: Array("b".utf8), .movedAway), .inFolder(watch, name: Array("c".utf8), .movedHere),
      ])
    #expect(chmod(folder.path("c"), 0o600) == 0)
    #expect(kinds(of: "c") == [.attributes])
    #expect(unlink(folder.path("c")) == 0)
    #expect(kinds(of: "c") == [.deleted])
  }

  @Test func `a folder is told as one, and its own end`() throws {
    #expect(mkdir(folder.path("d"), 0o700) == 0)
    #expect(kinds(of: "d") == [[.created, .isFolder]])
    let inner = try stream.watch(folder: folder.path("d"))
    #expect(rmdir(folder.path("d")) == 0)
    let own = stream.changes().compactMap { change in
      if case .inFolder(inner, name: nil, let kinds) = change { kinds } else { nil }
    }
    #expect(own.contains { !$0.isDisjoint(with: .folderGone) })
    #expect(own.contains(.ended))
  }

  @Test func `a link to a folder is not watched`() throws {
    try FileManager.default.createSymbolicLink(atPath: folder.path("l"), withDestinationPath: "/tmp")
    #expect(throws: Errno.self) { try stream.watch(folder: folder.path("l")) }
    #expect(throws: Errno.self) { try stream.watch(folder: folder.path("none")) }
  }

  @Test func `a wake-up ends the wait, also one from before`() {
    stream.wake()
    stream.wait(milliseconds: nil)
  }

  @Test func `changes end a wait, but not one that is for a wake-up alone`() throws {
    try Data([1]).write(to: URL(filePath: folder.path("a")))
    stream.wait(milliseconds: nil)
    stream.wait(milliseconds: 1, onlyForWake: true)
    #expect(!stream.changes().isEmpty)
  }
}
#endif
