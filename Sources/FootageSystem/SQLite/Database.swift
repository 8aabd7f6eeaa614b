/// One connection to a database file.

internal import CFootageSQLite

/// A connection to a database file, confined to one owner: it is not Sendable, and SQLite's own locks are off
/// (`SQLITE_OPEN_NOMUTEX`).
@safe
package final class Database {
  package enum Access: Sendable {
    /// The file is created if there is none.
    case readWrite
    case readOnly
    /// The file is opened on the assumption that no process writes to it: no lock is acquired, and no file is created
    /// beside it. Data that is only in its write-ahead log is not visible.
    case immutable
  }

  package let path: String
  let handle: OpaquePointer

  /// Opens the file in write-ahead mode, synced only at checkpoints (`synchronous=NORMAL`): a power cut may lose the
  /// last transactions, never the database. On Darwin each sync calls `F_FULLFSYNC`.
  ///
  /// - Parameter busyMilliseconds: the time that a statement waits for another connection's lock.
  /// - Throws: `SQLiteError`; `.damaged` if the file is not a database.
  package init(
    path: String, access: Access = .readWrite, busyMilliseconds: Int32 = 5_000
  ) throws(SQLiteError) {
    self.path = path
    let flags =
      switch access {
      case .readWrite: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
      case .readOnly: SQLITE_OPEN_READONLY
      case .immutable: SQLITE_OPEN_READONLY | SQLITE_OPEN_URI
      }
    let name = access == .immutable ? Self.immutable(path) : path
    var opened: OpaquePointer?
    let code = unsafe sqlite3_open_v2(
      name, &opened, flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_NOFOLLOW | SQLITE_OPEN_EXRESCODE, nil)
    guard code == SQLITE_OK, let handle = unsafe opened else {
      // Safe because SQLite returns a handle even if opening fails, except out of memory, and accepts a null one.
      let message = unsafe String(cString: sqlite3_errmsg(opened))
      unsafe sqlite3_close_v2(opened)
      throw SQLiteError(code: code, message: message, sql: nil, path: path)
    }
    unsafe self.handle = handle
    unsafe sqlite3_busy_timeout(handle, busyMilliseconds)
    unsafe csqlite_set_defensive(handle)
    try execute("PRAGMA trusted_schema = OFF")
    if access == .readWrite {
      // SQLite opens a file that it may not write to as read-only, and reports that only when it is too late.
      guard unsafe sqlite3_db_readonly(handle, "main") == 0 else {
        throw SQLiteError(code: SQLITE_READONLY, message: "it is not writable", sql: nil, path: path)
      }
      try execute("PRAGMA journal_mode = WAL")
      try execute("PRAGMA synchronous = NORMAL")
      #if canImport(Darwin)
      // On Darwin `fsync` leaves the bytes in the disk's own memory (man 2 fsync).
      try execute("PRAGMA fullfsync = ON")
      try execute("PRAGMA checkpoint_fullfsync = ON")
      #endif
      try execute("PRAGMA journal_size_limit = 4194304")
    }
  }

  deinit { unsafe sqlite3_close_v2(handle) }

  /// Returns a path as a URI (sqlite.org/uri.html), in which `%`, `?` and `#` have a meaning.
  private static func immutable(_ path: String) -> String {
    let escaped = path.unicodeScalars.reduce(into: "") { escaped, scalar in
      switch scalar {
      case "%": escaped += "%25"
      case "?": escaped += "%3F"
      case "#": escaped += "%23"
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return "file:\(path.utf8.starts(with: "/".utf8) ? "//" : "")\(escaped)?immutable=1"
  }

  /// Returns true if there is a table of this name.
  ///
  /// - Throws: `SQLiteError`.
  package func hasTable(_ name: String) throws(SQLiteError) -> Bool {
    try prepare("SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = ?").integer(.text(name)) == 1
  }

  /// Runs statements without arguments, one after another.
  package func execute(_ sql: String) throws(SQLiteError) {
    // Safe because SQLite copies the text as far as it needs it, and gets no callback.
    let code = unsafe sqlite3_exec(handle, sql, nil, nil, nil)
    guard code == SQLITE_OK else { throw error(code, sql) }
  }

  /// Compiles one statement.
  package func prepare(_ sql: String) throws(SQLiteError) -> Statement { try Statement(self, sql) }

  /// Runs `body` as one transaction that acquires the write lock at once (`BEGIN IMMEDIATE`), so that it can wait only
  /// at its start. If `body` throws, all of it is undone.
  package func write<Result>(_ body: () throws(SQLiteError) -> Result) throws(SQLiteError) -> Result {
    try transaction("BEGIN IMMEDIATE", body)
  }

  /// Runs `body`, which only reads, on one state of the database, whatever other connections write meanwhile (`BEGIN`).
  package func read<Result>(_ body: () throws(SQLiteError) -> Result) throws(SQLiteError) -> Result {
    try transaction("BEGIN", body)
  }

  private func transaction<Result>(
    _ beginning: String, _ body: () throws(SQLiteError) -> Result
  ) throws(SQLiteError) -> Result {
    try execute(beginning)
    do throws(SQLiteError) {
      let result = try body()
      try execute("COMMIT")
      return result
    } catch {
      // Some errors have rolled it back already; then nothing is left to undo.
      if unsafe sqlite3_get_autocommit(handle) == 0 { try? execute("ROLLBACK") }
      throw error
    }
  }

  /// Runs `body` as `write` does, and returns when its changes survive a power cut.
  package func writeDurably<Result>(_ body: () throws(SQLiteError) -> Result) throws(SQLiteError) -> Result {
    try execute("PRAGMA synchronous = FULL")
    // If the mode cannot be reset, that costs time and nothing else.
    defer { try? execute("PRAGMA synchronous = NORMAL") }
    return try write(body)
  }

  /// Brings the schema up to date: step n turns version n into n + 1 (`PRAGMA user_version`), each in a transaction.
  ///
  /// - Returns: false if the database is newer than the last step, in which case it is left as it is.
  package func migrate(_ steps: [String]) throws(SQLiteError) -> Bool {
    while true {
      guard try version() < steps.count else { return try version() == steps.count }
      try write { () throws(SQLiteError) in
        // Read again under the lock: another process may have performed the step in the meantime.
        let version = try self.version()
        guard version >= 0, version < steps.count else { return }
        try execute(steps[Int(version)])
        try execute("PRAGMA user_version = \(version + 1)")
      }
    }
  }

  private func version() throws(SQLiteError) -> Int64 {
    let version = try prepare("PRAGMA user_version").integer() ?? 0
    // Only Footage writes it, and counts from 0.
    return version < 0 ? .max : version
  }

  /// Returns the faults that `PRAGMA integrity_check` finds; empty if all is well.
  package func faults() throws(SQLiteError) -> [String] {
    var faults: [String] = []
    try prepare("PRAGMA integrity_check").query([]) { row in
      if let fault = row.text(0), fault != "ok" { faults.append(fault) }
    }
    return faults
  }

  func error(_ code: Int32, _ sql: String) -> SQLiteError {
    // Safe because the message is a string of the connection, valid until its next call.
    let message = unsafe String(cString: sqlite3_errmsg(handle))
    let extended = unsafe sqlite3_extended_errcode(handle)
    return SQLiteError(code: extended == SQLITE_OK ? code : extended, message: message, sql: sql, path: path)
  }
}
