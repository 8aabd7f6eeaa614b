import FootageDigest
import FootageAPI
import FootageBase
import FootageSystem
import LinuxTestSupport
import Testing

@testable import FootageLibrary

/// Recordings in a store stay on the list when their files are deleted.
@Suite struct StoredRecordingTests {
  /// A store reader that reads from a folder.
  private struct FolderReader: StoredFileReader {
    let folder: String

    func file(of recording: Recording) throws(StorageError) -> RandomAccessFile {
      let path = "\(folder)/\(recording.path.text)"
      return try RandomAccessFile(
        WholeFile(file: try RandomAccessFile(path: path)), path: path, version: recording.version, kept: path)
    }

    func derivedFiles(of recording: Recording) throws(StorageError) -> DerivedFiles {
      throw StorageError("read", recording.name, .away("it is none"))
    }
  }

  /// A file whose bytes are available only by a read that may wait.
  private struct WholeFile: PartialFile {
    let file: RandomAccessFile

    func prepare(_ range: Range<UInt64>) async throws(StorageError) {}

    func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws(StorageError) {
      try file.read(at: offset, into: buffer)
    }

    func readImmediately(
      at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer
    ) throws(StorageError) -> RandomAccessFile.ImmediateRead { .wouldBlock }
  }

  private let store = StoredVersions()
  private let elsewhere: TemporaryFolder

  init() throws {
    elsewhere = try TemporaryFolder()
    try put(Samples.moovLast, elsewhere.path("a.mp4"))
    store.read(by: FolderReader(folder: elsewhere.location))
  }

  private func fixture(in folder: TemporaryFolder? = nil) throws -> LibraryFixture {
    let fixture = try LibraryFixture(in: folder, isStarted: false)
    fixture.library.use(store)
    try put(Samples.moovLast, fixture.folder.path("a.mp4"))
    try age(fixture.folder.path("a.mp4"), by: 100)
    try fixture.library.start { _ in }
    try fixture.waitUntilReady("a")
    return fixture
  }

