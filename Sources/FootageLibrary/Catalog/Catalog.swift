/// The database of ready recordings, so that a start need not index them again.

internal import FootageAPI
internal import FootageBase
internal import FootageMedia
internal import FootageSystem

/// A row of the catalog.
struct CatalogRow {
  let recording: Recording
  /// The file system's own identifier; nil if it was never queried.
  let fileSystem: UInt64?
  /// The first sighting of the file; nil in a row that an earlier version of the program wrote.
  let sighting: Sighting?
}

/// A connection to the catalog, owned by its creator. Files that are refused or still being recorded have no row: they
/// are examined again at every start.
final class Catalog {
  private let database: Database
  private let place: LibraryPaths
  private let upsert: Statement
  private let delete: Statement
  /// The statement that stores a keeper; nil if the table does not exist.
  private let upsertKeeper: Statement?
  private let deleteKeeper: Statement?
  /// The statement that stores video tracks; nil if the table does not exist.
  private let upsertVideoTracks: Statement?
  private let deleteVideoTracks: Statement?
  private let selectAll: Statement
  private let selectByName: Statement
  private let countByTag: Statement

  private static let migrations = [
    """
    CREATE TABLE recordings (
      path TEXT PRIMARY KEY NOT NULL,
      name TEXT NOT NULL,
      camera TEXT,
      layout_version INTEGER NOT NULL,
      inode INTEGER NOT NULL,
      size_bytes INTEGER NOT NULL,
      modified_ns INTEGER NOT NULL,
      tag TEXT NOT NULL,
      head_bytes INTEGER NOT NULL,
      head_digest BLOB NOT NULL,
      body BLOB NOT NULL,
      media_type TEXT NOT NULL,
      recovered INTEGER NOT NULL,
      started_at_s INTEGER NOT NULL,
      duration_s REAL NOT NULL,
      video_codec TEXT,
      video_width INTEGER,
      video_height INTEGER,
      video_frame_rate REAL,
      audio_codec TEXT,
      audio_sample_rate INTEGER,
      audio_channels INTEGER
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX recordings_by_name ON recordings (name);
    CREATE INDEX recordings_by_tag ON recordings (tag);
    """,
    // Camera and start follow from the name, the naming rules, and the file's own times, so those times are stored
    // instead. A start that differs from the last write less the duration was the creation time, or is in the name,
    // which takes precedence over it.
    """
    ALTER TABLE recordings ADD COLUMN creation_s INTEGER;
    ALTER TABLE recordings ADD COLUMN creation_shared INTEGER NOT NULL DEFAULT 0;
    UPDATE recordings SET creation_s = started_at_s
      WHERE started_at_s <> modified_ns / 1000000000 - CAST(round(duration_s) AS INTEGER);
    ALTER TABLE recordings DROP COLUMN started_at_s;
    ALTER TABLE recordings DROP COLUMN camera;
    """,
    // The rules by which a file was judged, the time of its last change of any kind, and the files that crash their
    // reader.
    """
    ALTER TABLE recordings ADD COLUMN rules INTEGER NOT NULL DEFAULT 1;
    ALTER TABLE recordings ADD COLUMN changed_ns INTEGER;
    CREATE TABLE fatal_files (
      path TEXT PRIMARY KEY NOT NULL,
      inode INTEGER NOT NULL,
      size_bytes INTEGER NOT NULL,
      modified_ns INTEGER NOT NULL,
      program TEXT NOT NULL,
      reason TEXT NOT NULL
    ) STRICT, WITHOUT ROWID;
    """,
    // The identifier of a recording's file system. The recording's rows are kept while that file system is away.
    "ALTER TABLE recordings ADD COLUMN file_system INTEGER;",
    // The protection as of the last look, only as a hint: the file and the lists of kept recordings are authoritative.
    "ALTER TABLE recordings ADD COLUMN kept INTEGER NOT NULL DEFAULT 0;",
    // The order and, if the clock was set, the time in which files were first seen: their age if no other time is
    // known.
    """
    ALTER TABLE recordings ADD COLUMN seen_order INTEGER;
    ALTER TABLE recordings ADD COLUMN seen_ns INTEGER;
    """,
    // The sample index, and the rotation that a player applies. Without an index version, neither was looked for yet.
    """
    ALTER TABLE recordings ADD COLUMN video_rotation INTEGER;
    ALTER TABLE recordings ADD COLUMN index_version INTEGER;
    ALTER TABLE recordings ADD COLUMN index_bytes INTEGER;
    ALTER TABLE recordings ADD COLUMN index_digest BLOB;
    ALTER TABLE recordings ADD COLUMN shift_s INTEGER;
    ALTER TABLE recordings ADD COLUMN key_interval_s REAL;
    """,
    // The films of recordings that are growing, or have been growing within the last day.
    GrowingFilmRow.schema,
  ]

