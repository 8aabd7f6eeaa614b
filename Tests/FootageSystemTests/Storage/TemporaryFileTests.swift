/// A finished file gets its name without replacing another file, with and without the file system's support.

import Foundation
@testable import FootageSystem
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
}
