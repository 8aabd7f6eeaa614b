/// The sample index of each recording: made, stored, checked and rebuilt.

import FootageAPI
import FootageBase
import Foundation
import FootageMedia
import FootageSystem
import LinuxTestSupport
import Testing

@testable import FootageLibrary

@Suite struct StoredIndexTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Returns the index that these bytes must have.
  private func expected(_ bytes: [UInt8]) throws -> SampleIndex.Made {
    let source = MemoryByteSource(bytes)
    return try SampleIndex.make(of: try MovieTables.make(of: source), media: source)
  }

  private func index(_ fixture: LibraryFixture, _ name: String) throws -> [UInt8] {
    let opened = try fixture.library.openIndex(of: try #require(fixture[name]))
    return try opened.bytes(at: 0, count: Int(opened.length))
  }

  private func stored(_ fixture: LibraryFixture, _ name: String) -> [UInt8]? {
    fixture[name]?.content.flatMap { contents(fixture.library.place.index($0.tag)) }
  }

  private func readies(_ fixture: LibraryFixture) -> [String] {
    fixture.log.all.compactMap { if case .ready(let name, _, _, _, _) = $0 { name } else { nil } }
  }

  /// Creates a library that a server left behind, with `a` (moov last) and `b` (moov first).
  private func settled() throws -> LibraryPaths {
    try put(Samples.moovLast, folder.path("a.mp4"))
    try put(Samples.moovFirst, folder.path("b.mp4"))
    for name in ["a.mp4", "b.mp4"] { try age(folder.path(name), by: 100) }
    let fixture = try LibraryFixture(in: folder)
    try fixture.waitUntilReady("a")
    try fixture.waitUntilReady("b")
    fixture.library.stop()
    return fixture.library.place
  }

  @Test(arguments: [
    ("moovLast", Samples.moovLast), ("moovFirst", Samples.moovFirst), ("fragmented", Samples.fragmented),
  ])
  func `every recording has one beside it, with or without a preamble`(kind: String, bytes: [UInt8]) throws {
    let fixture = try LibraryFixture(in: folder)
    try put(bytes, folder.path("a.mp4"))
    try fixture.waitUntilReady("a")
    let made = try expected(bytes)
    #expect(!made.bytes.isEmpty)
    #expect(try index(fixture, "a") == made.bytes)
    #expect(stored(fixture, "a") == made.bytes)
    let item = try #require(fixture["a"]).item(at: UnixTimestamp(seconds: 0))
    #expect(item.shift == made.shift && made.shift != nil)
    #expect(item.keyInterval == made.keyInterval && made.keyInterval != nil)
    #expect(item.tag?.versionTag == fixture["a"]?.versionTag && item.tag != nil)
    #expect(item.filmTarget == "/recordings/a.m3u8")
    let names = try FolderListing.entries(of: fixture.library.place.heads).compactMap(\.name)
    let tag = try #require(fixture["a"]?.content?.tag)
    // A file that was seen growing may have left another index under its film's ID.
    let own = Set(names.filter { $0.hasPrefix(tag) })
    #expect(own == (kind == "moovFirst" ? ["\(tag).index"] : ["\(tag).head", "\(tag).index"]))
  }

  @Test func `at the next start it is there at once, and nothing is looked at again`() throws {
    _ = try settled()
    let examiner = ScriptedExaminer()
    let fixture = try LibraryFixture(in: folder, examiner: examiner)
    for name in ["a", "b"] { #expect(fixture[name]?.content?.index?.shift != nil) }
    #expect(try index(fixture, "b") == (try expected(Samples.moovFirst).bytes))
    // Another file has been looked at since.
    try put(Samples.moovLast, folder.path("c.mp4"))
    try fixture.waitUntilReady("c")
    #expect(examiner.lookCount("a.mp4") == 0 && examiner.lookCount("b.mp4") == 0)
  }

  /// The damage that a power cut, a bad disk or a person may do to a file that was not synced.
  enum Damage: String, CaseIterable { case bit, cut, longer, empty, zeros, missing }

  private func damage(_ path: String, _ how: Damage) throws {
    var bytes = try #require(contents(path))
    switch how {
    case .bit: bytes[bytes.count / 2] ^= 1
    case .cut: bytes.removeLast()
    case .longer: bytes.append(0)
    case .empty: bytes = []
    case .zeros: bytes = Array(repeating: 0, count: bytes.count)
    case .missing: return try FileTree.remove(path)
    }
    try put(bytes, path)
  }

  @Test(arguments: Damage.allCases, ["a", "b"])
  func `one that is not what was written is made again on the spot, and stored`(how: Damage, name: String) throws {
    let place = try settled()
    let names = try FolderListing.entries(of: place.heads).compactMap(\.name).filter { $0.hasSuffix(".index") }
    for name in names { try damage("\(place.heads)/\(name)", how) }
    let made = try expected(name == "a" ? Samples.moovLast : Samples.moovFirst).bytes
    let fixture = try LibraryFixture(in: folder, isStarted: false)
    // The first request comes before anything was looked at.
    #expect(try index(fixture, name) == made)
    #expect(try fixture.served(name).count > 0)
    try fixture.library.start { _ in }
    try fixture.wait("it is stored again") { _ in stored(fixture, name) == made }
    #expect(try index(fixture, name) == made)
    #expect(readies(fixture) == [])
  }

  @Test func `one that goes away while the server runs is made again by the next request, and stored`() throws {
    let fixture = try LibraryFixture(in: folder)
    try put(Samples.moovLast, folder.path("a.mp4"))
    try fixture.waitUntilReady("a")
    let made = try index(fixture, "a")
    try FileTree.remove(fixture.library.place.index(try #require(fixture["a"]?.content?.tag)))
    let before = try #require(fixture["a"])
    #expect(throws: LibraryError.indexDamaged(name: "a")) { try before.openIndex() }
    #expect(try index(fixture, "a") == made)
    try fixture.wait("it is stored again") { _ in stored(fixture, "a") == made }
    #expect(fixture["a"]?.entityTag == before.entityTag)
  }

  @Test func `one that is missing at a start is made again though nobody asks for it`() throws {
    let place = try settled()
    for name in try FolderListing.entries(of: place.heads).compactMap(\.name) where name.hasSuffix(".index") {
      try FileTree.remove("\(place.heads)/\(name)")
    }
    let fixture = try LibraryFixture(in: folder)
    try fixture.wait("both are stored again") { _ in
      stored(fixture, "a") != nil && stored(fixture, "b") != nil
    }
    #expect(readies(fixture) == [])
  }

  /// Creates the state of an earlier server: no column describes an index, and none exists.
  private func leaveEarlierState(at place: LibraryPaths) throws {
    let columns = [
      "video_rotation", "index_version", "index_bytes", "index_digest", "shift_s", "key_interval_s",
    ]
    try Database(path: place.catalog).execute(
      columns.map { "ALTER TABLE recordings DROP COLUMN \($0);" }.joined()
        + "DROP TABLE growing_films; PRAGMA user_version = 6")
    for name in try FolderListing.entries(of: place.heads).compactMap(\.name) where name.hasSuffix(".index") {
      try FileTree.remove("\(place.heads)/\(name)")
    }
  }

  @Test(arguments: ["of an earlier program", "in another format"])
  func `recordings that have none are served at once, and have one when there was time`(state: String) throws {
    let place = try settled()
    if state == "of an earlier program" {
      try leaveEarlierState(at: place)
    } else {
      try Database(path: place.catalog).execute("UPDATE recordings SET index_version = index_version + 1")
    }
    let fixture = try LibraryFixture(in: folder, isStarted: false)
    let early = try #require(fixture["a"])
    #expect(early.state == .ready && early.content?.index == nil)
    #expect(early.item(at: UnixTimestamp(seconds: 0)).filmTarget == nil)
    let representation = try fixture.library.open(early)
    representation.beginSending()
    // A request for it is served before its turn comes.
    #expect(try index(fixture, "b") == (try expected(Samples.moovFirst).bytes))
    try fixture.library.start { _ in }
    try fixture.wait("both have one") { snapshot in
      ["a", "b"].allSatisfy { snapshot.recording(named: $0)?.content?.index?.shift != nil }
    }
    // The transfer of the recording continues, and its version stays valid.
    #expect(representation.isUnchanged())
    #expect(fixture["a"]?.validity.isOpen == true)
    representation.endSending()
    #expect(fixture["a"]?.entityTag == early.entityTag)
    #expect(stored(fixture, "a") == (try expected(Samples.moovLast).bytes))
    #expect(readies(fixture) == [])
    #expect(fixture.log.warnings == [])
    fixture.library.stop()
    let rows = try Database(path: place.catalog).prepare(
      "SELECT count(*) FROM recordings WHERE index_version = \(SampleIndex.formatVersion) AND index_bytes > 0")
    #expect(try rows.integer() == 2)
  }

  @Test func `a file of which none can be made is ready, and not looked at again for that`() throws {
    let examiner = ScriptedExaminer()
    examiner.answer(.withoutIndex, for: "a.mp4")
    try put(Samples.moovLast, folder.path("a.mp4"))
    try age(folder.path("a.mp4"), by: 100)
    for _ in 0..<2 {
      let fixture = try LibraryFixture(in: folder, examiner: examiner)
      try fixture.waitUntilReady("a")
      try put(Samples.other, folder.path("other.mp4"))
      try fixture.waitUntilReady("other")
      #expect(try fixture.served("a").count == Samples.moovLast.count)
      let error = #expect(throws: LibraryError.self) { try fixture.library.openIndex(of: #require(fixture["a"])) }
      guard case .nothingToShow(name: "a", _) = error else {
        Issue.record("\(String(describing: error))")
        return
      }
      #expect(fixture["a"]?.item(at: UnixTimestamp(seconds: 0)).filmTarget == nil)
      fixture.library.stop()
    }
    #expect(examiner.lookCount("a.mp4") == 1)
  }

  @Test func `where the samples could not be read, the recording is ready, and the next start tries again`() throws {
    let examiner = ScriptedExaminer()
    examiner.answer(.withUnreadableSamples, for: "a.mp4")
    try put(Samples.moovLast, folder.path("a.mp4"))
    try age(folder.path("a.mp4"), by: 100)
    do {
      let first = try LibraryFixture(in: folder, examiner: examiner)
      try first.waitUntilReady("a")
      #expect(try first.served("a").count == Samples.moovLast.count)
    }
    examiner.answer(nil, for: "a.mp4")
    let second = try LibraryFixture(in: folder, examiner: examiner)
    try second.wait("it has one") { $0.recording(named: "a")?.content?.index?.shift != nil }
    #expect(examiner.lookCount("a.mp4") == 2)
  }

  @Test func `a recording that is deleted takes its own with it, and a copy keeps what it shares`() throws {
    let fixture = try LibraryFixture(in: folder)
    try put(Samples.moovFirst, folder.path("a.mp4"))
    try age(folder.path("a.mp4"), by: 100)
    #expect(try run("cp", ["-p", folder.path("a.mp4"), folder.path("b.mp4")]) == 0)
    try fixture.wait("both have one tag") {
      let tags = $0.recordings.compactMap(\.entityTag)
      return tags.count == 2 && Set(tags).count == 1
    }
    try FileTree.remove(folder.path("a.mp4"))
    try fixture.wait("one is gone") { $0.count == 1 }
    #expect(stored(fixture, "b") == (try expected(Samples.moovFirst).bytes))
    try FileTree.remove(folder.path("b.mp4"))
    try fixture.wait("both are gone") { $0.count == 0 }
    fixture.library.stop()
    #expect(try FolderListing.entries(of: fixture.library.place.heads).isEmpty)
  }

  @Test func `a sweep at the start takes the orphans of both kinds`() throws {
    let place = try settled()
    for path in [place.preamble("gone"), place.index("gone")] {
      try put([1], path)
      try age(path, by: 100)
    }
    let count = try FolderListing.entries(of: place.heads).count
    let fixture = try LibraryFixture(in: folder, isStarted: false)
    #expect(try FolderListing.entries(of: place.heads).count == count - 2)
    #expect(stored(fixture, "a") != nil && stored(fixture, "b") != nil)
  }

  @Test func `where it cannot be stored it is made for whoever asks`() throws {
    let fixture = try LibraryFixture(in: folder)
    let heads = fixture.library.place.heads
    try FileTree.removeFolder(heads)
    try put([], heads)
    try put(Samples.moovFirst, folder.path("a.mp4"))
    try fixture.waitUntilReady("a")
    let made = try expected(Samples.moovFirst).bytes
    #expect(try index(fixture, "a") == made)
    try FileTree.remove(heads)
    try makeFolder(heads)
    fixture.move(seconds: 11)
    try fixture.wait("it is stored") { _ in stored(fixture, "a") == made }
  }

  // MARK: One look

  /// A source from which a limited number of reads succeed, and none after them.
  private final class WearingSource: ByteSource {
    private let bytes: [UInt8]
    private var readsLeft: Int

    init(_ bytes: [UInt8], reads: Int) { (self.bytes, readsLeft) = (bytes, reads) }

    var length: UInt64 { UInt64(bytes.count) }

    func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws(StorageError) {
      guard readsLeft > 0 else { throw StorageError("read", "the disk", .system(.ioError)) }
      readsLeft -= 1
      bytes.withUnsafeBytes {
        buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[Int(offset)...].prefix(buffer.count)))
      }
    }
  }

  @Test func `a disk that fails at some read never makes it a recording that has none`() {
    let bytes = Samples.moovFirst
    let version = FileVersion(device: 1, inode: 2, size: UInt64(bytes.count), modifiedNanoseconds: 4)
    for reads in 0..<10_000 {
      let source = WearingSource(bytes, reads: reads)
      let found = FileReport.of(source, version, isQuickTime: false)
      switch found.report.verdict {
      case .unreadable: #expect(found.index.isEmpty)
      case .ready(let content) where content.index == nil:
        #expect(content.notes.contains { $0.hasPrefix("no films or clips can be made of it: ") })
      case .ready(let content):
        #expect(content.index?.length == UInt64(found.index.count))
        #expect(found.index.count > 0)
        return
      default: Issue.record("\(found.report.verdict)")
      }
    }
    Issue.record("it never ends")
  }
}