  /// The table of the viewers that protect paths. A protected path without a row belongs to no viewer in particular.
  /// The table is not part of the schema version, so that an earlier version of Footage can use the catalog and ignore
  /// it.
  private static let keepers = """
    CREATE TABLE IF NOT EXISTS keepers (path TEXT PRIMARY KEY, viewer TEXT NOT NULL) STRICT, WITHOUT ROWID;
    """

  /// The table of the video tracks of recordings, as JSON; the text is empty if there is at most one. The row of a
  /// recording with another tag is older than the recording. Like the keepers, the table is not part of the schema
  /// version.
  private static let videoTracks = """
    CREATE TABLE IF NOT EXISTS video_tracks (path TEXT PRIMARY KEY, tag TEXT NOT NULL, tracks TEXT NOT NULL) STRICT,
      WITHOUT ROWID;
    """

  private static let columns = """
    path, name, layout_version, inode, size_bytes, modified_ns, tag, head_bytes, head_digest, body, \
    media_type, recovered, creation_s, creation_shared, duration_s, video_codec, video_width, video_height, video_frame_rate, \
    audio_codec, audio_sample_rate, audio_channels, rules, changed_ns, \
    file_system, kept, seen_order, seen_ns, video_rotation, index_version, index_bytes, index_digest, shift_s, \
    key_interval_s
    """
  private static let columnCount = 34

  /// The table and columns that distinguish a catalog from another program's `catalog.sqlite`.
  static let owner = DatabaseOwner(table: "recordings", columns: ["layout_version", "head_digest", "media_type"])

  /// Opens the catalog; creates or migrates it if necessary.
  ///
  /// - Returns: nil if a newer version of Footage wrote it.
  /// - Throws: `SQLiteError`; `.foreign` if it is another program's database, which stays as it is.
  static func open(at place: LibraryPaths, access: Database.Access = .readWrite) throws(SQLiteError) -> Catalog? {
    // A reader must not write. If the schema is different, preparing its statements fails.
    guard access == .readWrite else { return try Catalog(try Database(path: place.catalog, access: access), place) }
    let database = try Database(path: place.catalog, of: owner)
    guard try database.migrate(migrations) else { return nil }
    try database.execute(keepers)
    try database.execute(videoTracks)
    return try Catalog(database, place)
  }

  private init(_ database: Database, _ place: LibraryPaths) throws(SQLiteError) {
    self.database = database
    self.place = place
    let places = Array(repeating: "?", count: Self.columnCount).joined(separator: ", ")
    upsert = try database.prepare("INSERT OR REPLACE INTO recordings (\(Self.columns)) VALUES (\(places))")
    delete = try database.prepare("DELETE FROM recordings WHERE path = ?")
    // The catalog of an earlier version of Footage, opened only for reading, does not have the table.
    let hasKeepers = try database.hasTable("keepers")
    upsertKeeper = try hasKeepers ? database.prepare("INSERT OR REPLACE INTO keepers VALUES (?, ?)") : nil
    deleteKeeper = try hasKeepers ? database.prepare("DELETE FROM keepers WHERE path = ?") : nil
    let viewer = hasKeepers ? "(SELECT viewer FROM keepers WHERE keepers.path = recordings.path)" : "NULL"
    let hasVideoTracks = try database.hasTable("video_tracks")
    upsertVideoTracks =
      try hasVideoTracks ? database.prepare("INSERT OR REPLACE INTO video_tracks VALUES (?, ?, ?)") : nil
    deleteVideoTracks = try hasVideoTracks ? database.prepare("DELETE FROM video_tracks WHERE path = ?") : nil
    let tracks =
      hasVideoTracks
      ? "(SELECT tracks FROM video_tracks AS v WHERE v.path = recordings.path AND v.tag = recordings.tag)" : "NULL"
    let select = "SELECT \(Self.columns), \(viewer), \(tracks) FROM recordings"
    selectAll = try database.prepare(select)
    selectByName = try database.prepare("\(select) WHERE name = ? ORDER BY path")
    countByTag = try database.prepare("SELECT count(*) FROM recordings WHERE tag = ?")
  }

