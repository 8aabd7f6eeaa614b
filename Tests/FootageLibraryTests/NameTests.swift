/// Names, times and tags: values that follow only from a path or from bytes.

import FootageBase
import Foundation
import FootageSystem
import Testing

@testable import FootageLibrary

@Suite struct NameTests {
  @Test(
    arguments: [
      ("a.mp4", "a"), ("front/2026-11-20T10-15-30.mp4", "front/2026-11-20T10-15-30"), ("a/b/c.MOV", "a/b/c"),
      ("x.M4v", "x"), ("50% ü\n.mp4", "50% ü\n"), ("a.b.mp4", "a.b"), ("mp4.mp4", "mp4"), ("a/ .mp4", "a/ "),
    ])
  func `a video's name is its path without the extension`(path: String, name: String) {
    guard case .recording(let found) = RecordingName.of(RelativePath(path)) else {
      Issue.record("\(path) is no recording")
      return
    }
    #expect(found.text == name)
  }

  @Test(arguments: ["a.txt", "a.mp4.part", "mp4", "amp4", "", "a", "a.mkv", "a.mp", "é"])
  func `other extensions are nothing`(path: String) {
    #expect(RecordingName.of(RelativePath(path)) == .other)
  }

  @Test(arguments: [".a.mp4", ".mp4", "a/.mp4", ".footage/a.mp4", "a/.b/c.mp4"])
  func `what begins with a dot hides`(path: String) {
    #expect(RecordingName.of(RelativePath(path)) == .hidden)
  }

  @Test func `two spellings of one letter are two paths`() {
    let composed = RelativePath("\u{E9}.mp4")
    let decomposed = RelativePath("e\u{301}.mp4")
    #expect(composed.text == decomposed.text)
    #expect(composed != decomposed)
    #expect(Set([composed, decomposed]).count == 2)
  }

  @Test(arguments: [
    ("a/b.mp4", "a", true), ("a/b/c.mp4", "a", true), ("ab/c.mp4", "a", false), ("a", "a", true), ("a", "a/b", false),
    ("a", "", true),
  ])
  func `a path is inside the folders above it`(path: String, folder: String, isInside: Bool) {
    #expect(RelativePath(path).isInside(RelativePath(folder)) == isInside)
  }
}

@Suite struct VersionTagTests {
  let version = FileVersion(device: 1, inode: 2, size: 300_000, modifiedNanoseconds: 1_700_000_000_123_456_789)
  let bytes = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 ^ $0 >> 8) }

  func tag(
    layout: UInt8 = 1, preamble: [UInt8] = [1, 2, 3], _ bytes: [UInt8]? = nil, _ version: FileVersion? = nil
  ) throws -> String {
    try ContentTag.make(
      layoutVersion: layout, preamble: preamble, of: BoundComposition(bytes ?? self.bytes), version ?? self.version)
  }

  @Test func `the tag of a known file is pinned`() throws {
    // A change here changes every recording's version and invalidates all clients' caches.
    #expect(try tag() == "6b825ccd48d80ea41209193347a6eeab")
  }

  @Test func `everything that can be served differently changes the tag`() throws {
    var changed = version
    changed.modifiedNanoseconds += 1
    var tags = [try tag(), try tag(layout: 2), try tag(preamble: [1, 2, 4]), try tag(nil, changed)]
    for offset in [0, 65_535, 150_000, 299_999] {
      var other = bytes
      other[offset] ^= 1
      tags.append(try tag(other))
    }
    changed = version
    changed.size -= 1
    tags.append(try tag(nil, changed))
    #expect(Set(tags).count == tags.count)
  }

  @Test func `where the file lies does not change the tag`() throws {
    var moved = version
    moved.inode = 99
    moved.device = 99
    #expect(try tag(nil, moved) == tag())
  }

  @Test(arguments: [0, 1, 65_536, 65_537])
  func `a short file has a tag too`(length: Int) throws {
    var short = version
    short.size = UInt64(length)
    #expect(try tag(Array(bytes.prefix(length)), short).utf8.count == 32)
  }
}
