import Foundation
import FootageSystem
import LinuxTestSupport
import Testing

@testable import FootageLibrary

@Suite struct KeptListTests {
  private let folder: TemporaryFolder
  private let list: KeptList

  init() throws {
    folder = try TemporaryFolder()
    list = KeptList(path: folder.path(".footage-kept"))
  }

  private static let digest = String(repeating: "0f", count: 32)

  private func line(_ name: String, size: UInt64 = 7) -> KeptLine {
    KeptLine(name: name, KeptLine.Identity(size: size, digest: Self.digest))
  }

  @Test(arguments: ["a", "front/2026-11-20T10-15-30", "50% ü", "two words", "a line\nfeed"])
  func `a line is read as it was written, whatever the name`(name: String) {
    #expect(KeptLine(line(name).text) == line(name))
    #expect(line(name).text.split(separator: " ").count == 3)
  }

  @Test(arguments: [
    "", "# a remark", "sha256-3x64k/0f 7 a", "sha256-3x64k/\(digest) x a", "sha256-3x64k/\(digest) 7 %f",
    "sha256-3x64k/\(digest) 7 ", "sha256-3x64k/\(digest) 7", "later/\(digest) 7 a", "sha256-3x64k/\(digest) 7 %ff",
    "sha256-3x64k/\(digest) 99999999999999999999 a",
  ])
  func `what is no line is passed over`(text: String) { #expect(KeptLine(text) == nil) }

  @Test func `lines come and go, and what others wrote stays`() throws {
    try put(Array("# mine\nlater/xyz 3 b".utf8), list.path)
    try list.add(line("a"))
    try list.add(line("b", size: 8))
    #expect(try list.read().lines == [line("a"), line("b", size: 8)])
    #expect(try list.remove { $0.name == "a" } == 1)
    #expect(contents(list.path) == Array("# mine\nlater/xyz 3 b\n\(line("b", size: 8).text)\n".utf8))
    #expect(try list.remove { $0.name == "a" } == 0)
  }

  @Test func `one content has one line`() throws {
    try list.add(line("a"))
    try list.add(line("another name"))
    #expect(try list.read().lines == [line("a")])
  }

  @Test func `many who write at once lose nothing`() async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<16 {
        group.addTask { [list] in
          try list.add(KeptLine(name: "\(number)", KeptLine.Identity(size: UInt64(number), digest: Self.digest)))
        }
      }
      try await group.waitForAll()
    }
    #expect(try Set(list.read().lines.map(\.identity.size)) == Set(0..<16))
    #expect(try FolderListing.entries(of: folder.location).map(\.name) == [".footage-kept"])
  }

  @Test func `a list that is a link, or too long, is not read and not written`() throws {
    try put([], folder.path("elsewhere"))
    try FileManager.default.createSymbolicLink(atPath: list.path, withDestinationPath: folder.path("elsewhere"))
    #expect(throws: StorageError.self) { try list.add(line("a")) }
    #expect(contents(folder.path("elsewhere")) == [])
    try FileTree.remove(list.path)
    try #require(FileManager.default.createFile(atPath: list.path, contents: nil))
    try FileHandle(forWritingTo: URL(filePath: list.path)).truncate(atOffset: LibraryLimits.keptListBytes + 1)
    #expect(throws: StorageError.self) { try list.add(line("a")) }
  }
}