  /// Renames the existing catalog, so that a new one can be created in its place.
  static func setAside(at place: LibraryPaths) throws(StorageError) {
    try FileTree.rename(place.catalog, replacing: place.catalog + ".set-aside")
    for suffix in ["-wal", "-shm"] { try FileTree.remove(place.catalog + suffix) }
  }

  /// Returns all rows that this version of Footage can serve.
  ///
  /// - Parameters:
  ///   - device: the device of the files. Rows do not store it, because it may change whenever the machine starts.
  ///   - naming: the rules that determine cameras and starts.
  func load(
    device: UInt64, naming: RecordingNaming, now: UnixTimestamp
  ) throws(SQLiteError) -> [CatalogRow] {
    var rows: [CatalogRow] = []
    try selectAll.query([]) { row in
      if let recording = recording(row, device: device, naming, now) {
        rows.append(
          CatalogRow(
            recording: recording, fileSystem: row.integer(24).map { UInt64(bitPattern: $0) },
            sighting: row.integer(26).map { Sighting(order: $0, uptime: nil, wall: row.integer(27)) }))
      }
    }
    return rows
  }

  /// Returns the recordings with this name, built as in `load`.
  func recordings(
    named name: String, device: UInt64, naming: RecordingNaming, now: UnixTimestamp
  ) throws(SQLiteError) -> [Recording] {
    var recordings: [Recording] = []
    try selectByName.query([.text(name)]) { row in
      if let recording = recording(row, device: device, naming, now) { recordings.append(recording) }
    }
    return recordings
  }

  /// Writes ready recordings, replacing the rows of their paths, and deletes the rows of removed ones, all or nothing.
  ///
  /// - Parameters:
  ///   - fileSystem: returns the identifier of a recording's file system.
  ///   - sighting: returns the first sighting of a recording's file.
  func apply(
    upserts: [Recording], removals: [RelativePath], fileSystem: (Recording) -> UInt64? = { _ in nil },
    sighting: (Recording) -> Sighting? = { _ in nil }
  ) throws(SQLiteError) {
    guard !upserts.isEmpty || !removals.isEmpty else { return }
    try database.write { () throws(SQLiteError) in
      for path in removals {
        try delete.run(.text(path.text))
        try deleteKeeper?.run(.text(path.text))
        try deleteVideoTracks?.run(.text(path.text))
      }
      for recording in upserts {
        guard let content = recording.content else { continue }
        try upsert.run(arguments(recording, content, fileSystem(recording), sighting(recording)))
        if let viewer = recording.keeper?.viewer {
          try upsertKeeper?.run(.text(recording.path.text), .text(viewer))
        } else {
          try deleteKeeper?.run(.text(recording.path.text))
        }
        if let tracks = recording.severalVideoTracks {
          try upsertVideoTracks?.run(
            .text(recording.path.text), .text(content.tag),
            .text(tracks.isEmpty ? "" : VideoTrack.text(of: tracks)))
        } else {
          try deleteVideoTracks?.run(.text(recording.path.text))
        }
      }
    }
  }

  /// Deletes the rows that `load` and `fatalFiles` skip because another version of Footage wrote them.
  func purgeOthers(program: String) throws(SQLiteError) {
    if deleteVideoTracks != nil {
      try database.execute(
        """
        DELETE FROM video_tracks WHERE path IN \
        (SELECT path FROM recordings WHERE layout_version <> \(MovieIndex.layoutVersion))
        """)
    }
    try database.execute("DELETE FROM recordings WHERE layout_version <> \(MovieIndex.layoutVersion)")
    try database.prepare("DELETE FROM fatal_files WHERE program <> ?").run(.text(program))
    try database.execute("DELETE FROM growing_films WHERE \(GrowingFilmRow.isOfOtherRules)")
  }

