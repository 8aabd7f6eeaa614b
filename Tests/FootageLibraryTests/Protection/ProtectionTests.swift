/// Recordings that are never deleted to make room: the marks that protect them, and the events that the marks survive.

import FootageAPI
import FootageBase
import Foundation
import FootageSystem
import LinuxTestSupport
import Testing

@testable import FootageLibrary

@Suite struct ProtectionTests {
  private let folder: TemporaryFolder
  private let state: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    state = try TemporaryFolder()
    for (name, bytes) in [("a", Samples.moovLast), ("b", Samples.moovFirst)] {
      try put(bytes, folder.path("\(name).mp4"))
      try age(folder.path("\(name).mp4"), by: 100)
    }
  }

  private func started() throws -> LibraryFixture {
    let fixture = try LibraryFixture(in: folder, state: state.path("state"))
    try fixture.waitUntilReady("a")
    try fixture.waitUntilReady("b")
    return fixture
  }

  /// Protects a recording as a user who cannot write its file, and unless `inFolder` cannot write the folder.
  private func keepByLine(_ name: String, inFolder: Bool, _ fixture: LibraryFixture) throws -> ProtectionPlace {
    let manager = FileManager.default
    try manager.setAttributes([.posixPermissions: inFolder ? 0o777 : 0o755], ofItemAtPath: folder.location)
    try manager.setAttributes([.posixPermissions: 0o777], ofItemAtPath: fixture.library.place.state)
    let foreign = "\(name).mp4"
    try manager.setAttributes([.posixPermissions: 0o444], ofItemAtPath: folder.path(foreign))
    return try withoutPrivileges { try fixture.library.keep(name: name) }
  }

  private static let marks: Bool = {
    guard let folder = try? TemporaryFolder(), (try? put([0], folder.path("x"))) != nil,
      let file = try? RandomAccessFile(path: folder.path("x"))
    else { return false }
    return (try? file.setMark("keep")) != nil
  }()

  @Test(.enabled(if: marks, "this file system keeps no attributes"))
  func `a protected recording is listed as such, by another generation, until it is released`() throws {
    let fixture = try started()
    let before = fixture.library.snapshot.generation
    let recording = try #require(fixture["a"])
    #expect(try fixture.library.keep(name: "a") == .file)
    #expect(fixture["a"]?.isKept == true && fixture["b"]?.isKept == false)
    #expect(fixture.library.snapshot.generation > before)
    #expect(fixture["a"]?.item(at: fixture.library.now).isKept == true)
    #expect(fixture["a"]?.entityTag == recording.entityTag)
    #expect(try RandomAccessFile(path: folder.path("a.mp4")).hasMark("keep"))
    #expect(fixture.library.kept().map(\.name) == ["a"])
    #expect(fixture.library.kept().map(\.places) == [[.file]])
    try fixture.library.keep(name: "a")
    try fixture.library.release(name: "a")
    #expect(fixture["a"]?.isKept == false && fixture.library.kept().isEmpty)
    try fixture.library.release(name: "a")
  }

  @Test(.enabled(if: marks)) func `a response that is under way goes on, and the file is what it was`() throws {
    let fixture = try started()
    let open = try fixture.library.open(try #require(fixture["a"]))
    try fixture.library.keep(name: "a")
    #expect(open.isUnchanged())
    #expect(contents(folder.path("a.mp4")) == Samples.moovLast)
    // Then the change of the file's status is noticed, and has no consequence.
    fixture.move(seconds: 2)
    try put(Samples.other, folder.path("c.mp4"))
    try fixture.waitUntilReady("c")
    #expect(open.isUnchanged() && fixture["a"]?.isKept == true)
  }

  @Test(.enabled(if: marks)) func `a mark survives a lost catalog, a rename and a copy`() throws {
    do { try started().library.keep(name: "a") }
    try FileTree.removeFolder(state.path("state"))
    try FileManager.default.moveItem(atPath: folder.path("a.mp4"), toPath: folder.path("moved.mp4"))
    #expect(try run("cp", ["-a", folder.path("moved.mp4"), folder.path("copy.mp4")]) == 0)
    let later = try LibraryFixture(in: folder, state: state.path("state"))
    try later.waitUntilReady("moved")
    try later.waitUntilReady("copy")
    #expect(later["moved"]?.isKept == true && later["copy"]?.isKept == true)
  }

  @Test(.enabled(if: marks)) func `another process's mark is noticed, and known at once at the next start`() throws {
    do {
      let fixture = try started()
      let other = try LibraryFixture(in: folder, state: state.path("state"), role: .command, isStarted: false)
      other.library.refresh()
      #expect(try other.library.keep(name: "b") == .file)
      try fixture.wait("the mark") { $0.recording(named: "b")?.isKept == true }
      fixture.library.stop()
    }
    let later = try LibraryFixture(in: folder, state: state.path("state"), isStarted: false)
    #expect(later["b"]?.isKept == true && later["a"]?.isKept == false)
  }

  @Test(arguments: [true, false]) func `what cannot be marked gets a line`(inFolder: Bool) throws {
    let place: LibraryPaths
    do {
      let fixture = try started()
      #expect(try keepByLine("a", inFolder: inFolder, fixture) == (inFolder ? .folder : .state))
      #expect(fixture["a"]?.isKept == true && fixture["b"]?.isKept == false)
      #expect(fixture.library.kept().map(\.places) == [[inFolder ? .folder : .state]])
      place = fixture.library.place
      #expect(FileTree.exists(inFolder ? place.keptInFolder : place.keptInState))
    }
    // The line survives the loss of the catalog and a new name.
    for suffix in ["", "-wal", "-shm"] { try FileTree.remove(place.catalog + suffix) }
    if inFolder { try FileTree.removeFolder(place.state) }
    try FileManager.default.moveItem(atPath: folder.path("a.mp4"), toPath: folder.path("moved.mp4"))
    let later = try LibraryFixture(in: folder, state: state.path("state"))
    try later.waitUntilReady("moved")
    #expect(later["moved"]?.isKept == true)
    try later.library.release(name: "moved")
    #expect(later["moved"]?.isKept == false && later.library.kept().isEmpty)
  }

  @Test func `a line is about one content: another recording of that name is not protected`() throws {
    let fixture = try started()
    _ = try keepByLine("a", inFolder: true, fixture)
    try FileTree.remove(folder.path("a.mp4"))
    try put(Samples.other, folder.path("a.mp4"))
    try fixture.wait("the other recording") { $0.recording(named: "a")?.isKept == false }
    // The line is still there and is listed without a recording.
    #expect(fixture.library.kept().map(\.name) == ["a"] && fixture.library.kept().first?.recording == nil)
  }

  @Test func `a line without a recording is released by its name`() throws {
    let fixture = try started()
    _ = try keepByLine("a", inFolder: true, fixture)
    try FileTree.remove(folder.path("a.mp4"))
    try fixture.wait("its end") { $0.recording(named: "a") == nil }
    try fixture.library.release(name: "a")
    #expect(fixture.library.kept().isEmpty)
    #expect(throws: ProtectionError.unknown(name: "a")) { try fixture.library.release(name: "a") }
  }

  @Test func `what another process writes into a list is noticed`() throws {
    let fixture = try started()
    let line = KeptLine(
      name: "b", try KeptLine.identity(of: try RandomAccessFile(path: folder.path("b.mp4"))))
    try KeptList(path: fixture.library.place.keptInState).add(line)
    fixture.move(seconds: 6)
    try fixture.wait("the line") { $0.recording(named: "b")?.isKept == true }
    try KeptList(path: fixture.library.place.keptInState).remove { _ in true }
    fixture.move(seconds: 6)
    try fixture.wait("its end") { $0.recording(named: "b")?.isKept == false }
  }

  @Test func `a list in a state folder that somebody deleted is written again`() throws {
    let fixture = try started()
    #expect(try keepByLine("a", inFolder: false, fixture) == .state)
    try FileTree.removeFolder(fixture.library.place.state)
    fixture.move(seconds: 400)
    try eventually("the list is there again") { FileTree.exists(fixture.library.place.keptInState) }
    #expect(fixture["a"]?.isKept == true)
  }

  @Test func `where nothing can be written it is refused, and with every reason`() throws {
    let fixture = try started()
    let error = #expect(throws: ProtectionError.self) {
      let manager = FileManager.default
      try manager.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.location)
      try manager.setAttributes([.posixPermissions: 0o755], ofItemAtPath: fixture.library.place.state)
      _ = try withoutPrivileges { try fixture.library.keep(name: "a") }
    }
    guard case .refusedEverywhere("a", let reasons)? = error else {
      Issue.record("it is \(String(describing: error))")
      return
    }
    #expect(reasons.count == 3)
    #expect(fixture["a"]?.isKept == false)
  }

  @Test(.enabled(if: marks)) func `moments select what has one of them`() throws {
    for (name, minute) in [("x", 0), ("y", 1), ("z", 2)] {
      try makeFolder(folder.path("front"))
      try put(Samples.moovLast, folder.path("front/2026-11-20T10-0\(minute)-00Z\(name).mp4"))
    }
    let fixture = try started()
    let at = { (text: String) in try #require(UnixTimestamp(rfc3339: "2026-11-20T\(text)Z")) }
    let names = ["x", "y", "z"].enumerated().map { "front/2026-11-20T10-0\($0)-00Z\($1)" }
    for name in names { try fixture.waitUntilReady(name) }
    // Each lasts two seconds. A recording that ends at the beginning of the range is not part of it.
    let kept = try fixture.library.keep(camera: "front", from: at("10:00:01"), to: at("10:01:01"))
    #expect(kept == [names[1], names[0]])
    #expect(names.map { fixture[$0]?.isKept } == [true, true, false])
    let released = try fixture.library.release(camera: "front", from: at("10:01:00"), to: at("11:00:00"))
    #expect(released == [names[2], names[1]])
    #expect(names.map { fixture[$0]?.isKept } == [true, false, false])
    #expect(throws: ProtectionError.self) {
      try fixture.library.keep(camera: "front", from: try at("10:00:03"), to: try at("10:01:00"))
    }
    #expect(throws: ProtectionError.self) {
      try fixture.library.keep(camera: nil, from: try at("10:00:00"), to: try at("10:01:00"))
    }
    #expect(throws: ProtectionError.unknown(name: "none")) { try fixture.library.keep(name: "none") }
  }

  // MARK: The keeper of a mark

  private func shares(_ fixture: LibraryFixture) -> [KeptShare] {
    fixture.library.withWorker { $0.condition.keptShares }
  }

  @Test func `many are done a part at a time, and one that cannot be done keeps no other one from it`() throws {
    let fixture = try started()
    let (good, bad) = (try #require(fixture["a"]), try #require(fixture["b"]))
    let all = (0..<40).map { $0 == 20 ? bad : good }
    let met = EventLog<String>()
    let sweep = ProtectionSweep {
      let change: ProtectionSweep.Change = { (recording) throws(ProtectionError) in
        met.append(recording.name)
        if recording === bad { throw .changed(name: "b") }
      }
      return (all, change)
    }
    #expect(try sweep.next() == nil && met.all.count == 16)
    #expect(try sweep.next() == nil && met.all.count == 32)
    let done = Array(repeating: "a", count: 39)
    #expect(throws: ProtectionError.incomplete(done: done, first: .changed(name: "b"))) { try sweep.next() }
    #expect(met.all.count == 40)
  }

  @Test(.enabled(if: marks)) func `a mark says whose it is, and an earlier one counts for nobody`() throws {
    let size = UInt64(Samples.moovLast.count)
    do {
      let fixture = try started()
      try RandomAccessFile(path: folder.path("b.mp4")).setMark("keep")
      try fixture.library.keep(name: "a", by: .viewer("alice"), within: size)
      #expect(fixture["a"]?.keeper == .viewer("alice"))
      #expect(shares(fixture) == [KeptShare(viewer: "alice", bytes: size)])
      try fixture.wait("the earlier mark") { $0.recording(named: "b")?.keeper == .anybody }
      #expect(shares(fixture).count == 1)
      // The turn reports it to the robot's monitoring.
      try eventually("health is told") { fixture.library.condition.keptShares == shares(fixture) }
      fixture.library.stop()
    }
    // The catalog knows it at once, and without the catalog the file does.
    do {
      let later = try LibraryFixture(in: folder, state: state.path("state"), isStarted: false)
      #expect(later["a"]?.keeper == .viewer("alice") && later["b"]?.keeper == .anybody)
      #expect(shares(later) == [KeptShare(viewer: "alice", bytes: size)])
    }
    try FileTree.removeFolder(state.path("state"))
    let fixture = try started()
    #expect(fixture["a"]?.keeper == .viewer("alice"))
    try fixture.library.release(name: "a")
    #expect(shares(fixture).isEmpty)
  }

  @Test(.enabled(if: marks)) func `a viewer protects no more than its share, and others have theirs`() throws {
    let fixture = try started()
    let (first, second) = (UInt64(Samples.moovLast.count), UInt64(Samples.moovFirst.count))
    let limit = max(first, second) + 1
    try fixture.library.keep(name: "a", by: .viewer("alice"), within: limit)
    #expect(throws: ProtectionError.overShare(name: "b", kept: first, limit: limit)) {
      try fixture.library.keep(name: "b", by: .viewer("alice"), within: limit)
    }
    #expect(fixture["b"]?.isKept == false)
    #expect(try !RandomAccessFile(path: folder.path("b.mp4")).hasMark("keep"))
    // To protect a protected recording again costs no share, and it remains its first keeper's.
    try fixture.library.keep(name: "a", by: .viewer("alice"), within: 0)
    try fixture.library.keep(name: "a", by: .viewer("bob"), within: 0)
    #expect(fixture["a"]?.keeper == .viewer("alice"))
    try fixture.library.keep(name: "b", by: .viewer("bob"), within: limit)
    #expect(Set(shares(fixture).map(\.viewer)) == ["alice", "bob"])
    try fixture.library.release(name: "a")
    try fixture.library.release(name: "b")
    try fixture.library.keep(name: "b", by: .viewer("alice"), within: limit)
    // An operator's protection is permanent, and takes nothing from any viewer's share.
    try fixture.library.keep(name: "b")
    #expect(fixture["b"]?.keeper == .anybody && shares(fixture).isEmpty)
    try FileTree.remove(folder.path("b.mp4"))
    try fixture.wait("its end") { $0.recording(named: "b") == nil }
  }

  @Test func `a line says whose it is, for programs that know that, and protects for all`() throws {
    let fixture = try started()
    let manager = FileManager.default
    try manager.setAttributes([.posixPermissions: 0o777], ofItemAtPath: folder.location)
    try manager.setAttributes([.posixPermissions: 0o444], ofItemAtPath: folder.path("a.mp4"))
    let place = try withoutPrivileges {
      try fixture.library.keep(name: "a", by: .viewer("alice b"), within: .max)
    }
    #expect(place == .folder && fixture["a"]?.keeper == .viewer("alice b"))
    let lines = String(decoding: try #require(contents(fixture.library.place.keptInFolder)), as: UTF8.self)
      .split(separator: "\n")
    // An earlier program reads the first line and skips the second.
    #expect(lines.count == 2 && KeptLine(String(lines[0]))?.name == "a" && lines[1].hasPrefix("# viewer alice%20b "))
    #expect(fixture.library.kept().map(\.places) == [[.folder]])
    try fixture.library.release(name: "a")
    #expect(contents(fixture.library.place.keptInFolder) == [])
  }

  @Test(arguments: [[], [0x31], Array("viewer ".utf8), Array("later alice".utf8), Array("viewer ".utf8) + [0xFF]])
  func `a value that nobody knows is anybody's`(value: [UInt8]) { #expect(Keeper(mark: value) == .anybody) }

  @Test(arguments: ["alice", "ä ö", String(repeating: "x", count: 300)])
  func `a viewer's name is read as it was written`(name: String) {
    #expect(Keeper(mark: Keeper.viewer(name).mark) == .viewer(name))
  }
}
