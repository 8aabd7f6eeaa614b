import FootageSystem
import Foundation
import LinuxTestSupport
import Testing

@testable import FootageCommands

/// The document next to a clip, when another file already has its name.
@Suite struct ClipDocumentFileTests {
  private static let document = #"{"camera":"front","from":0,"to":1,"spans":[],"next":null}"#
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func bytes(_ name: String) throws -> Data { try Data(contentsOf: URL(fileURLWithPath: folder.path(name))) }

  @Test(arguments: [("a.mp4", "a.json"), ("a", "a.json"), ("a.MP4", "a.MP4.json"), ("a.b.mp4", "a.b.json")])
  func `it is named after the clip`(clip: String, expected: String) {
    #expect(ClipDocumentFile(besideClip: folder.path(clip)).path == folder.path(expected))
  }

  @Test func `it replaces a document of its kind`() throws {
    let file = ClipDocumentFile(besideClip: folder.path("a.mp4"))
    for text in [Self.document, Self.document + "\n"] {
      try file.write(Array(text.utf8))
      #expect(try bytes("a.json") == Data(text.utf8))
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.location) == ["a.json"])
  }

  @Test(arguments: ["", "{}", "[]", #"{"camera":"front"}"#, "my own notes", "\u{FEFF}{"])
  func `another file stays as it is, also one that comes while the clip is made`(text: String) throws {
    let file = ClipDocumentFile(besideClip: folder.path("a.mp4"))
    try file.expectReplaceable()
    try Data(text.utf8).write(to: URL(fileURLWithPath: folder.path("a.json")))
    #expect(throws: StorageError.self) { try file.expectReplaceable() }
    #expect(throws: StorageError.self) { try file.write(Array(Self.document.utf8)) }
    #expect(try bytes("a.json") == Data(text.utf8))
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.location) == ["a.json"])
  }

  @Test func `a folder stays as it is`() throws {
    let file = ClipDocumentFile(besideClip: folder.path("a.mp4"))
    try FileManager.default.createDirectory(atPath: folder.path("a.json"), withIntermediateDirectories: false)
    #expect(throws: StorageError.self) { try file.write(Array(Self.document.utf8)) }
    #expect(FileManager.default.fileExists(atPath: folder.path("a.json")))
  }
}