  /// Returns the files that have crashed the reading process of this build of the program, or exceeded its limits. Rows
  /// that another build wrote are skipped, because a file may be readable by another build.
  ///
  /// - Parameter program: the identity of the running program's file.
  func fatalFiles(program: String) throws(SQLiteError) -> [RelativePath: CrashingFile] {
    var files: [RelativePath: CrashingFile] = [:]
    let select = try database.prepare(
      "SELECT path, inode, size_bytes, modified_ns, reason FROM fatal_files WHERE program = ?")
    try select.query([.text(program)]) { row in
      guard let path = row.text(0).map({ RelativePath($0) }), let inode = row.integer(1), let size = row.integer(2),
        let modified = row.integer(3), let reason = row.text(4)
      else { return }
      files[path] = CrashingFile(
        path: path, inode: UInt64(bitPattern: inode), size: UInt64(bitPattern: size), modifiedNanoseconds: modified,
        reason: reason)
    }
    return files
  }

  /// Stores a file that has crashed the reading process of this build of the program, or exceeded its limits.
  ///
  /// - Parameter program: the identity of the running program's file.
  func note(_ file: CrashingFile, program: String) throws(SQLiteError) {
    let insert = try database.prepare("INSERT OR REPLACE INTO fatal_files VALUES (?, ?, ?, ?, ?, ?)")
    try database.write { () throws(SQLiteError) in
      try insert.run(
        .text(file.path.text), .integer(Int64(bitPattern: file.inode)), .integer(Int64(bitPattern: file.size)),
        .integer(file.modifiedNanoseconds), .text(program), .text(file.reason))
    }
  }

  func forgetFatal(_ path: RelativePath) throws(SQLiteError) {
    try database.prepare("DELETE FROM fatal_files WHERE path = ?").run(.text(path.text))
  }

  /// Returns the films of recordings that are growing, or were growing within the last day.
  func growingFilms() throws(SQLiteError) -> [GrowingFilmRow] {
    var rows: [GrowingFilmRow] = []
    try database.prepare("SELECT \(GrowingFilmRow.columns) FROM growing_films").query([]) { row in
      if let film = GrowingFilmRow(row) { rows.append(film) }
    }
    return rows
  }

  /// Writes films, replacing the rows with their IDs, and deletes the rows of removed films, all or nothing.
  func apply(films: [GrowingFilmRow], removals: [ItemTag]) throws(SQLiteError) {
    guard !films.isEmpty || !removals.isEmpty else { return }
    let places = Array(repeating: "?", count: 11).joined(separator: ", ")
    let insert = try database.prepare("INSERT OR REPLACE INTO growing_films VALUES (\(places))")
    let delete = try database.prepare("DELETE FROM growing_films WHERE id = ?")
    try database.write { () throws(SQLiteError) in
      for id in removals { try delete.run(.text(id.text)) }
      for film in films { try insert.run(film.arguments) }
    }
  }

  /// Limits the file to this number of pages, to simulate a full disk in tests.
  func limit(pages: Int) throws(SQLiteError) { try database.execute("PRAGMA max_page_count = \(pages)") }

  /// Returns whether a row uses the preamble or the index with this tag.
  func refers(to tag: String) throws(SQLiteError) -> Bool {
    try countByTag.integer(.text(tag)) ?? 0 > 0
  }

  private func arguments(
    _ recording: Recording, _ content: Recording.Content, _ fileSystem: UInt64?, _ sighting: Sighting?
  ) -> [SQLiteValue] {
    [
      .text(recording.path.text), .text(recording.name), .integer(Int64(MovieIndex.layoutVersion)),
      .integer(Int64(bitPattern: recording.version.inode)),
      .integer(Int64(bitPattern: recording.version.size)), .integer(recording.version.modifiedNanoseconds),
      .text(content.tag), .integer(Int64(clamping: content.preambleLength)), .blob(content.preambleDigest),
      .blob(RangeBlob.encode(content.composition.body)), .text(content.mediaType.rawValue),
      .integer(recording.isRecovered ? 1 : 0),
      SQLiteValue(recording.creationSeconds), .integer(recording.isCreationShared ? 1 : 0),
      .real(recording.duration ?? 0), SQLiteValue(recording.video?.codec),
      SQLiteValue(recording.video.map { Int64($0.width) }), SQLiteValue(recording.video.map { Int64($0.height) }),
      SQLiteValue(recording.video?.frameRate), SQLiteValue(recording.audio?.codec),
      SQLiteValue(recording.audio.map { Int64($0.sampleRate) }),
      SQLiteValue(recording.audio.map { Int64($0.channels) }), .integer(Int64(content.rules)),
      SQLiteValue(recording.changedNanoseconds), SQLiteValue(fileSystem.map { Int64(bitPattern: $0) }),
      .integer(recording.isKept ? 1 : 0), SQLiteValue(sighting?.order), SQLiteValue(sighting?.wall),
      SQLiteValue(recording.video?.rotation.map { Int64($0) }),
      SQLiteValue(content.index.map { _ in Int64(SampleIndex.formatVersion) }),
      SQLiteValue(content.index.map { Int64(clamping: $0.length) }),
      content.index == nil ? .null : .blob(content.indexDigest),
      SQLiteValue(content.index?.shift.map { Int64($0) }), SQLiteValue(content.index?.keyInterval),
    ]
  }