  private func tag(_ fixture: LibraryFixture) throws -> String { try #require(fixture["a"]?.content?.tag) }

  @Test func `the list says where a recording is, and plays what is in the store alone`() throws {
    let fixture = try fixture()
    let (before, served) = (try #require(fixture["a"]), try fixture.served("a"))
    #expect(before.whereabouts.item == .here)
    store.insert(RelativePath("a.mp4"), tag: try tag(fixture))
    fixture.library.noteStored([RelativePath("a.mp4")])
    #expect(fixture["a"]?.whereabouts.item == .both)
    try FileTree.remove(fixture.folder.path("a.mp4"))
    try fixture.wait("it is in the store alone") { $0.recording(named: "a")?.whereabouts.item == .store }
    let after = try #require(fixture["a"])
    #expect(after.entityTag == before.entityTag && after.startedAt == before.startedAt && after.state == .ready)
    #expect(try fixture.served("a") == served)
    #expect(after.item(at: UnixTimestamp(seconds: 0)).place == .store)
    // Retention does not delete what is not on the disk.
    let candidates = fixture.library.withWorker { $0.retentionCandidates { _ in 0 } }
    #expect(candidates.isEmpty)
  }

  @Test func `what comes back is in both places, and what the store loses too is gone`() throws {
    let fixture = try fixture()
    let path = RelativePath("a.mp4")
    store.insert(path, tag: try tag(fixture))
    fixture.library.noteStored([path])
    try FileTree.rename(fixture.folder.path("a.mp4"), replacing: elsewhere.path("b.mp4"))
    try fixture.wait("it is in the store alone") { $0.recording(named: "a")?.isRemote == true }
    try FileTree.rename(elsewhere.path("b.mp4"), replacing: fixture.folder.path("a.mp4"))
    try fixture.wait("it is in both") { $0.recording(named: "a")?.whereabouts.item == .both }
    let tag = try tag(fixture)
    try FileTree.remove(fixture.folder.path("a.mp4"))
    try fixture.wait("it is in the store alone") { $0.recording(named: "a")?.isRemote == true }
    store.remove(path, tag: tag)
    fixture.library.noteStored([path])
    try fixture.wait("it is gone") { $0.recording(named: "a") == nil }
  }

  @Test func `it is still there after a start, and where the folder is away`() throws {
    let folder = try TemporaryFolder()
    var fixture: LibraryFixture? = try fixture(in: folder)
    store.insert(RelativePath("a.mp4"), tag: try tag(try #require(fixture)))
    fixture?.library.noteStored([RelativePath("a.mp4")])
    try FileTree.remove(folder.path("a.mp4"))
    try fixture?.wait("it is in the store alone") { $0.recording(named: "a")?.isRemote == true }
    fixture?.library.stop()
    fixture = nil
    let next = try LibraryFixture(in: folder, isStarted: false)
    next.library.use(store)
    try next.library.start { _ in }
    try next.wait("it is in the store alone") { $0.recording(named: "a")?.isRemote == true }
    #expect(try next.served("a").count > 0)
  }

  @Test func `another file of that name takes its place on the list`() throws {
    let fixture = try fixture()
    store.insert(RelativePath("a.mp4"), tag: try tag(fixture))
    fixture.library.noteStored([RelativePath("a.mp4")])
    try FileTree.remove(fixture.folder.path("a.mp4"))
    try fixture.wait("it is in the store alone") { $0.recording(named: "a")?.isRemote == true }
    try put(Samples.moovFirst, fixture.folder.path("a.mp4"))
    try fixture.wait("the new one is listed") { $0.recording(named: "a")?.whereabouts.item == .here }
    #expect(try fixture.served("a") == Samples.moovFirst)
  }

  @Test func `room is made by what the store has, which stays on the list`() throws {
    let fixture = try fixture()
    try put(Samples.moovFirst, fixture.folder.path("b.mp4"))
    try age(fixture.folder.path("b.mp4"), by: 1_000_000)
    try age(fixture.folder.path("a.mp4"), by: 500_000)
    try fixture.waitUntilReady("b")
    // What was listed with its former time is not removed.
    for (name, age) in [("a", 400_000_000_000_000), ("b", 900_000_000_000_000)] as [(String, Int64)] {
      try fixture.wait("\(name) was looked at again") { _ in
        fixture[name]?.version.modifiedNanoseconds ?? .max < fixture.clock.clock.unixNanoseconds - age
      }
    }
    _ = try DiskMarker.put(on: fixture.folder.location)
    store.insert(RelativePath("a.mp4"), tag: try tag(fixture))
    store.noteFirstLook(hasSucceeded: true)
    store.check(by: ScriptedChecker { _ in .there })
    fixture.library.noteStored([RelativePath("a.mp4")])
    var rules = RetentionRules(maxSize: 0, keepAtLeast: 0)
    rules.onlyStored = true
    let worker = RetentionWorker(fixture.library.retentionAccess { false }, rules: rules)
    _ = worker.turn()
    try fixture.wait("the stored one is in the store alone") { $0.recording(named: "a")?.isRemote == true }
    #expect(FileTree.exists(fixture.folder.path("b.mp4")) && !FileTree.exists(fixture.folder.path("a.mp4")))
    #expect(fixture.library.retention.lostRecordings == 0)
    let lax = RetentionWorker(
      fixture.library.retentionAccess { false }, rules: RetentionRules(maxSize: 0, keepAtLeast: 0))
    _ = lax.turn()
    #expect(!FileTree.exists(fixture.folder.path("b.mp4")))
    #expect(fixture.library.retention.lostRecordings == 1 && fixture.library.retention.lostAt != nil)
    #expect(fixture.log.warnings.contains { $0.contains("before it was in the store") })
  }

  /// A checker that gives scripted answers and records its questions.
  private final class ScriptedChecker: StoreChecker {
    let asked = EventLog<String>()
    private let answer: @Sendable (String) -> StoreAnswer

    init(_ answer: @escaping @Sendable (String) -> StoreAnswer) { self.answer = answer }

    func check(_ name: String, version: VersionTag, isStopped: () -> Bool) -> StoreAnswer {
      asked.append(name)
      return answer(name)
    }
  }

  /// Creates two old recordings that are both believed to be in the store.
  private func twoStored() throws -> LibraryFixture {
    let fixture = try fixture()
    try put(Samples.moovFirst, fixture.folder.path("b.mp4"))
    for name in ["a", "b"] { try age(fixture.folder.path("\(name).mp4"), by: 500_000) }
    try fixture.wait("both are ready, and old") { snapshot in
      ["a", "b"].allSatisfy { name in
        snapshot.recording(named: name).map {
          $0.state == .ready
            && $0.version.modifiedNanoseconds < fixture.clock.clock.unixNanoseconds - 400_000_000_000_000
        } ?? false
      }
    }
    _ = try DiskMarker.put(on: fixture.folder.location)
    for name in ["a", "b"] {
      store.insert(RelativePath("\(name).mp4"), tag: try #require(fixture[name]?.content?.tag))
    }
    fixture.library.noteStored([RelativePath("a.mp4"), RelativePath("b.mp4")])
    return fixture
  }

  private func turn(_ fixture: LibraryFixture, isStrict: Bool, maxAge: Int64? = nil) -> Duration {
    var rules = RetentionRules(maxSize: maxAge == nil ? 0 : nil, maxAge: maxAge, keepAtLeast: 0)
    rules.onlyStored = isStrict
    var access = fixture.library.retentionAccess { false }
    // Other tests write to the same disk. Here it has room for a megabyte, including these two.
    let folder = fixture.folder
    access.space = {
      let sizes = ["a.mp4", "b.mp4"].compactMap { try? FileStatus.of(folder.path($0)).version.size }
      return FileSystemSpace(freeBytes: 1_000_000 - sizes.reduce(0, +), totalBytes: 1_000_000)
    }
    return RetentionWorker(access, rules: rules).turn()
  }

  private func files(_ fixture: LibraryFixture) -> [String] {
    ["a.mp4", "b.mp4"].filter { FileTree.exists(fixture.folder.path($0)) }
  }

  @Test(arguments: [true, false])
  func `what is believed to be in the store stays until the store was looked at`(isStrict: Bool) throws {
    let fixture = try twoStored()
    store.check(by: ScriptedChecker { _ in .there })
    _ = turn(fixture, isStrict: isStrict)
    #expect(files(fixture) == ["a.mp4", "b.mp4"])
    // If the store cannot be examined, recorders need room all the same, unless the operator has ruled otherwise.
    store.noteFirstLook(hasSucceeded: false)
    _ = turn(fixture, isStrict: isStrict)
    #expect(files(fixture) == (isStrict ? ["a.mp4", "b.mp4"] : []))
    if !isStrict {
      #expect(fixture.log.warnings.contains { $0.contains("has not confirmed its copy since the server started") })
    }
    store.noteFirstLook(hasSucceeded: true)
    // A later failure does not revoke that.
    store.noteFirstLook(hasSucceeded: false)
    _ = turn(fixture, isStrict: isStrict)
    #expect(files(fixture) == [])
  }

  @Test func `what the store did not have when it was asked stays, for room and for its age`() throws {
    let fixture = try twoStored()
    store.check(by: ScriptedChecker { _ in .there })
    store.noteFirstLook(hasSucceeded: true)
    store.doubt(RelativePath("a.mp4"), tag: try tag(fixture))
    _ = turn(fixture, isStrict: true)
    #expect(files(fixture) == ["a.mp4"])
    _ = turn(fixture, isStrict: false, maxAge: 1)
    #expect(files(fixture) == ["a.mp4"])
    store.insert(RelativePath("a.mp4"), tag: try tag(fixture))
    _ = turn(fixture, isStrict: true)
    #expect(files(fixture) == [])
  }

  @Test func `the store is asked for each recording before its file goes, and what it has lost stays`() throws {
    let fixture = try twoStored()
    store.noteFirstLook(hasSucceeded: true)
    let checker = ScriptedChecker { $0 == "a" ? .lost : .there }
    store.check(by: checker)
    _ = turn(fixture, isStrict: true)
    #expect(checker.asked.all.sorted() == ["a", "b"])
    #expect(files(fixture) == ["a.mp4"])
    #expect(fixture.log.warnings.contains { $0.contains("a was not deleted: the store no longer has it") })
  }

  @Test func `where nobody asks the store any more, since the server stops, nothing goes`() throws {
    let fixture = try twoStored()
    store.noteFirstLook(hasSucceeded: true)
    store.check(by: ScriptedChecker { _ in .there })
    store.check(by: nil)
    _ = turn(fixture, isStrict: true)
    #expect(files(fixture) == ["a.mp4", "b.mp4"])
  }

  @Test func `a store that does not answer keeps what may go only when it has it`() throws {
    let fixture = try twoStored()
    store.noteFirstLook(hasSucceeded: true)
    let checker = ScriptedChecker { _ in .unknown("the cable is out") }
    store.check(by: checker)
    _ = turn(fixture, isStrict: true)
    #expect(files(fixture) == ["a.mp4", "b.mp4"])
    #expect(fixture.library.retention.failure?.contains("the cable is out") == true)
    // A deletion for age can wait, and is not a failure.
    _ = turn(fixture, isStrict: false, maxAge: 1)
    #expect(files(fixture) == ["a.mp4", "b.mp4"] && fixture.library.retention.failure == nil)
    // The store is asked once per turn.
    #expect(checker.asked.all.count == 2)
    _ = turn(fixture, isStrict: false)
    #expect(files(fixture) == [])
  }
}
