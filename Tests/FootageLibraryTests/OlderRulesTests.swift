/// Recordings that the rules of an earlier version made: they stay as they were, until somebody wants them rebuilt.

import FootageAPI
import FootageBase
import FootageDigest
import Foundation
import FootageMedia
import FootageSystem
import LinuxTestSupport
import Testing

@testable import FootageLibrary

@Suite struct OlderRulesTests {
  let folder: TemporaryFolder
  let place: LibraryPaths

  init() throws {
    folder = try TemporaryFolder()
    place = LibraryPaths(recordings: folder.location, state: folder.path(".footage"))
    try put(Samples.moovLast, folder.path("a.mp4"))
    try age(folder.path("a.mp4"), by: 100)
    let fixture = try LibraryFixture(in: folder)
    try fixture.waitUntilReady("a")
    fixture.library.stop()
  }

  private var database: Database { get throws { try Database(path: place.catalog) } }

  private var tag: String {
    get throws {
      var tag: String?
      try database.prepare("SELECT tag FROM recordings").query([]) { tag = $0.text(0) }
      return try #require(tag)
    }
  }

  private var rules: Int64? {
    get throws { try database.prepare("SELECT rules FROM recordings").integer() }
  }

  /// Makes the row and its files those of older rules with another preamble, as long as the version that they describe.
  ///
  /// - Returns: the tag and the preamble of that version.
  @discardableResult
  private func makeOlder() throws -> (tag: String, preamble: [UInt8]) {
    let before = try tag
    let preamble = try #require(contents(place.preamble(before))) + [0, 0, 0, 8] + Array("skip".utf8)
    let file = try RandomAccessFile(path: folder.path("a.mp4"))
    let older = try ContentTag.make(
      layoutVersion: MovieIndex.layoutVersion, preamble: preamble, of: file, file.openingStatus.version)
    try put(preamble, place.preamble(older))
    try FileManager.default.moveItem(atPath: place.index(before), toPath: place.index(older))
    try FileManager.default.removeItem(atPath: place.preamble(before))
    let digest = Hexadecimal.encode(SHA256.hash(preamble))
    try database.execute(
      """
      UPDATE recordings SET tag = '\(older)', head_bytes = \(preamble.count), head_digest = x'\(digest)', rules = 2
      """)
    return (older, preamble)
  }

  /// Makes the row and its index those of older rules that made the same preamble.
  private func makeOlderModel() throws {
    let index = place.index(try tag)
    let bytes = try #require(contents(index)) + [0]
    try put(bytes, index)
    let digest = Hexadecimal.encode(SHA256.hash(bytes))
    try database.execute(
      "UPDATE recordings SET index_bytes = \(bytes.count), index_digest = x'\(digest)', rules = 2, duration_s = 1")
  }

  private func open(_ role: LibraryRole = .server) throws -> LibraryFixture {
    let fixture = try LibraryFixture(in: folder, role: role, isStarted: role == .server)
    if role == .command { fixture.library.refresh() }
    #expect(fixture["a"]?.state == .ready)
    return fixture
  }

  // MARK: They stay as they were

  @Test func `a better header changes neither bytes nor tag of a recording that is listed`() throws {
    let older = try makeOlder()
    let fixture = try open()
    #expect(fixture["a"]?.content?.tag == older.tag)
    // The file is examined again, as after a change of its mode.
    let again = try #require(fixture.library.index(RelativePath("a.mp4")))
    #expect(again.content?.tag == older.tag && again.isOfOlderRules)
    #expect(try fixture.served("a").starts(with: older.preamble))
    #expect(fixture.library.snapshot.findings.olderRules == 1)
    #expect(fixture.library.snapshot.namesOfOlderRules == ["a"])
    fixture.library.stop()
    #expect(try rules == 2)
    #expect(try tag == older.tag)
  }

  @Test func `a protection writes the row, and leaves its rules`() throws {
    try makeOlder()
    let fixture = try open()
    try fixture.library.keep(name: "a")
    // The row is written by the next turn of the library's thread.
    try eventually("the row") { try database.prepare("SELECT kept FROM recordings").integer() == 1 }
    fixture.library.stop()
    #expect(try rules == 2)
  }

  @Test func `an index in a new format comes to the old header`() throws {
    let older = try makeOlder()
    try database.execute("UPDATE recordings SET index_version = index_version - 1")
    try FileManager.default.removeItem(atPath: place.index(older.tag))
    let fixture = try open()
    try fixture.wait("its index") { $0.recording(named: "a")?.content?.index != nil }
    #expect(fixture["a"]?.content?.tag == older.tag && fixture["a"]?.isOfOlderRules == true)
    #expect(try fixture.library.openIndex(of: try #require(fixture["a"])).length > 0)
    #expect(try fixture.served("a").starts(with: older.preamble))
  }