  /// Reads a recording from a row.
  ///
  /// - Returns: nil if the row has another layout or is inconsistent; the file is then indexed again.
  private func recording(
    _ row: borrowing Row, device: UInt64, _ naming: RecordingNaming, _ now: UnixTimestamp
  ) -> Recording? {
    guard let path = row.text(0), let name = row.text(1), row.integer(2) == Int64(MovieIndex.layoutVersion),
      let inode = row.integer(3), let size = row.integer(4), let modified = row.integer(5), let tag = row.text(6),
      let preambleLength = row.integer(7), preambleLength >= 0, let preambleDigest = row.blob(8),
      let body = row.blob(9).flatMap({ RangeBlob.decode($0, fileLength: UInt64(bitPattern: size)) }),
      let composition = Composition(preambleLength: UInt64(bitPattern: preambleLength), body: body),
      let mediaType = row.text(10).flatMap(Recording.MediaType.init), let recovered = row.integer(11),
      let isCreationShared = row.integer(13).map({ $0 != 0 }), let duration = row.real(14)
    else { return nil }
    var video: VideoFormat?
    if let codec = row.text(15), let width = row.integer(16), let height = row.integer(17) {
      video = VideoFormat(
        codec: codec, width: Int(clamping: width), height: Int(clamping: height), frameRate: row.real(18),
        rotation: row.integer(28).map { Int(clamping: $0) })
    }
    var audio: AudioFormat?
    if let codec = row.text(19), let sampleRate = row.integer(20), let channels = row.integer(21) {
      audio = AudioFormat(codec: codec, sampleRate: Int(clamping: sampleRate), channels: Int(clamping: channels))
    }
    let meaning = naming.meaning(of: name)
    let witnesses = TimeWitnesses(
      creationSeconds: row.integer(12), isCreationShared: isCreationShared, modifiedNanoseconds: modified,
      duration: duration)
    let index = Self.index(row)
    return Recording(
      path: RelativePath(path), name: name, camera: meaning.camera, state: .ready, isRecovered: recovered != 0,
      start: meaning.start(witnesses, now: now), creationSeconds: witnesses.creationSeconds,
      isCreationShared: isCreationShared, duration: duration, video: video, audio: audio,
      severalVideoTracks: row.text(35).map { VideoTrack.list(inText: $0) },
      version: FileVersion(
        device: device, inode: UInt64(bitPattern: inode), size: UInt64(bitPattern: size),
        modifiedNanoseconds: modified),
      changedNanoseconds: row.integer(23),
      content: Recording.Content(
        tag: tag, composition: composition, preambleDigest: preambleDigest, mediaType: mediaType,
        index: index?.summary, indexDigest: index?.digest ?? [],
        rules: row.integer(22).map { Int(clamping: $0) } ?? 0),
      place: place, keeper: row.integer(25) == 1 ? row.text(34).map { .viewer($0) } ?? .anybody : nil)
  }

  /// Reads the summary of an index from a row.
  ///
  /// - Returns: nil if no index was made, or if it has another format or inconsistent values; the file is then examined
  ///   again.
  private static func index(_ row: borrowing Row) -> (summary: IndexSummary, digest: [UInt8])? {
    guard row.integer(29) == Int64(SampleIndex.formatVersion),
      let length = row.integer(30).flatMap({ UInt64(exactly: $0) }), let digest = row.blob(31),
      let summary = IndexSummary(
        checking: length, shift: row.integer(32).flatMap { UInt32(exactly: $0) }, keyInterval: row.real(33))
    else { return nil }
    return (summary, digest)
  }
}
