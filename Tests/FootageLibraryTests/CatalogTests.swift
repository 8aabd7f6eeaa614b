/// The catalog and the files next to it on the disk, whole and broken.

import FootageAPI
import FootageBase
import Foundation
import FootageMedia
import FootageSystem
import LinuxTestSupport
import Testing

@testable import FootageLibrary

@Suite struct CatalogTests {
  let folder: TemporaryFolder
  let place: LibraryPaths

  init() throws {
    folder = try TemporaryFolder()
    place = LibraryPaths(recordings: folder.location, state: folder.location)
  }

  func open() throws -> Catalog { try #require(try Catalog.open(at: place)) }

  @Test func `a row gives back the recording that was written`() throws {
    let written = makeRecording("front/50% ü\n.mp4", creationSeconds: 1_700_000_000)
    try open().apply(upserts: [written, makeRecording("b.mp4")], removals: [])
    let catalog = try open()
    let read = try #require(try catalog.load(device: 1).first { $0.path == written.path })
    #expect(read.isSame(as: Recording(copying: written, place: place)))
    #expect(read.camera == "front")
    #expect(read.duration == 60.0333)
    #expect(read.video == written.video)
    #expect(read.audio == nil)
    #expect(read.isRecovered == false)
    #expect(try catalog.recordings(named: written.name).count == 1)
    #expect(try catalog.recordings(named: "no").isEmpty)
    #expect(try catalog.refers(to: "00112233445566ff8899aabbccddeeff"))
    try catalog.apply(upserts: [], removals: [written.path, RelativePath("b.mp4"), RelativePath("never.mp4")])
    #expect(try catalog.load(device: 1).isEmpty)
    #expect(try !catalog.refers(to: "00112233445566ff8899aabbccddeeff"))
  }

  @Test func `writing a recording again replaces its row`() throws {
    let catalog = try open()
    try catalog.apply(upserts: [makeRecording("a.mp4", creationSeconds: 1_700_000_001)], removals: [])
    try catalog.apply(upserts: [makeRecording("a.mp4", creationSeconds: 1_700_000_002)], removals: [])
    #expect(try catalog.load(device: 1).map(\.startedAt) == [UnixTimestamp(seconds: 1_700_000_002)])
  }

  @Test(arguments: [
    "layout_version = 99", "body = x'00'", "body = x'000000000000000900000000000000080000000000000000'",
    "body = x'0000000000000000FFFFFFFFFFFFFFFF'", "head_bytes = -1", "media_type = 'text/html'",
  ])
  func `a row that makes no sense is no recording`(change: String) throws {
    let catalog = try open()
    try catalog.apply(upserts: [makeRecording("a.mp4"), makeRecording("b.mp4")], removals: [])
    try Database(path: place.catalog).execute("UPDATE recordings SET \(change) WHERE path = 'a.mp4'")
    #expect(try catalog.load(device: 1).map(\.name) == ["b"])
  }

  @Test(arguments: [
    "index_version = NULL", "index_version = index_version + 1", "index_bytes = -1", "index_bytes = 1 << 60",
    "index_bytes = 0", "index_digest = NULL", "key_interval_s = -1.0",
  ])
  func `a row without an index that can be used is a recording all the same`(change: String) throws {
    let catalog = try open()
    try catalog.apply(upserts: [makeRecording("a.mp4"), makeRecording("b.mp4")], removals: [])
    try Database(path: place.catalog).execute("UPDATE recordings SET \(change) WHERE path = 'a.mp4'")
    let loaded = try catalog.load(device: 1)
    let index = makeRecording("b.mp4").content?.index
    #expect(index != nil)
    #expect(loaded.first { $0.name == "a" }?.content?.index == nil)
    #expect(loaded.first { $0.name == "b" }?.content?.index == index)
    #expect(loaded.count == 2)
  }

  @Test func `rows of another layout are taken out`() throws {
    let catalog = try open()
    try catalog.apply(upserts: [makeRecording("a.mp4"), makeRecording("b.mp4")], removals: [])
    try Database(path: place.catalog).execute("UPDATE recordings SET layout_version = 0 WHERE path = 'a.mp4'")
    try catalog.purgeOthers(program: "1")
    #expect(try Database(path: place.catalog).prepare("SELECT count(*) FROM recordings").integer() == 1)
  }

  @Test func `a file that ended its reader is remembered for this program alone`() throws {
    let catalog = try open()
    let version = FileVersion(device: 1, inode: 2, size: 3, modifiedNanoseconds: 4)
    let file = CrashingFile(path: RelativePath("a.mp4"), version: version, reason: "it ended it")
    try catalog.note(file, program: "1")
    #expect(try open().fatalFiles(program: "1") == [file.path: file])
    #expect(try open().fatalFiles(program: "2").isEmpty)
    try open().purgeOthers(program: "2")
    #expect(try open().fatalFiles(program: "1").isEmpty)
    try catalog.note(file, program: "1")
    try catalog.forgetFatal(file.path)
    #expect(try open().fatalFiles(program: "1").isEmpty)
    #expect(file.isOf(FileVersion(device: 9, inode: 2, size: 3, modifiedNanoseconds: 4)))
    #expect(!file.isOf(FileVersion(device: 1, inode: 2, size: 3, modifiedNanoseconds: 5)))
  }

  /// The files that may be in the catalog's place.
  enum Spoilt: String, CaseIterable { case garbage, zeros, newer, unknownSchema, cutShort }

  @Test(arguments: Spoilt.allCases) func `a catalog that is none gives way to a new one`(spoilt: Spoilt) throws {
    switch spoilt {
    case .garbage: try put(Array(repeating: 0x5A, count: 9_000), place.catalog)
    case .zeros: try put(Array("SQLite format 3\0".utf8) + Array(repeating: 0, count: 9_000), place.catalog)
    case .newer:
      _ = try open()
      try Database(path: place.catalog).execute("PRAGMA user_version = 99")
    case .unknownSchema:
      try Database(path: place.catalog).execute(
        "CREATE TABLE recordings (layout_version, head_digest, media_type); PRAGMA user_version = 1")
    case .cutShort:
      try open().apply(upserts: (0..<2_000).map { makeRecording("\($0).mp4") }, removals: [])
      try Database(path: place.catalog).execute("PRAGMA wal_checkpoint(TRUNCATE)")
      let bytes = try #require(contents(place.catalog))
      try put(Array(bytes.prefix(bytes.count / 3)), place.catalog)
    }
    var warnings: [String] = []
    let catalog = try StateDirectory.openCatalog(place) { warnings.append($0) }
    if spoilt == .cutShort, warnings.isEmpty {
      // This damage shows only when the rows are read.
      let error = #expect(throws: SQLiteError.self) { try catalog.load(device: 1) }
      #expect(error?.kind == .damaged)
      return
    }
    #expect(warnings.count == 1)
    #expect(warnings.first?.contains("set-aside") == true)
    #expect(contents(place.catalog + ".set-aside") != nil)
    try catalog.apply(upserts: [makeRecording("a.mp4")], removals: [])
    #expect(try catalog.load(device: 1).count == 1)
  }

  @Test func `who protects a recording is kept with it, and an earlier program goes on with the catalog`() throws {
    let (anybody, alice) = (
      makeRecording("a.mp4").with(keeper: .anybody), makeRecording("b.mp4").with(keeper: .viewer("alice"))
    )
    try open().apply(upserts: [anybody, alice, makeRecording("c.mp4")], removals: [])
    let keepers = { (catalog: Catalog) throws in
      try catalog.load(device: 1).sorted { $0.name < $1.name }.map(\.keeper)
    }
    #expect(try keepers(try open()) == [.anybody, .viewer("alice"), nil])
    // An earlier program sets a catalog with another number aside, and does not know the table of keepers.
    let database = try Database(path: place.catalog)
    #expect(try database.prepare("PRAGMA user_version").integer() == 8)
    try database.execute("DROP TABLE keepers")
    let reader = try #require(try Catalog.open(at: place, access: .readOnly))
    #expect(try keepers(reader) == [.anybody, .anybody, nil])
    try open().apply(upserts: [alice], removals: [anybody.path])
    #expect(try keepers(try open()) == [.viewer("alice"), nil])
    try open().apply(upserts: [alice.with(keeper: nil)], removals: [])
    #expect(try database.prepare("SELECT count(*) FROM keepers").integer() == 0)
  }

  @Test func `video tracks are kept with the version that has them, and an earlier program knows nothing of them`()
    throws
  {
    let tracks = [
      VideoTrack(number: 1, codec: "hvc1", width: 64, height: 48),
      VideoTrack(number: 2, codec: "avc1", width: 320, height: 240, frameRate: 25),
    ]
    func recording(_ path: String, _ tracks: [VideoTrack]?) -> Recording {
      let made = makeRecording(path)
      return Recording(
        path: made.path, name: made.name, camera: made.camera, state: made.state, start: made.start,
        duration: made.duration, video: made.video, severalVideoTracks: tracks, version: made.version,
        content: made.content, place: place)
    }
    try open().apply(
      upserts: [recording("a.mp4", tracks), recording("b.mp4", []), recording("c.mp4", nil)], removals: [])
    let read = { (catalog: Catalog) throws in
      try catalog.load(device: 1).sorted { $0.name < $1.name }.map(\.severalVideoTracks)
    }
    #expect(try read(try open()) == [tracks, [], nil])
    #expect(try open().recordings(named: "a").map(\.videoTracks) == [tracks])
    #expect(try open().load(device: 1).first { $0.name == "b" }?.videoTracks.map(\.codec) == ["avc1.64001F"])
    let database = try Database(path: place.catalog)
    #expect(try database.prepare("PRAGMA user_version").integer() == 8)
    // An earlier program replaces a row, and leaves the tracks of the version before.
    try database.execute("UPDATE recordings SET tag = 'ff' || substr(tag, 3) WHERE path = 'a.mp4'")
    #expect(try read(try open()) == [nil, [], nil])
    try open().apply(upserts: [recording("a.mp4", tracks)], removals: [RelativePath("b.mp4")])
    #expect(try read(try open()) == [tracks, nil])
    try open().apply(upserts: [recording("a.mp4", nil)], removals: [])
    #expect(try database.prepare("SELECT count(*) FROM video_tracks").integer() == 0)
    // A catalog of an earlier program, opened only for reading, lacks the table.
    try database.execute("DROP TABLE video_tracks")
    #expect(try read(try #require(try Catalog.open(at: place, access: .readOnly))) == [nil, nil])
    // Nonsense in it is left out.
    try open().apply(upserts: [recording("a.mp4", tracks)], removals: [])
    try database.execute("UPDATE video_tracks SET tracks = '[{\"number\":0},7,null]'")
    #expect(try read(try open()) == [[], nil])
  }

  @Test func `a growing film that other rules have cut does not go on`() throws {
    let catalog = try open()
    func film(_ id: String, _ path: String) throws -> GrowingFilmRow {
      GrowingFilmRow(
        id: try #require(ItemTag(id)), path: RelativePath(path), name: path, inode: 7,
        start: StartTime(UnixTimestamp(seconds: 5), .name), closed: nil)
    }
    let (one, two) = (try film("00112233445566aa", "a.mp4"), try film("00112233445566bb", "b.mp4"))
    try catalog.apply(films: [one, two], removals: [])
    #expect(try Set(catalog.growingFilms()) == [one, two])
    // The row of an earlier version names no rules.
    let database = try Database(path: place.catalog)
    try database.execute("UPDATE growing_films SET started_from = 'name' WHERE path = 'a.mp4'")
    #expect(try catalog.growingFilms() == [two])
    try catalog.purgeOthers(program: "p")
    #expect(try database.prepare("SELECT count(*) FROM growing_films").integer() == 1)
  }

  @Test func `another program's database does not give way`() throws {
    try Database(path: place.catalog).execute("CREATE TABLE recordings (title); PRAGMA user_version = 1")
    let before = contents(place.catalog)
    let error = #expect(throws: LibraryError.self) { try StateDirectory.openCatalog(place) { _ in } }
    guard case .catalog(let reason)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(reason.kind == .foreign)
    #expect(contents(place.catalog) == before && contents(place.catalog + ".set-aside") == nil)
  }

  /// The schema of the first version, whose starts were whole seconds and whose names were read as UTC.
  static let firstSchema = """
    CREATE TABLE recordings (
      path TEXT PRIMARY KEY NOT NULL, name TEXT NOT NULL, camera TEXT, layout_version INTEGER NOT NULL,
      inode INTEGER NOT NULL, size_bytes INTEGER NOT NULL, modified_ns INTEGER NOT NULL, tag TEXT NOT NULL,
      head_bytes INTEGER NOT NULL, head_digest BLOB NOT NULL, body BLOB NOT NULL, media_type TEXT NOT NULL,
      recovered INTEGER NOT NULL, started_at_s INTEGER NOT NULL, duration_s REAL NOT NULL, video_codec TEXT,
      video_width INTEGER, video_height INTEGER, video_frame_rate REAL, audio_codec TEXT, audio_sample_rate INTEGER,
      audio_channels INTEGER
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX recordings_by_name ON recordings (name);
    CREATE INDEX recordings_by_tag ON recordings (tag);
    PRAGMA user_version = 1;
    """

  @Test(
    arguments: [
      // By the creation time, by the file, and by the name, which was read as UTC regardless of the robot's zone.
      ("front/a", "front", 1_790_000_000, 1_790_000_000_000, .creation),
      ("front/b", "front", 1_795_173_240, 1_795_173_239_967, .file),
      ("front/2026-11-20T10-15-30", "front", 1_795_169_730, 1_795_166_130_000, .name),
      ("2026-11-20/front/10-15-30", "front", 1_795_173_240, 1_795_166_130_000, .name),
    ] as [(String, String?, Int64, Int64, StartTime.Source)])
  func `a row of the first version is judged by the rules of now`(
    name: String, camera: String?, startedAt: Int64, milliseconds: Int64, source: StartTime.Source
  ) throws {
    try Database(path: place.catalog).execute(
      """
      \(Self.firstSchema)
      INSERT INTO recordings VALUES ('\(name).mp4', '\(name)', 'old', 1, 2, 1000, 1795173300000000000, '0011', 0, x'',
        x'000000000000000000000000000003E8', 'video/mp4', 0, \(startedAt), 60.033, 'avc1.64001F', 1280, 720, 30.0, NULL,
        NULL, NULL);
      """)
    let berlin = TimeZoneRules(name: "Europe/Berlin", rule: try #require(POSIXTimeZone("CET-1CEST,M3.5.0,M10.5.0/3")))
    let rows = try open().load(device: 1, naming: RecordingNaming(zone: berlin), now: Catalog.now).map(\.recording)
    let row = try #require(rows.first)
    #expect(row.camera == camera)
    #expect(row.start == StartTime(UnixTimestamp(milliseconds: milliseconds), source))
    #expect(row.video?.width == 1280)
    #expect(row.video?.rotation == nil)
    #expect(row.content?.index == nil)
    #expect(row.content?.composition.body == [0..<1_000])
    #expect(row.version.inode == 2)
  }

  @Test func `an empty file becomes a catalog`() throws {
    try put([], place.catalog)
    var warnings: [String] = []
    _ = try StateDirectory.openCatalog(place) { warnings.append($0) }
    #expect(warnings.isEmpty)
  }

  @Test func `a sweep takes old orphans and leftovers, and leaves the rest`() throws {
    try makeFolder(place.heads)
    let store = DerivedFileStore(place: place)
    for (tag, byte) in [("wanted", 1), ("orphan", 2), ("fresh", 3)] {
      try store.store(
        DerivedFiles(preamble: BoundComposition([UInt8(byte)]), index: BoundComposition([UInt8(byte), 0])), tag: tag)
    }
    try store.store(DerivedFiles(index: BoundComposition([7])), tag: "asItIs")
    try put([4], "\(place.heads)/\(TemporaryFile.namePrefix)99-1")
    try put([5], "\(place.heads)/readme.txt")
    for path in [place.preamble("orphan"), place.index("orphan"), place.preamble("wanted"), place.index("asItIs")] {
      try age(path, by: 61)
    }
    let present = try store.sweep(
      wanted: DerivedFileStore.Tags(preambles: ["wanted", "missing"], indexes: ["asItIs", "missing"]),
      now: Clock.system.unixNanoseconds)
    #expect(present == DerivedFileStore.Tags(preambles: ["wanted"], indexes: ["asItIs"]))
    // The index of a tag that is wanted only for its preamble is too young to be an orphan.
    #expect(
      try FolderListing.entries(of: place.heads).compactMap(\.name).sorted()
        == ["asItIs.index", "fresh.head", "fresh.index", "readme.txt", "wanted.head", "wanted.index"])
  }

  @Test func `what is kept of a version is replaced by that of the same tag`() throws {
    try makeFolder(place.heads)
    let store = DerivedFileStore(place: place)
    try store.store(DerivedFiles(preamble: BoundComposition([1, 2]), index: BoundComposition([4, 5])), tag: "a")
    try store.store(DerivedFiles(preamble: BoundComposition([3])), tag: "a")
    #expect(contents(place.preamble("a")) == [3])
    #expect(contents(place.index("a")) == [4, 5])
    store.remove(["a", "never"])
    #expect(contents(place.preamble("a")) == nil)
    #expect(contents(place.index("a")) == nil)
    #expect(throws: StorageError.self) {
      try DerivedFileStore(place: LibraryPaths(recordings: "/", state: folder.path("no"))).store(
        DerivedFiles(preamble: BoundComposition([1])), tag: "a")
    }
  }
}

