/// A compiled SQL statement, to be run as often as needed.

internal import CFootageSQLite

/// A compiled SQL statement. It belongs to its database's owner; two threads must not use it at once.
@safe
package final class Statement {
  /// The connection, which stays open for as long as the statement exists.
  private let database: Database
  private let handle: OpaquePointer
  /// The SQL as it was given, with `?` for arguments.
  package let sql: String

  init(_ database: Database, _ sql: String) throws(SQLiteError) {
    self.database = database
    self.sql = sql
    var compiled: OpaquePointer?
    // Safe because SQLite copies what it needs of the text. -1 means up to its zero.
    let code = unsafe sqlite3_prepare_v2(database.handle, sql, -1, &compiled, nil)
    guard code == SQLITE_OK, let compiled = unsafe compiled else { throw database.error(code, sql) }
    unsafe handle = compiled
  }

  deinit { unsafe sqlite3_finalize(handle) }

  /// Runs a statement that returns no rows.
  package func run(_ arguments: SQLiteValue...) throws(SQLiteError) {
    try query(arguments) { _ in }
  }

  /// Runs a statement that returns no rows.
  package func run(_ arguments: [SQLiteValue]) throws(SQLiteError) {
    try query(arguments) { _ in }
  }

  /// Runs the statement, and passes each row to the closure in turn.
  package func query(_ arguments: [SQLiteValue], _ each: (borrowing Row) -> Void) throws(SQLiteError) {
    defer {
      // An error of the last step would be reported again here.
      _ = unsafe sqlite3_reset(handle)
      _ = unsafe sqlite3_clear_bindings(handle)
    }
    for (index, argument) in arguments.enumerated() {
      let code = bind(argument, at: Int32(clamping: index + 1))
      guard code == SQLITE_OK else { throw database.error(code, sql) }
    }
    while true {
      switch unsafe sqlite3_step(handle) {
      case SQLITE_ROW: unsafe each(Row(handle))
      case SQLITE_DONE: return
      case let code: throw database.error(code, sql)
      }
    }
  }

  /// Returns the first column of the first row, or nil if there is no row or the column is not an integer.
  package func integer(_ arguments: SQLiteValue...) throws(SQLiteError) -> Int64? {
    var first: SQLiteValue?
    try query(arguments) { row in if first == nil { first = row[0] } }
    if case .integer(let value) = first { return value }
    return nil
  }

  private func bind(_ value: SQLiteValue, at index: Int32) -> Int32 {
    switch value {
    case .null: return unsafe sqlite3_bind_null(handle, index)
    case .integer(let value): return unsafe sqlite3_bind_int64(handle, index, value)
    case .real(let value): return unsafe sqlite3_bind_double(handle, index, value)
    case .text(let value):
      // Safe because TRANSIENT makes SQLite copy the bytes before it returns.
      return unsafe sqlite3_bind_text64(
        handle, index, value, UInt64(value.utf8.count), csqlite_transient(), UInt8(SQLITE_UTF8))
    case .blob(let value):
      guard !value.isEmpty else { return unsafe sqlite3_bind_zeroblob(handle, index, 0) }
      return unsafe value.withUnsafeBytes { bytes in
        unsafe sqlite3_bind_blob64(handle, index, bytes.baseAddress, UInt64(bytes.count), csqlite_transient())
      }
    }
  }
}

/// The current row of a query, valid until the next one.
@safe
package struct Row: ~Copyable {
  private let statement: OpaquePointer

  fileprivate init(_ statement: OpaquePointer) { unsafe self.statement = statement }

  /// The value of a column, counted from 0; null beyond the last column.
  package subscript(column: Int32) -> SQLiteValue {
    switch unsafe sqlite3_column_type(statement, column) {
    case SQLITE_INTEGER: return unsafe .integer(sqlite3_column_int64(statement, column))
    case SQLITE_FLOAT: return unsafe .real(sqlite3_column_double(statement, column))
    case SQLITE_TEXT:
      return unsafe .text(String(decoding: bytes(unsafe sqlite3_column_text(statement, column), column), as: UTF8.self))
    case SQLITE_BLOB: return unsafe .blob(bytes(unsafe sqlite3_column_blob(statement, column), column))
    default: return .null
    }
  }

  /// Returns the integer in a column; nil if the column is not an integer.
  package func integer(_ column: Int32) -> Int64? {
    if case .integer(let value) = self[column] { return value }
    return nil
  }

  /// Returns the number in a column; nil if the column is not a number.
  package func real(_ column: Int32) -> Double? {
    switch self[column] {
    case .real(let value): return value
    case .integer(let value): return Double(value)
    default: return nil
    }
  }

  /// Returns the text in a column; nil if the column is not text.
  package func text(_ column: Int32) -> String? {
    if case .text(let value) = self[column] { return value }
    return nil
  }

  /// Returns the blob in a column; nil if the column is not a blob.
  package func blob(_ column: Int32) -> [UInt8]? {
    if case .blob(let value) = self[column] { return value }
    return nil
  }

  private func bytes(_ start: UnsafeRawPointer?, _ column: Int32) -> [UInt8] {
    // Safe because SQLite keeps this many bytes at that address until the next step. The count is read last, because
    // reading the column may convert it.
    guard let start = unsafe start else { return [] }
    return unsafe Array(UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(statement, column))))
  }
}
