/// Tells a database of Footage's own from another program's file of the same name, before anything is written to it.
///
/// A database is Footage's if it has the table that its first schema already had.
package struct DatabaseOwner: Hashable, Sendable {
  /// The name of a table that every schema of this database has.
  private let table: String
  /// Columns of that table that no later schema dropped.
  private let columns: Set<String>

  package init(table: String, columns: Set<String>) {
    self.table = table
    self.columns = columns
  }

  /// What lies at a path.
  package enum Finding: Hashable, Sendable {
    /// Nothing, or a database without a table.
    case free
    /// A database of Footage's.
    case ours
    /// A database of another program's.
    case foreign
    /// No database, or a damaged one.
    case damaged
    /// A file that cannot be opened or read now.
    case unknown
  }

  /// Looks at a path, and writes nothing. Blocks.
  package func finding(at path: String) -> Finding {
    // The file as it is: nothing is made beside it.
    let settled = finding(at: path, .immutable)
    // A program that was killed may have left all of its tables in the log beside the file.
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
  /// Opens a database of Footage's for writing, or makes it. Another program's stays as it is.
  ///
  /// - Throws: `SQLiteError`, `.foreign` where another program's database lies at the path; `.damaged` where the file is
  ///   no database.
  package convenience init(path: String, of owner: DatabaseOwner) throws(SQLiteError) {
    guard owner.finding(at: path) != .foreign else { throw .foreign(path) }
    try self.init(path: path)
  }
}
