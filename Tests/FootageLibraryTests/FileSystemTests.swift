/// Disks that are mounted and unmounted below and over the folder, for a user with that privilege.

import Foundation
import FootageSystem
import LinuxTestSupport
import Testing

@testable import FootageLibrary

/// A file system in memory that can be mounted at several places, as a disk is plugged in and out.
final class TestDisk {
  let folder: TemporaryFolder
  private var places: [String] = []

  static let canMount: Bool = {
    guard let folder = try? TemporaryFolder() else { return false }
    guard let mounted = try? run("mount", ["-t", "tmpfs", "none", folder.location]), mounted == 0 else { return false }
    _ = try? run("umount", [folder.location])
    return true
  }()

  init() throws {
    folder = try TemporaryFolder()
    guard try run("mount", ["-t", "tmpfs", "none", folder.location]) == 0 else { throw CocoaError(.fileNoSuchFile) }
  }

  func mount(at path: String) throws {
    #expect(try run("mount", ["--bind", folder.location, path]) == 0)
    places.append(path)
  }

  func unmount() throws {
    let path = places.removeLast()
    #expect(try run("umount", [path]) == 0)
  }

  deinit {
    for path in places.reversed() + [folder.location] { _ = try? run("umount", ["-l", path]) }
  }
}

@Suite(.enabled(if: TestDisk.canMount, "mounting needs privileges"))
struct FileSystemTests {
  let folder: TemporaryFolder
  let state: TemporaryFolder
  let disk: TestDisk

  init() throws {
    folder = try TemporaryFolder()
    state = try TemporaryFolder()
    disk = try TestDisk()
    for name in ["a.mp4", "b.mp4"] { try put(Samples.moovLast, disk.folder.path(name)) }
  }

  func indexed(_ fixture: LibraryFixture) -> [String] {
    fixture.log.all.compactMap { if case .ready(let name, _, _, _, _) = $0 { name } else { nil } }
  }

  func rowCount(_ fixture: LibraryFixture) throws -> Int64? {
    try Database(path: fixture.library.place.catalog).prepare("SELECT count(*) FROM recordings").integer()
  }

  @Test func `a disk that is mounted over the folder is seen at once, and its rows wait for it when it goes`() throws {
    let fixture = try LibraryFixture(in: folder, state: state.location)
    try disk.mount(at: folder.location)
    try fixture.waitUntilReady("a")
    try fixture.waitUntilReady("b")
    fixture.log.removeAll()
    try disk.unmount()
    try fixture.wait("nothing is listed") { $0.count == 0 }
    #expect(try rowCount(fixture) == 2)
    try disk.mount(at: folder.location)
    try fixture.wait("both are back") { $0.recordings.count { $0.state == .ready } == 2 }
    #expect(indexed(fixture) == [])
    #expect(!fixture.log.all.contains { if case .gone = $0 { true } else { false } })
    // Changes on that disk are noticed.
    try put(Samples.moovFirst, folder.path("c.mp4"))
    try fixture.waitUntilReady("c")
    #expect(fixture.log.warnings.contains { $0.contains("2 recordings disappeared with a file system") })
    #expect(fixture.log.warnings.contains { $0.contains("2 recordings came back") })
  }

  @Test func `one camera's disk goes and comes, and the others stay`() throws {
    try makeFolder(folder.path("front"))
    try makeFolder(folder.path("rear"))
    try put(Samples.moovFirst, folder.path("rear/x.mp4"))
    try disk.mount(at: folder.path("front"))
    let fixture = try LibraryFixture(in: folder, state: state.location)
    for name in ["front/a", "front/b", "rear/x"] { try fixture.waitUntilReady(name) }
    fixture.log.removeAll()
    try disk.unmount()
    try fixture.wait("one camera is left") { $0.recordings.map(\.name) == ["rear/x"] }
    // One recording is deleted elsewhere meanwhile.
    try FileTree.remove(disk.folder.path("b.mp4"))
    try disk.mount(at: folder.path("front"))
    try fixture.waitUntilReady("front/a")
    try fixture.wait("the row of the deleted one is gone") { _ in (try? rowCount(fixture)) == 2 }
    #expect(fixture["front/b"] == nil)
    #expect(indexed(fixture) == [])
  }

  @Test func `rows outlive a start without their disk`() throws {
    try disk.mount(at: folder.location)
    do {
      let fixture = try LibraryFixture(in: folder, state: state.location)
      try fixture.waitUntilReady("a")
      try fixture.waitUntilReady("b")
      fixture.library.stop()
    }
    try disk.unmount()
    let fixture = try LibraryFixture(in: folder, state: state.location)
    try fixture.wait("nothing is listed") { $0.count == 0 }
    try put(Samples.moovFirst, folder.path("below.mp4"))
    try fixture.waitUntilReady("below")
    #expect(try rowCount(fixture) == 3)
    fixture.log.removeAll()
    try disk.mount(at: folder.location)
    try fixture.wait("both are back, and what is below is not seen") {
      $0.recordings.map(\.name).sorted() == ["a", "b"] && $0.recordings.allSatisfy { $0.state == .ready }
    }
    #expect(indexed(fixture) == [])
  }

  @Test func `a disk with its own catalog is mounted over a folder with another one`() throws {
    try disk.mount(at: folder.location)
    do {
      let fixture = try LibraryFixture(in: folder)
      try fixture.waitUntilReady("a")
      try fixture.waitUntilReady("b")
      fixture.library.stop()
    }
    try disk.unmount()
    try put(Samples.moovFirst, folder.path("below.mp4"))
    let fixture = try LibraryFixture(in: folder)
    try fixture.waitUntilReady("below")
    fixture.log.removeAll()
    try disk.mount(at: folder.location)
    try fixture.wait("what is on the disk") {
      $0.recordings.map(\.name).sorted() == ["a", "b"] && $0.recordings.allSatisfy { $0.state == .ready }
    }
    #expect(indexed(fixture) == [])
    #expect(try fixture.served("a").count == Samples.moovLast.count)
    try put(Samples.moovFirst, folder.path("c.mp4"))
    try fixture.waitUntilReady("c")
    fixture.library.stop()
    #expect(try rowCount(fixture) == 3)
  }

  @Test func `the folder below is served again, by its own catalog, when a disk above it goes`() throws {
    try put(Samples.moovFirst, folder.path("below.mp4"))
    let fixture = try LibraryFixture(in: folder)
    try fixture.waitUntilReady("below")
    try disk.mount(at: folder.location)
    try fixture.waitUntilReady("a")
    // The catalog on the disk keeps it busy, as README says.
    #expect(try run("umount", ["-l", folder.location]) == 0)
    try fixture.wait("what is below") { $0.recordings.map(\.name) == ["below"] }
    try put(Samples.moovLast, folder.path("later.mp4"))
    try fixture.waitUntilReady("later")
    #expect(throws: LibraryError.alreadyServed(folder: folder.location)) { try LibraryFixture(in: folder) }
    fixture.library.stop()
    #expect(try rowCount(fixture) == 2)
  }
}