extension Recording {
  convenience init(copying other: Recording, place: LibraryPaths) {
    self.init(
      path: other.path, name: other.name, camera: other.camera, state: other.state, isRecovered: other.isRecovered,
      start: other.start, creationSeconds: other.creationSeconds, isCreationShared: other.isCreationShared,
      duration: other.duration, video: other.video, audio: other.audio,
      severalVideoTracks: other.severalVideoTracks, version: other.version,
      content: other.content, place: place, keeper: other.keeper)
  }
}

extension Catalog {
  static let now = UnixTimestamp(seconds: 1_800_000_000)

  func load(device: UInt64) throws -> [Recording] {
    try load(device: device, naming: RecordingNaming(), now: Self.now).map(\.recording)
  }

  func recordings(named name: String) throws -> [Recording] {
    try recordings(named: name, device: 1, naming: RecordingNaming(), now: Self.now)
  }
}

@Suite struct RecordingShelfTests {
  func clash(_ path: String) -> Recording { makeRecording(path, state: .refused("name taken"), name: path) }

  @Test func `a name is its holder's until that goes`() {
    var registry = RecordingRegistry([makeRecording("x.mp4"), makeRecording("x.mov")])
    // The second row is not accepted, so its file is looked at again.
    #expect(registry.snapshot.recordings.map(\.path.text) == ["x.mov"])
    _ = registry.put(clash("x.mp4"))
    #expect(registry.holder(of: "x") == RelativePath("x.mov"))
    #expect(registry.claimants(of: "x") == [RelativePath("x.mp4")])
    #expect(registry.snapshot.recording(named: "x")?.path.text == "x.mov")
    #expect(registry.snapshot.recording(named: "x.mp4")?.path.text == "x.mp4")
    _ = registry.remove(RelativePath("x.mov"))
    #expect(registry.holder(of: "x") == nil)
    #expect(registry.claimants(of: "x") == [RelativePath("x.mp4")])
    _ = registry.put(makeRecording("x.mp4"))
    #expect(registry.claimants(of: "x").isEmpty)
    #expect(registry.snapshot.recordings.map(\.name) == ["x"])
  }

  @Test func `two copies share a preamble until both are gone`() {
    var registry = RecordingRegistry([makeRecording("a.mp4"), makeRecording("b.mp4")])
    _ = registry.remove(RelativePath("a.mp4"))
    #expect(registry.hasTag("00112233445566ff8899aabbccddeeff"))
    _ = registry.put(makeRecording("b.mp4", state: .recording))
    #expect(!registry.hasTag("00112233445566ff8899aabbccddeeff"))
  }
}
