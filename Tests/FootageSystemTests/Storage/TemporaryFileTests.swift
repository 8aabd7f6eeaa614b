/// A finished file gets its name without replacing another file, with and without the file system's support.

import Foundation
@testable import FootageSystem
import Synchronization
import TestSupport
import Testing

@Suite struct TemporaryFileTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test func `where no call names a file without replacing another, an empty one holds the place`() throws {
    let path: String
    do {
      let file = try TemporaryFile(in: folder.location)
      try file.write([1, 2, 3])
      try file.rename(claiming: folder.path("a"))
      path = file.path
    }
    #expect(contents(folder.path("a")) == [1, 2, 3])
    #expect(!FileTree.exists(path))
  }

  @Test func `a place that is taken stays with who has it`() throws {
    try put([9], folder.path("a"))
    try FileManager.default.createSymbolicLink(atPath: folder.path("b"), withDestinationPath: folder.path("c"))
    let file = try TemporaryFile(in: folder.location)
    try file.write([1])
    for name in ["a", "b"] {
      let error = #expect(throws: StorageError.self) { try file.rename(claiming: folder.path(name)) }
      #expect(error?.reason == .system(.alreadyExists))
    }
    #expect(contents(folder.path("a")) == [9])
    #expect(!FileTree.exists(folder.path("c")))
    #expect(contents(file.path) == [1])
  }

  @Test func `a failure leaves no empty file behind`() throws {
    let file = try TemporaryFile(in: folder.location)
    try FileTree.remove(file.path)
    let error = #expect(throws: StorageError.self) { try file.rename(claiming: folder.path("a")) }
    #expect(error?.reason == .system(.notFound))
    #expect(!FileTree.exists(folder.path("a")))
  }

  /// A sweep must not take a file between its creation and its lock.
  @Test(arguments: [true, false])
  func `a file that is being written is never swept`(isInOpenFolder: Bool) throws {
    let location = folder.location
    let open = try OpenFolder(.open(location, [.reading, .folder]), path: location)
    let isOver = Atomic(false)
    let sweeper = Thread {
      guard let open = try? OpenFolder(.open(location, [.reading, .folder]), path: location) else { return }
      while !isOver.load(ordering: .acquiring) {
        for entry in (try? FolderListing.entries(of: open.path)) ?? [] {
          if isInOpenFolder {
            open.sweep(entry.name ?? "")
          } else {
            TemporaryFile.sweep("\(open.path)/" + (entry.name ?? ""))
          }
        }
      }
    }
    sweeper.start()
    defer { isOver.store(true, ordering: .releasing) }
    for number in 0..<5_000 {
      let file = try isInOpenFolder ? TemporaryFile(in: open) : TemporaryFile(in: location)
      #expect(FileTree.exists(file.path), "file \(number)")
    }
  }
}
