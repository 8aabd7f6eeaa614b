internal import CFootageSQLite

/// The SQLite that runs in this process. The system may have updated it since the build.
package enum SQLiteLibrary {
  /// The version, for example `3.40.1`.
  package static var version: String {
    // Safe because SQLite returns a string literal.
    unsafe sqlite3_libversion().map { unsafe String(cString: $0) } ?? "unknown"
  }
}
