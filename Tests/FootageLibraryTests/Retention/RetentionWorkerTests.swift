/// Retention in a folder that a library watches.

import FootageBase
import Foundation
import FootageSystem
import LinuxTestSupport
import Testing

@testable import FootageLibrary

@Suite struct RetentionWorkerTests {
  private let folder: TemporaryFolder
  private let size = UInt64(Samples.moovFirst.count)

  init() throws {
    folder = try TemporaryFolder()
    for (index, name) in ["a", "b", "c"].enumerated() {
      try put(Samples.moovFirst, folder.path("\(name).mp4"))
      try age(folder.path("\(name).mp4"), by: Double(30 - index) * 3_600)
    }
    _ = try DiskMarker.put(on: folder.location)
  }

  private func started() throws -> LibraryFixture {
    let fixture = try LibraryFixture(in: folder)
    for name in ["a", "b", "c"] { try fixture.waitUntilReady(name) }
    return fixture
  }

  private func worker(_ rules: RetentionRules, _ fixture: LibraryFixture) -> RetentionWorker {
    var access = fixture.library.retentionAccess { false }
    // Other tests write to the same disk. Here it has room for a megabyte, including these recordings.
    let location = folder.location
    access.space = {
      let entries = (try? FolderListing.entries(of: location)) ?? []
      let sizes = entries.compactMap { entry in
        entry.name.flatMap { try? FileStatus.of("\(location)/\($0)") }.map(\.version.size)
      }
      return FileSystemSpace(freeBytes: 1_000_000 - sizes.reduce(0, +), totalBytes: 1_000_000)
    }
    return RetentionWorker(access, rules: rules)
  }

  private var files: [String] {
    ((try? FolderListing.entries(of: folder.location)) ?? []).compactMap(\.name).filter { !$0.hasPrefix(".footage") }
  }

  private func deleted(_ fixture: LibraryFixture) -> [String] {
    fixture.log.all.compactMap { if case .deleted(let name, _, _) = $0 { name } else { nil } }
  }

  @Test func `the oldest go from disk, list and catalog, with a line each`() throws {
    let fixture = try started()
    let before = fixture.library.snapshot.generation
    #expect(worker(RetentionRules(maxSize: size), fixture).turn() == RetentionWorker.pause)
    #expect(files == ["c.mp4"] && fixture.states.keys.sorted() == ["c"])
    #expect(fixture.library.snapshot.generation > before && deleted(fixture) == ["a", "b"])
    let status = fixture.library.retention
    #expect(status.isOn && status.deletedRecordings == 2 && status.deletedBytes == 2 * size && status.failure == nil)
    #expect(fixture.log.all.contains { $0.description.hasPrefix("deleted: a, 0.0 MB: the recordings are larger") })
    #expect(!fixture.log.all.contains { if case .gone = $0 { true } else { false } })
    fixture.library.stop()
    let catalog = try #require(try Catalog.open(at: fixture.library.place))
    #expect(try catalog.load(device: 0).map(\.name) == ["c"])
  }

  @Test func `without the disk's marker nothing goes, and that is told once`() throws {
    try FileTree.remove(folder.path(DiskMarker.name))
    let fixture = try started()
    let worker = worker(RetentionRules(maxSize: 0), fixture)
    for _ in 0..<3 { _ = worker.turn() }
    #expect(files.count == 3)
    #expect(fixture.library.retention.failure?.contains("footage keep --mark-disk") == true)
    #expect(fixture.log.warnings.count { $0.contains(DiskMarker.name) } == 1)
    _ = try DiskMarker.put(on: folder.location)
    _ = worker.turn()
    #expect(files.isEmpty && fixture.library.retention.failure == nil)
  }

  @Test func `what is protected stays, also where the list does not know of it yet`() throws {
    let fixture = try started()
    let worker = worker(RetentionRules(maxSize: 0), fixture)
    try fixture.library.keep(name: "a")
    // Models another process that marked the file a moment before.
    fixture.library.withWorker { worker in
      let file = try? RandomAccessFile(path: folder.path("b.mp4"))
      #expect((try? file?.setMark("keep")) != nil)
      #expect(worker.recording(at: RelativePath("b.mp4"))?.isKept == false)
    }
    _ = worker.turn()
    #expect(files == ["a.mp4", "b.mp4"] && deleted(fixture) == ["c"])
    try fixture.wait("all that is there is listed") { $0.count == 2 && $0.recording(named: "b")?.isKept == true }
    try fixture.library.release(name: "a")
    _ = worker.turn()
    #expect(files == ["b.mp4"])
    #expect(!fixture.library.retention.isShort)
    _ = worker.turn()
    #expect(fixture.library.retention.isShort && fixture.library.retention.failure == nil)
    #expect(fixture.log.warnings.count { $0.contains("nothing may be deleted") } == 1)
  }

