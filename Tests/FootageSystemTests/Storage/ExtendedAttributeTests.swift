import Foundation
import FootageSystem
import TestSupport
import Testing

/// Notes that belong to a file and travel with it.
@Suite struct ExtendedAttributeTests {
  /// True if this folder's file system supports them.
  private static let isKept: Bool = {
    guard let folder = try? TemporaryFolder(), let file = try? WritableFile(path: folder.path("x"), .new)
    else { return false }
    return ExtendedAttribute.set("x", "note", of: file)
  }()

  private let folder: TemporaryFolder
  private var path: String { folder.path("x.mp4") }

  init() throws {
    folder = try TemporaryFolder()
    try Data("some bytes".utf8).write(to: URL(filePath: folder.path("x.mp4")))
  }

  private func note(_ text: String, _ name: String = "note") throws -> Bool {
    ExtendedAttribute.set(text, name, of: try WritableFile(path: path, .existing))
  }

  @Test(.enabled(if: isKept)) func `a note is about the file as it is, and gone when that is written to`() throws {
    #expect(ExtendedAttribute.text("note", at: path) == nil)
    #expect(try note("one: \u{F6}"))
    #expect(ExtendedAttribute.text("note", at: path) == "one: \u{F6}")
    #expect(ExtendedAttribute.text("other", at: path) == nil)
    #expect(try note("two") && note("", "other"))
    #expect(ExtendedAttribute.text("note", at: path) == "two" && ExtendedAttribute.text("other", at: path) == "")
    let handle = try #require(FileHandle(forWritingAtPath: path))
    try handle.seekToEnd()
    try handle.write(contentsOf: Data("!".utf8))
    #expect(ExtendedAttribute.text("note", at: path) == nil)
    #expect(try note("three"))
    #expect(ExtendedAttribute.text("note", at: path) == "three")
  }

  @Test(.enabled(if: isKept)) func `it goes with a file that is renamed, and stays with another of that name`() throws {
    #expect(try note("one"))
    try FileManager.default.moveItem(atPath: path, toPath: folder.path("y.mp4"))
    try Data("some bytes".utf8).write(to: URL(filePath: path))
    #expect(ExtendedAttribute.text("note", at: path) == nil)
    #expect(ExtendedAttribute.text("note", at: folder.path("y.mp4")) == "one")
  }

  @Test func `what is too long is not kept, and what is not there has none`() throws {
    #expect(try !note(String(repeating: "x", count: 4_096)))
    #expect(ExtendedAttribute.text("note", at: folder.path("none")) == nil)
    #expect(ExtendedAttribute.text("note", at: folder.location) == nil)
  }
}
