internal import FootageAPI
internal import FootageBase
internal import FootageSystem

/// The catalog's row for a film that is or was growing, so that its ID survives a restart of the server.
struct GrowingFilmRow: Hashable, Sendable {
  let id: ItemTag
  let path: RelativePath
  let name: String
  let inode: UInt64
  let start: StartTime
  /// The record of the closed film; nil while it grows.
  let closed: ClosedFilm?
}

extension GrowingFilmRow {
  /// The SQL with which a migration creates the table.
  static let schema = """
    CREATE TABLE growing_films (
      id TEXT PRIMARY KEY NOT NULL,
      path TEXT NOT NULL,
      name TEXT NOT NULL,
      inode INTEGER NOT NULL,
      started_ms INTEGER NOT NULL,
      started_from TEXT NOT NULL,
      closed_ns INTEGER,
      size_bytes INTEGER,
      modified_ns INTEGER,
      index_bytes INTEGER,
      index_digest BLOB
    ) STRICT, WITHOUT ROWID;
    """

  /// The end of the text in `started_from`, which names the rules by which the film is cut. A film that other rules have
  /// cut is not continued, because its parts may be cached forever.
  private static let rules = ";film\(FilmVersion.current)"

  /// The SQL condition for the rows of films that other rules have cut.
  static let isOfOtherRules = "started_from NOT LIKE '%\(rules)'"

  static let columns =
    "id, path, name, inode, started_ms, started_from, closed_ns, size_bytes, modified_ns, index_bytes, index_digest"

  var arguments: [SQLiteValue] {
    [
      .text(id.text), .text(path.text), .text(name), .integer(Int64(bitPattern: inode)),
      .integer(start.moment.milliseconds),
      .text(start.source.rawValue + Self.rules), SQLiteValue(closed?.closedNanoseconds),
      SQLiteValue(closed.map { Int64(bitPattern: $0.version.size) }), SQLiteValue(closed?.version.modifiedNanoseconds),
      SQLiteValue(closed.map { Int64(clamping: $0.indexLength) }), closed.map { .blob($0.indexDigest) } ?? .null,
    ]
  }

  /// - Returns: nil if the row is inconsistent, or of a film that other rules have cut.
  init?(_ row: borrowing Row) {
    guard let id = row.text(0).flatMap({ ItemTag($0) }), let path = row.text(1), let name = row.text(2),
      let inode = row.integer(3),
      let started = row.integer(4), let from = row.text(5), from.hasSuffix(Self.rules),
      let source = StartTime.Source(rawValue: String(from.dropLast(Self.rules.count)))
    else { return nil }
    self.id = id
    self.path = RelativePath(path)
    self.name = name
    self.inode = UInt64(bitPattern: inode)
    start = StartTime(UnixTimestamp(milliseconds: started), source)
    guard let closed = row.integer(6) else {
      self.closed = nil
      return
    }
    guard let size = row.integer(7), let modified = row.integer(8), let length = row.integer(9), length >= 0,
      let digest = row.blob(10)
    else { return nil }
    self.closed = ClosedFilm(
      version: FileVersion(
        device: 0, inode: UInt64(bitPattern: inode), size: UInt64(bitPattern: size), modifiedNanoseconds: modified),
      closedNanoseconds: closed, indexLength: UInt64(length), indexDigest: digest)
  }
}
