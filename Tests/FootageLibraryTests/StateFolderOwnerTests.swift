/// A state folder in which another program's files have the names of Footage's.

import Foundation
import FootageSystem
import LinuxTestSupport
import Testing

@testable import FootageLibrary

@Suite struct StateFolderOwnerTests {
  let recordings: TemporaryFolder
  let state: TemporaryFolder

  init() throws {
    (recordings, state) = (try TemporaryFolder(), try TemporaryFolder())
    try put(Samples.moovLast, recordings.path("a.mp4"))
    try age(recordings.path("a.mp4"), by: 100)
  }

  /// Returns the files below a folder with their contents.
  private func files() throws -> [String: [UInt8]] {
    var files: [String: [UInt8]] = [:]
    for name in try FileManager.default.subpathsOfDirectory(atPath: state.location) {
      if let bytes = contents(state.path(name)) { files[name] = bytes }
    }
    return files
  }

  @Test(arguments: ["catalog.sqlite", "retention", "kept", "store-cache", "serve.lock", "heads/notes.txt"])
  func `somebody else's file stays as it is, and the state is kept in a temporary folder`(name: String) throws {
    if name.hasPrefix("heads/") { try makeFolder(state.path("heads")) }
    if name.hasSuffix(".sqlite") {
      try Database(path: state.path(name)).execute("CREATE TABLE songs (title); INSERT INTO songs VALUES ('precious')")
    } else {
      try put(Array("precious\n".utf8), state.path(name))
    }
    let before = try files()
    let fixture = try LibraryFixture(in: recordings, state: state.location)
    try fixture.waitUntilReady("a")
    let warnings = fixture.log.warnings
    #expect(warnings.count == 1, "\(warnings)")
    #expect(warnings.first?.contains(state.location) == true && warnings.first?.contains("is left unchanged") == true)
    #expect(fixture.library.place.state != state.location)
    fixture.library.stop()
    #expect(try files() == before)
  }

  @Test func `a folder that holds something else of the user's is used, and that stays`() throws {
    try put(Array("precious\n".utf8), state.path("notes.txt"))
    for _ in 0..<2 {
      let fixture = try LibraryFixture(in: recordings, state: state.location)
      try fixture.waitUntilReady("a")
      #expect(fixture.log.warnings == [])
      fixture.library.stop()
    }
    #expect(contents(state.path("notes.txt")) == Array("precious\n".utf8))
    #expect(contents(state.path("catalog.sqlite")) != nil)
  }

  @Test func `the state is still Footage's after its catalog was deleted or damaged`() throws {
    do {
      let fixture = try LibraryFixture(in: recordings, state: state.location)
      try fixture.waitUntilReady("a")
      fixture.library.stop()
    }
    try put(Array("clock 1 0\n".utf8), state.path("retention"))
    for damage in [nil, Array(repeating: UInt8(0x5A), count: 9_000)] {
      try FileTree.remove(state.path("catalog.sqlite"))
      if let damage { try put(damage, state.path("catalog.sqlite")) }
      let fixture = try LibraryFixture(in: recordings, state: state.location)
      try fixture.waitUntilReady("a")
      #expect(fixture.library.place.state == state.location)
      fixture.library.stop()
    }
  }

  /// Returns a line that protects the recording.
  private func keptLine() throws -> String {
    KeptLine(name: "a", try KeptLine.identity(of: try RandomAccessFile(path: recordings.path("a.mp4")))).text
  }

