internal import FootageAPI
internal import FootageBase
internal import FootageSystem

/// The schema of the index in its database. All of its data can be read from the store again, so the database need not
/// survive a crash.
enum FleetSchema {
  /// The table and columns that distinguish an index from another program's `fleet.sqlite`.
  static let owner = DatabaseOwner(table: "robots", columns: ["name", "pins"])

  /// The migrations of the schema. An index with an earlier schema is discarded and rebuilt, so only the last migration
  /// does anything.
  ///
  /// `shown` is 1 for the one version of a name that is listed. Refused recordings have no signer, and no `film`, which
  /// is the key of the version's film. `video_tracks` is the list of an item in JSON.
  static let migrations = [
    "", "",
    """
    DROP TABLE IF EXISTS robots;
    DROP TABLE IF EXISTS signers;
    DROP TABLE IF EXISTS recordings;
    DROP TABLE IF EXISTS series;
    CREATE TABLE robots (
      name TEXT PRIMARY KEY NOT NULL,
      pins TEXT NOT NULL,
      listed_ms INTEGER
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE signers (id INTEGER PRIMARY KEY, pin TEXT NOT NULL UNIQUE) STRICT;
    CREATE TABLE recordings (
      id INTEGER PRIMARY KEY,
      name TEXT NOT NULL,
      tag TEXT NOT NULL,
      film BLOB,
      series TEXT NOT NULL,
      shown INTEGER NOT NULL,
      start_ms INTEGER NOT NULL,
      end_ms INTEGER NOT NULL,
      modified_ns INTEGER NOT NULL,
      signer INTEGER,
      digest BLOB,
      reason TEXT,
      flags INTEGER NOT NULL,
      size_bytes INTEGER NOT NULL,
      entity_tag TEXT,
      started_from TEXT,
      duration_s REAL,
      shift_s INTEGER,
      key_interval_s REAL,
      video_codec TEXT,
      video_width INTEGER,
      video_height INTEGER,
      video_frame_rate REAL,
      video_rotation INTEGER,
      video_tracks TEXT,
      audio_codec TEXT,
      audio_sample_rate INTEGER,
      audio_channels INTEGER
    ) STRICT;
    CREATE UNIQUE INDEX recordings_by_version ON recordings (name, tag);
    CREATE INDEX recordings_by_film ON recordings (film);
    -- The list of some cameras is read out of these two alone, unless it asks for lengths. That needs `shown` in them:
    -- SQLite 3.40 does not see that a partial index implies it.
    CREATE INDEX recordings_by_time ON recordings (start_ms DESC, name, series, shown) WHERE shown = 1;
    CREATE INDEX recordings_by_series ON recordings (series, start_ms DESC, name, shown) WHERE shown = 1;
    CREATE TABLE series (
      name TEXT PRIMARY KEY NOT NULL,
      robot TEXT NOT NULL,
      refused INTEGER NOT NULL,
      count INTEGER NOT NULL,
      from_ms INTEGER NOT NULL,
      to_ms INTEGER NOT NULL,
      longest_ms INTEGER NOT NULL,
      codec TEXT,
      codec_ms INTEGER NOT NULL,
      last_key TEXT NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX series_by_robot ON series (robot);
    """,
  ]

  /// The columns of a row as it is read.
  static let columns = """
    name, tag, series, start_ms, modified_ns, signer, digest, reason, flags, \
    size_bytes, entity_tag, started_from, duration_s, shift_s, key_interval_s, video_codec, video_width, video_height, \
    video_frame_rate, video_rotation, audio_codec, audio_sample_rate, audio_channels, video_tracks
    """
  /// The position of the signer in `columns`. `seriesColumn` is the position of the series.
  static let signerColumn: Int32 = 5
  static let seriesColumn: Int32 = 2
  /// The columns of a row as it is written, including those that are only searched.
  static let insertedColumns = """
    name, tag, series, shown, start_ms, end_ms, modified_ns, signer, digest, reason, flags, size_bytes, entity_tag, \
    started_from, duration_s, shift_s, key_interval_s, video_codec, video_width, video_height, video_frame_rate, \
    video_rotation, audio_codec, audio_sample_rate, audio_channels, video_tracks, film
    """
  static let insertedCount = 27

