/// A test that tells one of Footage's own databases from another program's file of the same name, before anything is
/// written to it.
///
/// A database belongs to Footage if it has the table that its first schema already had.
package struct DatabaseOwner: Hashable, Sendable {
  /// The name of a table that every schema of this database has.
  private let table: String
  /// The columns of that table that no later schema dropped.
  private let columns: Set<String>

  package init(table: String, columns: Set<String>) {
    self.table = table
    self.columns = columns
  }

  /// The result of examining a path.
  package enum Finding: Hashable, Sendable {
    /// Nothing is there, or a database without a table.
    case free
    /// One of Footage's databases is there.
    case ours
    /// Another program's database is there.
    case foreign
    /// The file is not a database, or is a damaged one.
    case damaged
    /// The file cannot be opened or read now.
    case unknown
  }

  /// Examines a path without writing anything. Blocks.
  package func finding(at path: String) -> Finding {
    // The file is read as it is, and nothing is created beside it.
    let settled = finding(at: path, .immutable)
    // A killed program may have left all of its tables in the log beside the file.
    guard settled == .free || settled == .damaged else { return settled }
    let current = finding(at: path, .readOnly)
    return current == .unknown ? settled : current
  }

  private func finding(at path: String, _ access: Database.Access) -> Finding {
    do throws(SQLiteError) {
      let database = try Database(path: path, access: access, busyMilliseconds: 1_000)
      guard try database.prepare("SELECT count(*) FROM sqlite_master").integer() != 0 else { return .free }
      var found: Set<String> = []
      try database.prepare("PRAGMA table_info(\(table))").query([]) { row in
        if let name = row.text(1) { found.insert(name) }
      }
      return columns.isSubset(of: found) ? .ours : .foreign
    } catch { return error.kind == .damaged ? .damaged : .unknown }
  }
}

extension Database {
  /// Opens one of Footage's databases for writing, or creates it. Another program's database stays as it is.
  ///
  /// - Throws: `SQLiteError`, `.foreign` if another program's database is at the path; `.damaged` if the file is not a
  ///   database.
  package convenience init(path: String, of owner: DatabaseOwner) throws(SQLiteError) {
    guard owner.finding(at: path) != .foreign else { throw .foreign(path) }
    try self.init(path: path)
  }
}