  /// The list of kept recordings is the only file in the folder that must not be deleted.
  @Test func `whichever of the files that may be deleted are, the state is used, and what is protected stays`() throws {
    do {
      let fixture = try LibraryFixture(in: recordings, state: state.location)
      try fixture.waitUntilReady("a")
      fixture.library.stop()
    }
    try put(Array("clock 1795176000000000000 0\n".utf8), state.path("retention"))
    try Database(path: state.path("offload.sqlite")).execute(
      "CREATE TABLE versions (name TEXT, entity_tag TEXT, upload TEXT, manifest BLOB)")
    _ = try WritableFile(path: state.path("store-cache"), .new)
    try put(Array("\(try keptLine())\n".utf8), state.path("kept"))
    let deletable = ["catalog.sqlite", "heads", "serve.lock", "retention", "offload.sqlite", "store-cache"]
    let original = try TemporaryFolder()
    #expect(try run("cp", ["-a", state.location + "/.", original.location]) == 0)
    for subset in 0..<(1 << deletable.count) {
      let scene = try TemporaryFolder()
      #expect(try run("cp", ["-a", original.location + "/.", scene.location]) == 0)
      for (index, name) in deletable.enumerated() where subset & (1 << index) == 0 {
        for suffix in name == "catalog.sqlite" ? ["", "-wal", "-shm"] : [""] {
          try? FileManager.default.removeItem(atPath: scene.path(name + suffix))
        }
      }
      let left = deletable.enumerated().filter { subset & (1 << $0.offset) != 0 }.map(\.element)
      #expect(throws: Never.self, "\(left)") {
        try StateFolderOwner.check(scene.location, database: "catalog.sqlite", Catalog.owner)
      }
      // Each of them alone identifies the folder as Footage's, too.
      guard left.count == 1 else { continue }
      try FileTree.remove(scene.path("kept"))
      #expect(throws: Never.self, "\(left)") {
        try StateFolderOwner.check(scene.location, database: "catalog.sqlite", Catalog.owner)
      }
    }
    for name in deletable {
      for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: state.path(name + suffix)) }
    }
    let fixture = try LibraryFixture(in: recordings, state: state.location)
    try fixture.waitUntilReady("a")
    #expect(fixture.library.place.state == state.location && fixture["a"]?.isKept == true)
    #expect(fixture.log.warnings == [])
    fixture.library.stop()
  }

  @Test func `while the state lies in a temporary folder what was protected is protected, and nothing is added`() throws
  {
    // A list of a later version, and another program's file.
    let list = "later/xyz 3 b\n\(try keptLine())\n"
    try put(Array(list.utf8), state.path("kept"))
    try put(Array("precious\n".utf8), state.path("retention"))
    try put(Samples.moovFirst, recordings.path("b.mp4"))
    for name in ["a", "b"] { try age(recordings.path("\(name).mp4"), by: 400_000) }
    try put(Array(list.utf8), state.path("kept"))
    _ = try DiskMarker.put(on: recordings.location)
    let fixture = try LibraryFixture(in: recordings, state: state.location)
    try fixture.waitUntilReady("a")
    try fixture.waitUntilReady("b")
    #expect(fixture.library.place.state != state.location)
    #expect(fixture["a"]?.isKept == true && fixture["b"]?.isKept == false)
    let worker = RetentionWorker(
      fixture.library.retentionAccess { false }, rules: RetentionRules(maxSize: 0, keepAtLeast: 0))
    for _ in 0..<3 { _ = worker.turn() }
    #expect(contents(recordings.path("a.mp4")) != nil && contents(recordings.path("b.mp4")) == nil)
    // Nothing is written into a file that may be another program's, either.
    try FileManager.default.setAttributes([.posixPermissions: 0o444], ofItemAtPath: recordings.path("a.mp4"))
    fixture.library.stop()
    #expect(contents(state.path("kept")) == Array(list.utf8))
  }

  @Test func `a list that cannot be read keeps everything`() throws {
    try age(recordings.path("a.mp4"), by: 400_000)
    _ = try DiskMarker.put(on: recordings.location)
    // Longer than any list that Footage writes.
    try put([UInt8](repeating: 0x23, count: Int(LibraryLimits.keptListBytes) + 1), state.path("kept"))
    let fixture = try LibraryFixture(in: recordings, state: state.location)
    try fixture.waitUntilReady("a")
    let worker = RetentionWorker(
      fixture.library.retentionAccess { false }, rules: RetentionRules(maxSize: 0, keepAtLeast: 0))
    for _ in 0..<3 { _ = worker.turn() }
    #expect(contents(recordings.path("a.mp4")) != nil)
    #expect(fixture.log.warnings.contains { $0.contains("\(state.location)/kept") }, "\(fixture.log.warnings)")
    fixture.library.stop()
  }
}
