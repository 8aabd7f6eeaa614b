/// A folder below the recordings folder that is exchanged for a link to another place.

import Foundation
import FootageSystem
import LinuxTestSupport
import Testing

@testable import FootageLibrary

@Suite struct ExchangedFolderTests {
  let fixture: LibraryFixture
  let folder: TemporaryFolder
  let outside: TemporaryFolder

  init() throws {
    fixture = try LibraryFixture()
    folder = fixture.folder
    outside = try TemporaryFolder()
    try makeFolder(folder.path("cam"))
    for name in ["x", "y"] {
      try put(Samples.moovLast, folder.path("cam/\(name).mp4"))
      try put(Samples.other, outside.path("\(name).mp4"))
    }
    try fixture.waitUntilReady("cam/x")
    try fixture.waitUntilReady("cam/y")
    try FileManager.default.createSymbolicLink(atPath: folder.path("aside"), withDestinationPath: outside.location)
  }

  @Test func `nothing is served through it that lies outside`() throws {
    let known = try #require(fixture["cam/x"])
    try exchangeNames(folder.path("cam"), folder.path("aside"))
    #expect {
      _ = try fixture.library.open(known)
    } throws: { error in
      if case LibraryError.changed = error { true } else { false }
    }
    // A request makes the library look at the file again, by its path.
    for name in ["x", "y"] { #expect(fixture.library.index(RelativePath("cam/\(name).mp4")) == nil) }
    try fixture.wait("the recordings under their new path") { $0.recording(named: "aside/x")?.state == .ready }
    try fixture.wait("only those") { $0.count == 2 }
    #expect(fixture["cam/x"] == nil && fixture["cam/y"] == nil)
    #expect(fixture.library.lookUp("cam/x") == nil)
  }

  @Test func `a file outside that equals the indexed one to the last bit of its status is not opened either`() throws {
    let known = try #require(fixture["cam/x"])
    try FileTree.remove(outside.path("x.mp4"))
    // The same file, under a second name outside of the folder.
    try FileTree.link(folder.path("cam/x.mp4"), as: outside.path("x.mp4"))
    try exchangeNames(folder.path("cam"), folder.path("aside"))
    #expect(throws: LibraryError.self) { try known.open() }
  }
}