  @Test func `other bytes are a new version by the rules of now`() throws {
    let older = try makeOlder()
    try age(folder.path("a.mp4"), by: 50)
    let fixture = try open()
    try fixture.wait("the new version") { $0.recording(named: "a")?.content.map { $0.tag != older.tag } ?? false }
    #expect(fixture["a"]?.isOfOlderRules == false)
    #expect(contents(place.preamble(older.tag)) == nil)
  }

  @Test(arguments: [false, true])
  func `an old header or index that is lost gives way to a whole new version`(isIndex: Bool) throws {
    let older = try makeOlder()
    if isIndex {
      // An index that differs from the one that the present rules make, and is gone.
      try FileManager.default.removeItem(atPath: place.index(older.tag))
      try database.execute("UPDATE recordings SET index_digest = x'00'")
    }
    let fixture = try open()
    if !isIndex { try put([1, 2, 3], place.preamble(older.tag)) }
    let new = try #require(fixture.library.index(RelativePath("a.mp4")))
    #expect(new.content?.tag != older.tag && !new.isOfOlderRules)
    #expect(try !fixture.served("a").isEmpty)
  }

  @Test func `a row of older rules with the same result becomes one of the present rules`() throws {
    let before = try tag
    try database.execute("UPDATE recordings SET rules = 1")
    let fixture = try open()
    #expect(fixture["a"]?.isOfOlderRules == true)
    #expect(fixture.library.index(RelativePath("a.mp4"))?.isOfOlderRules == false)
    fixture.library.stop()
    #expect(try tag == before && rules == Int64(MovieIndex.rulesVersion))
  }

  // MARK: They are rebuilt on request

  @Test(arguments: [LibraryRole.server, .command])
  func `a recording is rebuilt with a new header, under a new tag`(role: LibraryRole) throws {
    let present = try tag
    let older = try makeOlder()
    let fixture = try open(role)
    let remade = try fixture.library.remake("a")
    #expect(remade == Remade(name: "a", why: .header, before: older.tag, after: present))
    #expect(fixture["a"]?.content?.tag == present && fixture["a"]?.isOfOlderRules == false)
    #expect(try !fixture.served("a").starts(with: older.preamble))
    #expect(contents(place.preamble(older.tag)) == nil && contents(place.index(older.tag)) == nil)
    #expect(contents(place.preamble(present)) != nil && contents(place.index(present)) != nil)
    #expect(try fixture.library.remake("a").why == nil)
    #expect(fixture.library.snapshot.findings == LibraryFindings())
    fixture.library.stop()
    #expect(try tag == present && rules == Int64(MovieIndex.rulesVersion))
    #expect(contents(folder.path("a.mp4")) == Samples.moovLast)
  }

  @Test func `a new index under the same header has a tag of its own, which stays`() throws {
    let present = try tag
    try makeOlderModel()
    let after = try rebuildModel(present)
    #expect(try tag == after)
    // In a later version of the rules that make the same of it, the tag stays as well.
    try database.execute("UPDATE recordings SET rules = 1")
    let later = try open()
    #expect(later.library.index(RelativePath("a.mp4"))?.content?.tag == after)
    #expect(later["a"]?.isOfOlderRules == false)
  }

  /// Rebuilds a recording whose index alone differs.
  ///
  /// - Returns: the new tag.
  private func rebuildModel(_ present: String) throws -> String {
    let fixture = try open()
    #expect(fixture.library.index(RelativePath("a.mp4"))?.content?.tag == present)
    #expect(fixture["a"]?.isOfOlderRules == true && fixture["a"]?.duration == 1)
    let served = try fixture.served("a")
    let remade = try fixture.library.remake("a")
    #expect(remade.why == .model && remade.before == present && remade.after != present)
    #expect(fixture["a"]?.content?.tag == remade.after && fixture["a"]?.duration != 1)
    #expect(try fixture.served("a") == served)
    #expect(fixture.library.index(RelativePath("a.mp4"))?.content?.tag == remade.after)
    // A lost preamble is made again for this tag, too.
    try FileManager.default.removeItem(atPath: place.preamble(remade.after))
    #expect(try fixture.served("a") == served)
    #expect(try fixture.library.remake("a").why == nil)
    fixture.library.stop()
    return remade.after
  }

  @Test func `a manifest stays with the old version, and the new one gets a new manifest`() throws {
    let present = try tag
    let older = try makeOlder()
    let fixture = try open()
    try fixture.makeManifests(by: try TestSigner(), always: true)
    let old = try fixture.manifest("a")
    #expect(fixture.library.index(RelativePath("a.mp4"))?.content?.tag == older.tag)
    #expect(try fixture.manifest("a").bytes == old.bytes)
    #expect(try fixture.library.remake("a").after == present)
    #expect(!fixture.manifestNames.contains { $0.contains(older.tag) })
    try eventually("the new manifest, without a request") { fixture.manifestNames.contains { $0.contains(present) } }
    #expect(try fixture.manifest("a").bytes != old.bytes)
  }

