/// The reason why the database could not do what was requested.

internal import CFootageSQLite

/// An error of a database. It contains the SQL, never its arguments, so that stored data does not leak into a log.
package struct SQLiteError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The extended result code (sqlite.org/rescode.html).
  package let code: Int32
  /// The message in SQLite's own words.
  package let message: String
  /// The statement that failed, with `?` for its arguments; nil if opening failed.
  package let sql: String?
  /// The path of the database file.
  package let path: String

  package init(code: Int32, message: String, sql: String?, path: String) {
    self.code = code
    self.message = message
    self.sql = sql
    self.path = path
  }

  /// The kind of the error, which tells the caller how to react.
  package enum Kind: Hashable, Sendable {
    /// Another connection holds the lock for longer than the busy timeout.
    case busy
    /// The file is not a database, or is a damaged one.
    case damaged
    /// There is no room on the file system, or for the database.
    case full
    /// The file may not be written to, or not be opened at all.
    case inaccessible
    /// Reading, writing or syncing failed.
    case inputOutput
    /// The file is another program's database, and was not written to.
    case foreign
    case other
  }

  /// The code of an error that is not SQLite's; none of SQLite's codes is below zero.
  private static let foreignCode: Int32 = -1

  /// Returns the error for a path at which another program's database lies.
  package static func foreign(_ path: String) -> SQLiteError {
    SQLiteError(
      code: foreignCode, message: "it has another program's tables, and is left unchanged", sql: nil, path: path)
  }

  package var kind: Kind {
    if code == Self.foreignCode { return .foreign }
    return switch code & 0xFF {
    case SQLITE_BUSY, SQLITE_LOCKED: .busy
    case SQLITE_CORRUPT, SQLITE_NOTADB: .damaged
    case SQLITE_FULL: .full
    case SQLITE_CANTOPEN, SQLITE_READONLY, SQLITE_PERM, SQLITE_AUTH: .inaccessible
    case SQLITE_IOERR: .inputOutput
    default: .other
    }
  }

  package var description: String {
    let statement = sql.map { " in \"\($0)\"" } ?? ""
    let number = kind == .foreign ? "" : " (\(code))"
    return "database \(path): \(message)\(number)\(statement)\(remedy)"
  }

  private var remedy: String {
    switch kind {
    case .busy: ": another process has locked it; try again"
    case .damaged: ": delete it; it will be rebuilt"
    case .full: ": free some room on this file system"
    case .inaccessible: ": check the owner and mode of it and of its folder"
    case .inputOutput: ": check the disk"
    case .foreign: ": give Footage a different folder"
    case .other: ""
    }
  }
}
