internal import FootageBase
internal import FootageLibrary
internal import FootageSystem

/// The rows of all versions, in a separate database. Each commit must survive a power cut, because the robot may delete
/// the file of a version that is recorded as stored.
///
/// All of it can be rebuilt from the store and the folder. Belongs to its owner's thread.
final class OffloadDatabase: OffloadRecord {
  private let database: Database
  private let upsert: Statement
  private let delete: Statement
  private let selectAll: Statement
  private let selectOne: Statement
  private let selectManifest: Statement
  /// The statement that writes notes; nil if the database has none. The same applies to `deleteNote`.
  private let upsertNote: Statement?
  private let deleteNote: Statement?

  /// The table and columns that distinguish the record from another program's `offload.sqlite`.
  private static let owner = StateFolderOwner.storeRecord.owner

  private static let migrations = [
    """
    CREATE TABLE versions (
      name TEXT NOT NULL,
      tag TEXT NOT NULL,
      path TEXT NOT NULL,
      entity_tag TEXT NOT NULL,
      state TEXT NOT NULL,
      upload TEXT,
      manifest BLOB,
      size_bytes INTEGER NOT NULL,
      stored_s INTEGER,
      PRIMARY KEY (name, tag)
    ) STRICT, WITHOUT ROWID;
    """
  ]

  /// The facts about a version that are stored in addition to its state. The table is not part of the schema version,
  /// so that an earlier version of Footage can use the database and ignore the table.
  private static let notes = """
    CREATE TABLE IF NOT EXISTS notes (
      name TEXT NOT NULL,
      tag TEXT NOT NULL,
      distrusted INTEGER NOT NULL,
      kept INTEGER NOT NULL,
      PRIMARY KEY (name, tag)
    ) STRICT, WITHOUT ROWID;
    """

  /// Opens the database, and creates it if there is none.
  ///
  /// - Throws: `OffloadError.record`, also if a newer version of Footage or another program wrote it.
  convenience init(path: String) throws(OffloadError) {
    do throws(SQLiteError) {
      let database = try Database(path: path, of: Self.owner)
      guard try database.migrate(Self.migrations) else { throw .newer(path) }
      try database.execute(Self.notes)
      try self.init(database)
    } catch { throw .record(error.description) }
  }

  /// Opens the database of another process. Writes nothing to it, and creates nothing beside it.
  ///
  /// - Throws: `OffloadError.record`.
  convenience init(reading path: String) throws(OffloadError) {
    do throws(SQLiteError) {
      // Without a log beside it, no process writes to the database, and SQLite would create one.
      try self.init(try Database(path: path, access: FileTree.exists("\(path)-wal") ? .readOnly : .immutable))
    } catch {
      throw .record(error.description)
    }
  }

  private init(_ database: Database) throws(SQLiteError) {
    self.database = database
    upsert = try database.prepare(
      """
      INSERT INTO versions VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (name, tag) DO UPDATE SET
        path = excluded.path, entity_tag = excluded.entity_tag, state = excluded.state, upload = excluded.upload,
        manifest = coalesce(excluded.manifest, manifest), size_bytes = excluded.size_bytes, stored_s = excluded.stored_s
      """)
    delete = try database.prepare("DELETE FROM versions WHERE name = ? AND tag = ?")
    selectManifest = try database.prepare("SELECT manifest FROM versions WHERE name = ? AND tag = ?")
    let columns = "name, tag, path, entity_tag, state, upload, size_bytes, stored_s"
    // A process that only reads may find a database that an earlier footage wrote, without notes.
    let hasNotes = try database.hasTable("notes")
    let select =
      hasNotes
      ? "SELECT \(columns), distrusted, kept FROM versions LEFT JOIN notes USING (name, tag)"
      : "SELECT \(columns), 0, 0 FROM versions"
    selectAll = try database.prepare(select)
    selectOne = try database.prepare("\(select) WHERE name = ? AND tag = ?")
    upsertNote = try hasNotes ? database.prepare("INSERT OR REPLACE INTO notes VALUES (?, ?, ?, ?)") : nil
    deleteNote = try hasNotes ? database.prepare("DELETE FROM notes WHERE name = ? AND tag = ?") : nil
  }

  func manifest(of key: VersionKey) throws(OffloadError) -> [UInt8]? {
    try mapped { () throws(SQLiteError) in
      var manifest: [UInt8]?
      try selectManifest.query([.text(key.name), .text(key.tag)]) { manifest = $0.blob(0) }
      return manifest
    }
  }

  func rows() throws(OffloadError) -> [OffloadRow] { try rows(selectAll, []) }

  func row(of key: VersionKey) throws(OffloadError) -> OffloadRow? {
    try rows(selectOne, [.text(key.name), .text(key.tag)]).first
  }

  private func rows(_ select: Statement, _ arguments: [SQLiteValue]) throws(OffloadError) -> [OffloadRow] {
    try mapped { () throws(SQLiteError) in
      var rows: [OffloadRow] = []
      try select.query(arguments) { row in
        guard let name = row.text(0), let tag = row.text(1), let path = row.text(2), let entityTag = row.text(3),
          let state = row.text(4).flatMap(OffloadRow.State.init), let size = row.integer(6)
        else { return }
        var read = OffloadRow(
          path: RelativePath(path), name: name, tag: tag, entityTag: entityTag, state: state, upload: row.text(5),
          size: UInt64(bitPattern: size), storedSeconds: row.integer(7))
        read.isDistrusted = row.integer(8) == 1
        read.isKept = row.integer(9) == 1
        rows.append(read)
      }
      return rows
    }
  }

  func put(_ row: OffloadRow) throws(OffloadError) {
    try mapped { () throws(SQLiteError) in
      try database.writeDurably { () throws(SQLiteError) in
        try upsert.run(
          .text(row.name), .text(row.tag), .text(row.path.text), .text(row.entityTag), .text(row.state.rawValue),
          SQLiteValue(row.upload), row.manifest.map { .blob($0) } ?? .null, .integer(Int64(bitPattern: row.size)),
          SQLiteValue(row.storedSeconds))
        if row.isDistrusted || row.isKept {
          try upsertNote?.run(
            .text(row.name), .text(row.tag), .integer(row.isDistrusted ? 1 : 0), .integer(row.isKept ? 1 : 0))
        } else {
          try deleteNote?.run(.text(row.name), .text(row.tag))
        }
      }
    }
  }

  func remove(_ key: VersionKey) throws(OffloadError) {
    try mapped { () throws(SQLiteError) in
      try database.writeDurably { () throws(SQLiteError) in
        try delete.run(.text(key.name), .text(key.tag))
        try deleteNote?.run(.text(key.name), .text(key.tag))
      }
    }
  }

  private func mapped<Result>(_ body: () throws(SQLiteError) -> Result) throws(OffloadError) -> Result {
    do throws(SQLiteError) { return try body() } catch { throw .record(error.description) }
  }
}

extension SQLiteError {
  /// Returns the error for a database that a newer version of Footage wrote.
  fileprivate static func newer(_ path: String) -> SQLiteError {
    SQLiteError(
      code: 0,
      message: "a newer version of footage wrote it: run that version, or move the file away to have it rebuilt",
      sql: nil,
      path: path)
  }
}