  @Test func `what is being sent stays for an hour at most`() throws {
    let fixture = try started()
    let worker = worker(RetentionRules(maxSize: 0, keepAtLeast: 0), fixture)
    let open = try fixture.library.open(try #require(fixture["a"]))
    open.beginSending()
    _ = worker.turn()
    #expect(files == ["a.mp4"])
    fixture.clock.advance(by: .seconds(3_599))
    _ = worker.turn()
    #expect(files == ["a.mp4"])
    fixture.clock.advance(by: .seconds(2))
    _ = worker.turn()
    #expect(files.isEmpty)
    // A reader keeps it to the end.
    #expect(open.isUnchanged())
    #expect(try open.bytes.bytes(at: 0, count: Int(size)) == Samples.moovFirst)
    open.endSending()
  }

  @Test func `what a recorder has open stays`() throws {
    let fixture = try started()
    let handle = try #require(FileHandle(forWritingAtPath: folder.path("a.mp4")))
    defer { try? handle.close() }
    let worker = worker(RetentionRules(maxSize: 0), fixture)
    _ = worker.turn()
    #expect(files == ["a.mp4"])
    try fixture.wait("it is listed again") { $0.recording(named: "a") != nil }
  }

  @Test func `a second name elsewhere frees nothing, and stays`() throws {
    let elsewhere = try TemporaryFolder()
    try FileManager.default.linkItem(atPath: folder.path("a.mp4"), toPath: elsewhere.path("a.mp4"))
    let fixture = try started()
    _ = worker(RetentionRules(maxSize: 0), fixture).turn()
    #expect(files == ["a.mp4"])
  }

  @Test func `what a crash has left gets its name back at the next start, and is listed`() throws {
    try FileManager.default.moveItem(atPath: folder.path("a.mp4"), toPath: folder.path(".footage-leaving-a.mp4"))
    try FileManager.default.moveItem(atPath: folder.path("b.mp4"), toPath: folder.path(".footage-leaving-b.mp4"))
    try put(Samples.other, folder.path("b.mp4"))
    let fixture = try started()
    try fixture.wait("all are listed") { $0.recording(named: "b (2)")?.state == .ready }
    #expect(files == ["a.mp4", "b (2).mp4", "b.mp4", "c.mp4"])
    #expect(fixture.log.warnings.count { $0.contains("was about to be deleted") } == 2)
    // It is deleted again before newer recordings are.
    _ = worker(RetentionRules(maxSize: 0), fixture).turn()
    #expect(Set(deleted(fixture)).isSuperset(of: ["a", "b (2)", "c"]))
  }

  @Test func `what no list shows is never touched`() throws {
    for name in ["notes.txt", ".hidden.mp4", "b.mp4.part"] { try put([1], folder.path(name)) }
    try makeFolder(folder.path("empty"))
    let fixture = try started()
    _ = worker(RetentionRules(maxSize: 0), fixture).turn()
    #expect(files == [".hidden.mp4", "b.mp4.part", "empty", "notes.txt"])
  }

  @Test func `a refused file goes after a day`() throws {
    for (name, hours) in [("x", 25.0), ("y", 23)] {
      try put([1, 2, 3], folder.path("\(name).mp4"))
      try age(folder.path("\(name).mp4"), by: hours * 3_600)
    }
    let fixture = try started()
    try fixture.wait("both are refused") { _ in fixture.reason("x") != nil && fixture.reason("y") != nil }
    _ = worker(RetentionRules(maxSize: 0), fixture).turn()
    #expect(files == ["y.mp4"])
  }

  @Test func `a name that is used again is another recording`() throws {
    let fixture = try started()
    let decided = fixture.library.withWorker { worker in
      worker.retentionCandidates { _ in 0 }.filter { $0.name == "a" }
    }
    try put(Samples.other, folder.path("new"))
    try FileManager.default.removeItem(atPath: folder.path("a.mp4"))
    try FileManager.default.moveItem(atPath: folder.path("new"), toPath: folder.path("a.mp4"))
    let lists = fixture.library.withWorker { $0.keptLists }
    let removal = RecordingRemoval(files: FolderRemovalFiles(place: fixture.library.place, lists: lists))
    #expect(try removal.remove(try #require(decided.first)) == .spared("it is now a different file"))
    #expect(contents(folder.path("a.mp4")) == Samples.other)
  }

  @Test func `the order in which files were met outlasts a restart`() throws {
    do {
      let fixture = try started()
      try put(Samples.other, folder.path("0.mp4"))
      try fixture.waitUntilReady("0")
    }
    let fixture = try LibraryFixture(in: folder, isStarted: false)
    let order = fixture.library.withWorker { worker in
      worker.retentionCandidates { _ in 0 }.sorted { $0.sighting.order < $1.sighting.order }
    }
    #expect(order.map(\.name) == ["a", "b", "c", "0"])
    #expect(order.allSatisfy { $0.sighting.wall != nil })
  }

  @Test func `nothing goes before all that lies there was looked at, and then the oldest first`() throws {
    do { _ = try started() }
    try put(Samples.moovFirst, folder.path("oldest.mp4"))
    try age(folder.path("oldest.mp4"), by: 40 * 3_600)
    // The recordings of the last run are known at once; those that were added since are not.
    let fixture = try LibraryFixture(in: folder, isStarted: false)
    let worker = worker(RetentionRules(maxSize: 2 * size), fixture)
    for _ in 0..<3 { #expect(worker.turn() < RetentionWorker.pause) }
    #expect(files.count == 4)
    fixture.library.refresh()
    _ = worker.turn()
    #expect(deleted(fixture) == ["oldest", "a"])
  }

  @Test func `a sum is told each hour`() throws {
    let fixture = try started()
    let worker = worker(RetentionRules(maxSize: size), fixture)
    _ = worker.turn()
    fixture.clock.advance(by: .seconds(3_601))
    _ = worker.turn()
    _ = worker.turn()
    #expect(
      fixture.log.all.map(\.description).filter { $0.hasPrefix("deleted in the last hour") }
        == ["deleted in the last hour: 2 recordings, 0.0 MB"])
  }

  @Test func `a part of the disk stays free`() throws {
    let fixture = try started()
    _ = worker(RetentionRules(keepFree: .bytes(1_000_000 - 2 * size - 4_096)), fixture).turn()
    #expect(files.count <= 2 && files.last == "c.mp4" && !files.contains("a.mp4"))
  }

  @Test func `a disk on which deleting frees nothing is left alone after ten`() throws {
    for number in 10..<25 {
      try put(Samples.other, folder.path("x\(number).mp4"))
      try age(folder.path("x\(number).mp4"), by: 90_000)
    }
    let fixture = try started()
    try fixture.wait("all are ready") { $0.count == 18 && $0.recordings.allSatisfy { $0.state == .ready } }
    var access = fixture.library.retentionAccess { false }
    access.space = { FileSystemSpace(freeBytes: 1, totalBytes: 1_000_000) }
    let worker = RetentionWorker(access, rules: RetentionRules(keepFree: .percent(50)))
    for _ in 0..<20 { _ = worker.turn() }
    #expect(deleted(fixture).count == 10 && files.count == 8)
    #expect(fixture.library.retention.failure?.contains("freed nothing") == true)
    #expect(fixture.library.snapshot.count == 8)
  }

  @Test func `where root's reserve is in use room is made all the same, though nothing becomes available`() throws {
    for number in 10..<25 {
      try put(Samples.other, folder.path("x\(number).mp4"))
      try age(folder.path("x\(number).mp4"), by: 90_000)
    }
    let fixture = try started()
    try fixture.wait("all are ready") { $0.count == 18 && $0.recordings.allSatisfy { $0.state == .ready } }
    var access = fixture.library.retentionAccess { false }
    let location = folder.location
    access.space = {
      let count = ((try? FolderListing.entries(of: location)) ?? []).count { $0.name?.hasSuffix(".mp4") == true }
      return FileSystemSpace(freeBytes: 0, totalBytes: 10_000_000, unusedBytes: UInt64(100 - count) * 1_000)
    }
    let worker = RetentionWorker(access, rules: RetentionRules(keepFree: .bytes(1)))
    // A turn deletes as much as the rule asks for. The next one does not wait, because nothing is available yet.
    #expect(worker.turn() == .zero && files.count == 17)
    for _ in 0..<17 { _ = worker.turn() }
    #expect(files.isEmpty && fixture.library.retention.failure == nil)
    #expect(worker.turn() == RetentionWorker.pause)
  }

  @Test func `what a short disk says tells of root's reserve`() throws {
    let fixture = try started()
    for name in ["a", "b", "c"] { try fixture.library.keep(name: name) }
    var access = fixture.library.retentionAccess { false }
    access.space = { FileSystemSpace(freeBytes: 0, totalBytes: 10_000_000, unusedBytes: 1_000) }
    _ = RetentionWorker(access, rules: RetentionRules(keepFree: .percent(50))).turn()
    #expect(fixture.log.warnings.contains { $0.contains("tune2fs -m") }, "\(fixture.log.warnings)")
  }

  @Test func `without a rule nothing is deleted, and the forecast is there all the same`() throws {
    let fixture = try started()
    try put(Samples.moovFirst, folder.path("d.mp4"))
    try age(folder.path("d.mp4"), by: 3_600)
    try fixture.waitUntilReady("d")
    try fixture.library.makeRoom(by: RetentionRules())
    try eventually("the forecast") { fixture.library.retention.forecast != nil }
    #expect(files.count == 4 && !fixture.library.retention.isOn)
  }
}
