/// A state folder in which somebody else's files have the names of Footage's.

import Foundation
import FootageSQLite
import Storage
import LinuxTestSupport
import Testing

@testable import RecordingLibrary

@Suite struct StateFolderOwnerTests {
  let recordings: TemporaryFolder
  let state: TemporaryFolder

  init() throws {
    (recordings, state) = (try TemporaryFolder(), try TemporaryFolder())
    try put(Samples.moovLast, recordings.path("a.mp4"))
    try age(recordings.path("a.mp4"), by: 100)
  }

  /// The files below a folder, with what they hold.
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
    #expect(warnings.first?.contains(state.location) == true && warnings.first?.contains("stays as it is") == true)
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
}
