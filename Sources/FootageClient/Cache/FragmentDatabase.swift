/// The index in SQLite: `versions` and their `fragments`.

package import SQLite

package final class FragmentDatabase: FragmentIndex {
  private let database: Database
  private let insertVersion, updateVersion, deleteVersion, insertFragment, deleteFragment, deleteFragments: Statement
  private let lastNumber: Statement

  /// Numbers are never used twice: after a power cut, an old row must not meet a new file.
  private static let migrations = [
    """
    CREATE TABLE versions (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      robot TEXT NOT NULL,
      name TEXT NOT NULL,
      tag TEXT NOT NULL,
      length_bytes INTEGER NOT NULL,
      stem TEXT NOT NULL UNIQUE,
      kept INTEGER NOT NULL,
      last_use INTEGER NOT NULL
    ) STRICT;
    CREATE TABLE fragments (
      version INTEGER NOT NULL REFERENCES versions (id),
      start INTEGER NOT NULL,
      end INTEGER NOT NULL,
      checksum INTEGER NOT NULL,
      PRIMARY KEY (version, start)
    ) STRICT, WITHOUT ROWID;
    """
  ]

  /// Opens the index, and makes it or brings it up to date where need be.
  ///
  /// - Returns: nil where a newer footage wrote it.
  package static func open(_ path: String) throws(SQLiteError) -> FragmentDatabase? {
    let database = try Database(path: path)
    guard try database.migrate(migrations) else { return nil }
    return try FragmentDatabase(database)
  }

  private init(_ database: Database) throws(SQLiteError) {
    self.database = database
    insertVersion = try database.prepare(
      "INSERT INTO versions (robot, name, tag, length_bytes, stem, kept, last_use) VALUES (?, ?, ?, ?, ?, ?, ?)")
    updateVersion = try database.prepare("UPDATE versions SET kept = ?, last_use = ? WHERE id = ?")
    deleteVersion = try database.prepare("DELETE FROM versions WHERE id = ?")
    insertFragment = try database.prepare(
      "INSERT OR REPLACE INTO fragments (version, start, end, checksum) VALUES (?, ?, ?, ?)")
    deleteFragment = try database.prepare("DELETE FROM fragments WHERE version = ? AND start = ?")
    deleteFragments = try database.prepare("DELETE FROM fragments WHERE version = ?")
    lastNumber = try database.prepare("SELECT last_insert_rowid()")
  }

  package func load() throws(SQLiteError) -> [Int64: CacheRecord] {
    var records: [Int64: CacheRecord] = [:]
    try database.prepare("SELECT id, robot, name, tag, length_bytes, stem, kept, last_use FROM versions").query([]) {
      row in
      guard let id = row.integer(0), let robot = row.text(1), let name = row.text(2), let tag = row.text(3),
        let length = row.integer(4).flatMap(UInt64.init(exactly:)), let stem = row.text(5), let kept = row.integer(6),
        let lastUse = row.integer(7)
      else { return }
      records[id] = CacheRecord(
        key: RecordingKey(robot: robot, name: name), version: RecordingVersion(tag: tag, length: length), stem: stem,
        isKept: kept != 0, lastUse: lastUse)
    }
    try database.prepare("SELECT version, start, end, checksum FROM fragments ORDER BY version, start").query([]) {
      row in
      guard let id = row.integer(0), let start = row.integer(1).flatMap(UInt64.init(exactly:)),
        let end = row.integer(2).flatMap(UInt64.init(exactly:)), let checksum = row.integer(3),
        let record = records[id],
        start < end, end <= record.version.length, start >= record.fragments.last?.range.upperBound ?? 0
      else { return }
      records[id]?.fragments.append(Fragment(start..<end, checksum: UInt64(bitPattern: checksum)))
    }
    return records
  }

  package func insert(_ records: [CacheRecord]) throws(SQLiteError) -> [Int64] {
    try database.write { () throws(SQLiteError) in
      var ids: [Int64] = []
      for record in records {
        try insertVersion.run(
          .text(record.key.robot), .text(record.key.name), .text(record.version.tag),
          .integer(Int64(clamping: record.version.length)), .text(record.stem), .integer(record.isKept ? 1 : 0),
          .integer(record.lastUse))
        let id = try lastNumber.integer() ?? 0
        try insertFragments(record.fragments, id)
        ids.append(id)
      }
      return ids
    }
  }

  package func add(_ fragments: [Fragment], to id: Int64) throws(SQLiteError) {
    try database.write { () throws(SQLiteError) in try insertFragments(fragments, id) }
  }

  private func insertFragments(_ fragments: [Fragment], _ id: Int64) throws(SQLiteError) {
    for fragment in fragments {
      try insertFragment.run(
        .integer(id), .integer(Int64(clamping: fragment.range.lowerBound)),
        .integer(Int64(clamping: fragment.range.upperBound)), .integer(Int64(bitPattern: fragment.checksum)))
    }
  }

  package func remove(_ fragments: [Fragment], from id: Int64) throws(SQLiteError) {
    try database.writeDurably { () throws(SQLiteError) in
      for fragment in fragments {
        try deleteFragment.run(.integer(id), .integer(Int64(clamping: fragment.range.lowerBound)))
      }
    }
  }

  package func update(_ record: CacheRecord, _ id: Int64) throws(SQLiteError) {
    try updateVersion.run(.integer(record.isKept ? 1 : 0), .integer(record.lastUse), .integer(id))
  }

  package func remove(_ ids: [Int64]) throws(SQLiteError) {
    try database.write { () throws(SQLiteError) in
      for id in ids {
        try deleteFragments.run(.integer(id))
        try deleteVersion.run(.integer(id))
      }
    }
  }
}
