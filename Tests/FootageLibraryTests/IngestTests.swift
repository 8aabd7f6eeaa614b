/// Ingest of files next to a running server.

import FootageAPI
import FootageBase
import Foundation
import FootageSystem
import LinuxTestSupport
import Testing

@testable import FootageLibrary

@Suite struct IngestTests {
  let folder: TemporaryFolder
  let outside: TemporaryFolder
  let command: LibraryFixture

  init() throws {
    folder = try TemporaryFolder()
    outside = try TemporaryFolder()
    command = try LibraryFixture(in: folder, role: .command, isStarted: false)
  }

  func ingest(_ path: String) throws -> Recording { try command.library.ingest(file: path) }

  /// Returns the reason why a file was not ingested.
  func refusal(_ path: String) -> String? {
    (#expect(throws: LibraryError.self) { try ingest(path) })?.description
  }

  @Test func `a file from elsewhere is linked, and stays what it was`() throws {
    try put(Samples.moovLast, outside.path("a.mp4"))
    let recording = try ingest(outside.path("a.mp4"))
    #expect(recording.item(at: UnixTimestamp(seconds: 0)).target == "/recordings/a.mp4")
    #expect(try FileStatus.of(folder.path("a.mp4")).version == FileStatus.of(outside.path("a.mp4")).version)
    #expect(try FileStatus.of(folder.path("a.mp4")).linkCount == 2)
    #expect(contents(outside.path("a.mp4")) == Samples.moovLast)
  }

  @Test func `a file that somebody has open for writing is copied, with its time`() throws {
    try put(Samples.moovLast, outside.path("a.mp4"))
    try age(outside.path("a.mp4"), by: 1_000)
    let writer = try FileHandle(forWritingTo: URL(filePath: outside.path("a.mp4")))
    _ = try ingest(outside.path("a.mp4"))
    try writer.close()
    let (copy, source) = try (FileStatus.of(folder.path("a.mp4")), FileStatus.of(outside.path("a.mp4")))
    #expect(copy.version.inode != source.version.inode)
    #expect(copy.version.modifiedNanoseconds == source.version.modifiedNanoseconds)
    #expect(contents(folder.path("a.mp4")) == Samples.moovLast)
    #expect(try FolderListing.entries(of: folder.location).map(\.name) == [".footage", "a.mp4"])
  }

  @Test func `a link leads to its file, and a file inside is indexed where it is`() throws {
    try put(Samples.moovLast, outside.path("a.mp4"))
    try FileManager.default.createSymbolicLink(
      atPath: outside.path("b.mp4"), withDestinationPath: outside.path("a.mp4"))
    #expect(try ingest(outside.path("b.mp4")).name == "b")
    #expect(try FileStatus.of(folder.path("b.mp4")).kind == .regular)
    try makeFolder(folder.path("cam"))
    try put(Samples.moovLast, folder.path("cam/c.mp4"))
    #expect(try ingest("\(folder.location)/../\(FileTree.name(of: folder.location))/cam/c.mp4").name == "cam/c")
    #expect(try FileStatus.of(folder.path("cam/c.mp4")).linkCount == 1)
  }

  @Test func `the same content under that name is fine, other content is not`() throws {
    try put(Samples.moovLast, outside.path("a.mp4"))
    let first = try ingest(outside.path("a.mp4"))
    #expect(try ingest(outside.path("a.mp4")).entityTag == first.entityTag)
    try FileTree.remove(outside.path("a.mp4"))
    try put(Samples.moovLast, outside.path("a.mp4"))
    #expect(try ingest(outside.path("a.mp4")).entityTag == first.entityTag)
    var changed = Samples.moovLast
    changed[60] ^= 1
    try put(changed, outside.path("a.mp4"))
    #expect(refusal(outside.path("a.mp4"))?.contains("a.mp4 is another recording with that name") == true)
    try put(Samples.quickTime, outside.path("a.mov"))
    #expect(refusal(outside.path("a.mov"))?.contains("a.mp4 is another recording with that name") == true)
    #expect(contents(folder.path("a.mp4")) == Samples.moovLast)
    #expect(try FolderListing.entries(of: folder.location).map(\.name) == [".footage", "a.mp4"])
  }

  @Test func `what cannot be served is not brought in`() throws {
    try put(Array("no film".utf8), outside.path("text.mp4"))
    try put(Array(Samples.moovLast.dropLast(100)), outside.path("cut.mp4"))
    try put(Samples.moovLast, outside.path("film.avi"))
    try put(Samples.moovLast, outside.path(".hidden.mp4"))
    try makeFolder(outside.path("folder.mp4"))
    for name in ["text.mp4", "cut.mp4", "film.avi", ".hidden.mp4", "folder.mp4", "missing.mp4", "no/missing.mp4"] {
      #expect(refusal(outside.path(name)) != nil)
    }
    #expect(refusal(outside.path("film.avi"))?.contains("does not end in .mp4") == true)
    #expect(refusal(outside.path("missing.mp4"))?.contains("No such file") == true)
    #expect(try FolderListing.entries(of: folder.location).map(\.name) == [".footage"])
    try put(Array("no film".utf8), folder.path("text.mp4"))
    #expect(refusal(folder.path("text.mp4"))?.contains("was not imported") == true)
  }

  @Test func `a running server answers for it at once`() throws {
    let server = try LibraryFixture(in: folder, isStarted: false)
    try put(Samples.moovLast, outside.path("a.mp4"))
    let recording = try ingest(outside.path("a.mp4"))
    #expect(server.library.snapshot.count == 0)
    let found = try #require(server.library.lookUp("a"))
    #expect(found.entityTag == recording.entityTag)
    #expect(try found.open().bytes.length == UInt64(Samples.moovLast.count))
    #expect(server.library.lookUp("b") == nil)
    #expect(server.library.lookUp("../a") == nil)
    try server.library.start { _ in }
    try server.waitUntilReady("a")
  }

  @Test func `who may not see its camera does not find it, and finds out nothing by that`() throws {
    let server = try LibraryFixture(in: folder, isStarted: false)
    for name in ["front/a.mp4", "rear/a.mp4"] {
      try FileTree.createFolders(folder.path(String(name.prefix { $0 != "/" })))
      try put(Samples.moovLast, folder.path(name))
      _ = try ingest(folder.path(name))
    }
    #expect(server.library.snapshot.count == 0)
    for (name, camera) in [("front/a", "front"), ("rear/a", "rear")] {
      for (cameras, isThere) in [
        (CameraSelection([camera]), true), (CameraSelection.all, true), (CameraSelection(["side"]), false),
        (CameraSelection.none, false),
      ] {
        #expect((server.library.lookUp(name, of: cameras) != nil) == isThere, "\(name)")
      }
    }
    try server.library.start { _ in }
    try server.waitUntilReady("rear/a")
    // A lookup in memory has the same result.
    #expect(server.library.lookUp("rear/a", of: CameraSelection(["front"])) == nil)
    #expect(server.library.lookUp("rear/a", of: CameraSelection(["rear"])) != nil)
  }

  @Test func `a row whose file is gone or another is not found`() throws {
    let server = try LibraryFixture(in: folder, isStarted: false)
    try put(Samples.moovLast, outside.path("a.mp4"))
    _ = try ingest(outside.path("a.mp4"))
    try FileTree.remove(folder.path("a.mp4"))
    #expect(server.library.lookUp("a") == nil)
    try put(Samples.other, folder.path("a.mp4"))
    #expect(server.library.lookUp("a") == nil)
  }

  @Test func `many at once, beside a server, each get their place`() throws {
    let server = try LibraryFixture(in: folder)
    for index in 0..<40 { try put(Samples.moovLast, outside.path("\(index).mp4")) }
    DispatchQueue.concurrentPerform(iterations: 4) { [folder, outside] worker in
      do {
        let command = try LibraryFixture(in: folder, role: .command, isStarted: false)
        for index in stride(from: worker, to: 40, by: 4) {
          _ = try command.library.ingest(file: outside.path("\(index).mp4"))
        }
      } catch {
        Issue.record(error)
      }
    }
    try server.wait("all") { $0.recordings.count { $0.state == .ready } == 40 }
    for recording in server.library.snapshot.recordings { _ = try server.library.open(recording) }
    server.library.stop()
    let database = try Database(path: server.library.place.catalog)
    #expect(try database.prepare("SELECT count(*) FROM recordings").integer() == 40)
    #expect(try database.faults() == [])
  }

  @Test func `a list by a command shows what no server has seen`() throws {
    try put(Samples.moovLast, folder.path("a.mp4"))
    try put(Array(Samples.moovLast.dropLast(100)), folder.path("cut.mp4"))
    try put(Array("a text of some length".utf8), folder.path("text.mp4"))
    command.library.refresh()
    #expect(command.states["a"] == "ready")
    #expect(command.states["cut"] == "recording")
    #expect(command.reason("text") != nil)
  }
}
