package import FootageSystem

/// The index in SQLite: the tables `versions` and `fragments`.
package final class RangeDatabase: RangeIndex {
  private let database: Database
  private let insertVersion, updateVersion, deleteVersion, insertFragment, deleteFragment, deleteAllFragments: Statement
  private let lastNumber: Statement

  /// The features that distinguish an index from another program's `fragments.sqlite`.
  static let owner = DatabaseOwner(table: "versions", columns: ["robot", "tag", "length_bytes", "stem"])

  /// The migrations of the schema, in order. The number of a version's row is never reused. Otherwise an old row that a
  /// power cut restores could refer to a newer file.
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
    """,
    // The second migration adds the robot's description of a recording, and fragments with a checksum for each block.
    // In `blocks`, each block has 4 bytes for its length and 8 bytes for its checksum, low byte first. Without
    // `blocks`, `checksum` is that of the whole fragment.
    """
    ALTER TABLE versions ADD COLUMN item TEXT;
    ALTER TABLE fragments ADD COLUMN blocks BLOB;
    """,
  ]

  /// Opens the index, and creates or migrates it if necessary.
  ///
  /// - Returns: nil if a newer version of Footage wrote it.
  package static func open(_ path: String) throws(SQLiteError) -> RangeDatabase? {
    let database = try Database(path: path, of: owner)
    guard try database.migrate(migrations) else { return nil }
    return try RangeDatabase(database)
  }

  private init(_ database: Database) throws(SQLiteError) {
    self.database = database
    insertVersion = try database.prepare(
      """
      INSERT INTO versions (robot, name, tag, length_bytes, stem, kept, last_use, item) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
      """)
    updateVersion = try database.prepare("UPDATE versions SET kept = ?, last_use = ?, item = ? WHERE id = ?")
    deleteVersion = try database.prepare("DELETE FROM versions WHERE id = ?")
    insertFragment = try database.prepare(
      """
      INSERT OR REPLACE INTO fragments (version, start, end, checksum, blocks) VALUES (?, ?, ?, ?, ?)
      """)
    deleteFragment = try database.prepare("DELETE FROM fragments WHERE version = ? AND start = ?")
    deleteAllFragments = try database.prepare("DELETE FROM fragments WHERE version = ?")
    lastNumber = try database.prepare("SELECT last_insert_rowid()")
  }

  package func load() throws(SQLiteError) -> [Int64: CacheRecord] {
    try Self.load(from: database, Int64(Self.migrations.count))
  }

  /// Reads an index that belongs to another process, or that cannot be written. It neither writes to the index nor
  /// creates a file beside it.
  ///
  /// - Returns: all versions with their fragments, by number; nil if a newer version of Footage or another program
  ///   wrote the index, or if it was never finished.
  package static func read(_ path: String) throws(SQLiteError) -> [Int64: CacheRecord]? {
    guard owner.finding(at: path) != .foreign else { return nil }
    // Without a log beside the index, no process writes to it. SQLite would create a log.
    guard FileTree.exists("\(path)-wal") else {
      // A process that began to write in the meantime has created a log.
      do throws(SQLiteError) { return try read(path, .immutable) } catch {
        guard FileTree.exists("\(path)-wal") else { throw error }
      }
      return try read(path, .readOnly)
    }
    do throws(SQLiteError) { return try read(path, .readOnly) } catch {
      // If the log cannot be shared either, the file is read as it is.
      return try read(path, .immutable)
    }
  }

  private static func read(
    _ path: String, _ access: Database.Access
  ) throws(SQLiteError) -> [Int64: CacheRecord]? {
    let database = try Database(path: path, access: access, busyMilliseconds: 1_000)
    let version = try database.prepare("PRAGMA user_version").integer() ?? 0
    guard version >= 1, version <= Int64(migrations.count) else { return nil }
    return try load(from: database, version)
  }

  /// - Parameter version: the version of the schema.
  private static func load(from database: Database, _ version: Int64) throws(SQLiteError) -> [Int64: CacheRecord] {
    var records: [Int64: CacheRecord] = [:]
    let item = version < 2 ? "NULL" : "item"
    let versions = try database.prepare(
      "SELECT id, robot, name, tag, length_bytes, stem, kept, last_use, \(item) FROM versions")
    try versions.query([]) { row in
      guard let id = row.integer(0), let robot = row.text(1), let name = row.text(2), let tag = row.text(3),
        let length = row.integer(4).flatMap(UInt64.init(exactly:)), let stem = row.text(5), let kept = row.integer(6),
        let lastUse = row.integer(7)
      else { return }
      records[id] = CacheRecord(
        key: RecordingKey(robot: robot, name: name), version: RecordingVersion(tag: tag, length: length), stem: stem,
        isKept: kept != 0, lastUse: lastUse, item: row.text(8))
    }
    var fragments: [Int64: [ChecksummedRange]] = [:]
    let blocks = version < 2 ? "NULL" : "blocks"
    let rows = try database.prepare(
      "SELECT version, start, end, checksum, \(blocks) FROM fragments ORDER BY version, start")
    try rows.query([]) { row in
      guard let id = row.integer(0), let fragment = fragment(row), let record = records[id],
        fragment.range.upperBound <= record.version.length,
        fragment.range.lowerBound >= fragments[id]?.last?.range.upperBound ?? 0
      else { return }
      fragments[id, default: []].append(fragment)
    }
    for (id, fragments) in fragments { records[id]?.fragments = fragments }
    return records
  }

  private static func fragment(_ row: borrowing Row) -> ChecksummedRange? {
    guard let start = row.integer(1).flatMap(UInt64.init(exactly:)),
      let end = row.integer(2).flatMap(UInt64.init(exactly:)), let checksum = row.integer(3), start < end
    else { return nil }
    guard let bytes = row.blob(4) else {
      return ChecksummedRange(start..<end, checksum: UInt64(bitPattern: checksum))
    }
    guard !bytes.isEmpty, bytes.count % blockLength == 0 else { return nil }
    var (blocks, position): ([ChecksummedRange.Block], UInt64) = ([], start)
    for offset in stride(from: 0, to: bytes.count, by: blockLength) {
      let length = number(bytes[offset..<(offset + 4)])
      guard length > 0, length <= end - position else { return nil }
      blocks.append(
        ChecksummedRange.Block(
          range: position..<(position + length), checksum: number(bytes[(offset + 4)..<(offset + blockLength)])))
      position += length
    }
    return position == end ? ChecksummedRange(blocks) : nil
  }

  /// The size of one block's entry in `blocks`, in bytes.
  private static let blockLength = 12

  private static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 {
    bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }

  private static func bytes(_ number: UInt64, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: number >> UInt64(8 * $0)) }
  }

  package func insert(_ records: [CacheRecord]) throws(SQLiteError) -> [Int64] {
    try database.write { () throws(SQLiteError) in
      var ids: [Int64] = []
      for record in records {
        try insertVersion.run(
          .text(record.key.robot), .text(record.key.name), .text(record.version.tag),
          .integer(Int64(clamping: record.version.length)), .text(record.stem), .integer(record.isKept ? 1 : 0),
          .integer(record.lastUse), SQLiteValue(record.item))
        let id = try lastNumber.integer() ?? 0
        try insertFragments(record.fragments, id)
        ids.append(id)
      }
      return ids
    }
  }

  package func add(
    _ fragments: [ChecksummedRange], insteadOf former: [ChecksummedRange], to id: Int64, durably: Bool
  ) throws(SQLiteError) {
    try write(durably: durably) { () throws(SQLiteError) in
      try deleteFragments(former, id)
      try insertFragments(fragments, id)
    }
  }

  private func deleteFragments(_ fragments: [ChecksummedRange], _ id: Int64) throws(SQLiteError) {
    for fragment in fragments {
      try deleteFragment.run(.integer(id), .integer(Int64(clamping: fragment.range.lowerBound)))
    }
  }

  private func insertFragments(_ fragments: [ChecksummedRange], _ id: Int64) throws(SQLiteError) {
    for fragment in fragments {
      let blocks = fragment.blocks.flatMap {
        Self.bytes($0.range.upperBound - $0.range.lowerBound, 4) + Self.bytes($0.checksum, 8)
      }
      try insertFragment.run(
        .integer(id), .integer(Int64(clamping: fragment.range.lowerBound)),
        .integer(Int64(clamping: fragment.range.upperBound)),
        .integer(Int64(bitPattern: fragment.blocks.first?.checksum ?? 0)),
        fragment.blocks.count == 1 ? .null : .blob(blocks))
    }
  }

  package func replace(_ fragments: [ChecksummedRange], by rests: [ChecksummedRange], of id: Int64) throws(SQLiteError)
  {
    try write(durably: true) { () throws(SQLiteError) in
      try deleteFragments(fragments, id)
      try insertFragments(rests, id)
    }
  }

  package func update(_ record: CacheRecord, _ id: Int64, durably: Bool) throws(SQLiteError) {
    try write(durably: durably) { () throws(SQLiteError) in
      try updateVersion.run(
        .integer(record.isKept ? 1 : 0), .integer(record.lastUse), SQLiteValue(record.item), .integer(id))
    }
  }

  package func remove(_ ids: [Int64]) throws(SQLiteError) {
    try database.write { () throws(SQLiteError) in
      for id in ids {
        try deleteAllFragments.run(.integer(id))
        try deleteVersion.run(.integer(id))
      }
    }
  }

  private func write(durably: Bool, _ body: () throws(SQLiteError) -> Void) throws(SQLiteError) {
    if durably { try database.writeDurably(body) } else { try database.write(body) }
  }
}