  static let recovered: Int64 = 1
  static let kept: Int64 = 2
}

extension FleetRow {
  /// Returns the values in the order of `FleetSchema.insertedColumns`.
  ///
  /// - Parameter signer: the number of the signer's key in the index.
  func values(isShown: Bool, signer: Int64?) -> [SQLiteValue] {
    var flags: Int64 = 0
    if item.isRecovered { flags |= FleetSchema.recovered }
    if item.isKept { flags |= FleetSchema.kept }
    var reason: String?
    if case .refused(let words) = item.state { reason = words }
    return [
      .text(name), .text(tag), .text(series), .integer(isShown ? 1 : 0), .integer(item.startedAt.milliseconds),
      .integer(end.milliseconds), .integer(modifiedNanoseconds), SQLiteValue(signer), .blob(digest),
      SQLiteValue(reason), .integer(flags), .integer(Int64(clamping: item.size)), SQLiteValue(item.entityTag),
      SQLiteValue(item.startedFrom), SQLiteValue(item.duration), SQLiteValue(item.shift.map { Int64($0) }),
      SQLiteValue(item.keyInterval), SQLiteValue(item.video?.codec), SQLiteValue((item.video?.width).map { Int64($0) }),
      SQLiteValue((item.video?.height).map { Int64($0) }), SQLiteValue(item.video?.frameRate),
      SQLiteValue((item.video?.rotation).map { Int64($0) }), SQLiteValue(item.audio?.codec),
      SQLiteValue((item.audio?.sampleRate).map { Int64($0) }), SQLiteValue((item.audio?.channels).map { Int64($0) }),
      SQLiteValue(item.videoTracks.isEmpty ? nil : VideoTrack.text(of: item.videoTracks)),
      filmKey.map { .blob($0.bytes) } ?? .null,
    ]
  }

  /// Reads a row with the columns of `FleetSchema.columns`; nil if it is invalid.
  ///
  /// - Parameters:
  ///   - signers: the keys by their numbers in the index.
  ///   - now: the present time, by which recordings in the future are marked.
  init?(_ row: borrowing Row, signers: [Int64: PublicKeyPin], now: UnixTimestamp) {
    guard let name = row.text(0), let slash = name.utf8.firstIndex(of: UInt8(ascii: "/")), let tag = row.text(1),
      let series = row.text(2), let start = row.integer(3)
    else { return nil }
    let flags = row.integer(8) ?? 0
    let signer = row.integer(FleetSchema.signerColumn).flatMap { signers[$0] }
    var item = RecordingItem(
      name: name, camera: signer == nil ? nil : series, state: row.text(7).map { .refused($0) } ?? .ready,
      isRecovered: flags & FleetSchema.recovered != 0, size: UInt64(clamping: row.integer(9) ?? 0),
      entityTag: row.text(10), tag: signer == nil ? nil : ItemTag(tag), startedAt: UnixTimestamp(milliseconds: start),
      startedFrom: row.text(11), isInFuture: false, duration: row.real(12), video: nil, audio: nil,
      isKept: flags & FleetSchema.kept != 0, shift: row.integer(13).flatMap { UInt32(exactly: $0) },
      keyInterval: row.real(14), place: .store)
    if let codec = row.text(15), let width = row.integer(16), let height = row.integer(17) {
      item.video = VideoFormat(
        codec: codec, width: Int(width), height: Int(height), frameRate: row.real(18),
        rotation: row.integer(19).map { Int($0) })
    }
    if let codec = row.text(20), let rate = row.integer(21), let channels = row.integer(22) {
      item.audio = AudioFormat(codec: codec, sampleRate: Int(rate), channels: Int(channels))
    }
    item.videoTracks = row.text(23).map { VideoTrack.list(inText: $0) } ?? []
    item.isInFuture = item.isInFuture(at: now)
    self.init(
      robot: String(name[..<slash]), tag: tag, item: item, modifiedNanoseconds: row.integer(4) ?? 0,
      digest: row.blob(6) ?? [], signer: signer)
  }
}
