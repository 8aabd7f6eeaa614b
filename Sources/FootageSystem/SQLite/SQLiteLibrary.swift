internal import CFootageSQLite

/// The SQLite that runs in this process, which the system may have brought up to date since the build.
package enum SQLiteLibrary {
  /// Such as `3.40.1`.
  package static var version: String {
    // Safe because SQLite answers with a literal of its own.
    unsafe sqlite3_libversion().map { unsafe String(cString: $0) } ?? "unknown"
  }
}