  @Test func `nothing changes where the present rules have the same result`() throws {
    let before = try tag
    try database.execute("UPDATE recordings SET rules = 2")
    let fixture = try open()
    let validity = fixture["a"]?.validity
    #expect(try fixture.library.remake("a") == Remade(name: "a", why: nil, before: before, after: before))
    #expect(fixture["a"]?.isOfOlderRules == false && fixture["a"]?.validity === validity)
    fixture.library.stop()
    #expect(try rules == Int64(MovieIndex.rulesVersion))
  }

  @Test func `what cannot be rebuilt stays as it was, and the reason is given`() throws {
    let older = try makeOlder()
    try expectRefusals()
    #expect(try tag == older.tag)
    // Bytes that the present rules refuse, in a file that seems unchanged.
    let bytes = Array(repeating: UInt8(0x5A), count: Samples.moovLast.count)
    let handle = try FileHandle(forWritingTo: URL(filePath: folder.path("a.mp4")))
    try handle.write(contentsOf: bytes)
    try handle.close()
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSince1970: 1_700_000_000)], ofItemAtPath: folder.path("a.mp4"))
    try database.execute("UPDATE recordings SET modified_ns = 1700000000000000000")
    let stopped = try LibraryFixture(in: folder, role: .command, isStarted: false)
    let error = #expect(throws: LibraryError.self) { try stopped.library.remake("a") }
    #expect(error?.description.contains("stays as it was") == true, "\(String(describing: error))")
    #expect(try tag == older.tag)
  }

  private func expectRefusals() throws {
    let server = try open()
    #expect(throws: LibraryError.unknown(name: "b", folder: place.recordings)) { try server.library.remake("b") }
    let command = try LibraryFixture(in: folder, role: .command, isStarted: false)
    #expect(throws: LibraryError.alreadyServed(folder: place.recordings)) { try command.library.remake("a") }
    try put(Array("no recording".utf8), folder.path("bad.mp4"))
    try age(folder.path("bad.mp4"), by: 100)
    #expect(server.library.index(RelativePath("bad.mp4")) != nil)
    let refused = #expect(throws: LibraryError.self) { try server.library.remake("bad") }
    #expect(refused.map { if case .notReady = $0 { true } else { false } } == true, "\(String(describing: refused))")
  }
}

@Suite struct LibraryFindingsTests {
  private func findings(_ paths: [(String, Int64)]) -> LibraryFindings {
    LibrarySnapshot(paths.map { makeRecording($0.0, startedAt: $0.1) }).findings
  }

  @Test func `recordings of one camera that begin at once by guessed times are counted`() {
    let found = findings([
      ("tesla/2026-front.mp4", 5), ("tesla/2026-back.mp4", 5), ("tesla/2026-left.mp4", 5), ("x/1.mp4", 5),
      ("y/1.mp4", 6), ("y/2.mp4", 7), ("x/2.mp4", 6), ("1.mp4", 9), ("2.mp4", 9),
    ])
    #expect(found.sharedStarts == 5 && found.examples == ["1", "2"] && found.olderRules == 0)
    #expect(findings([("x/1.mp4", 1), ("x/2.mp4", 2), ("y/1.mp4", 1)]) == LibraryFindings())
    #expect(findings([]) == LibraryFindings())
  }

  @Test func `times of the file itself or of a layout are no guess`() {
    let own = LibrarySnapshot(["x/1.mp4", "x/2.mp4"].map { makeRecording($0, creationSeconds: 1_700_000_000) })
    #expect(own.findings == LibraryFindings())
  }

  @Test func `the catalog tells them while no server runs, and is not changed`() throws {
    let folder = try TemporaryFolder()
    try makeFolder(folder.path("t"))
    for name in ["t/20261120_101530_F.mp4", "t/20261120_101530_R.mp4"] { try put(Samples.moovLast, folder.path(name)) }
    #expect(LibraryFindings.ofCatalog(recordings: folder.location, state: nil, naming: RecordingNaming()) == nil)
    #expect(!FileTree.exists(folder.path(".footage")))
    let fixture = try LibraryFixture(in: folder, role: .command, isStarted: false)
    fixture.library.refresh()
    let state = fixture.library.place.state
    try Database(path: fixture.library.place.catalog).execute("UPDATE recordings SET rules = 2")
    let found = LibraryFindings.ofCatalog(recordings: folder.location, state: state, naming: RecordingNaming())
    #expect(found?.sharedStarts == 2 && found?.olderRules == 2)
    #expect(found?.examples == ["t/20261120_101530_F", "t/20261120_101530_R"])
    let layout = RecordingNaming(layout: try RecordingLayout("{}/%Y%m%d_%H%M%S_{camera}"))
    #expect(LibraryFindings.ofCatalog(recordings: folder.location, state: state, naming: layout)?.sharedStarts == 0)
  }
}
