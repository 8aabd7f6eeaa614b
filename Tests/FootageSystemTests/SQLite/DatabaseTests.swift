/// `Database` and `Statement`: values, transactions, migrations and error messages.

import Foundation
import FootageSystem
import TestSupport
import Testing

@Suite struct DatabaseTests {
  let folder: TemporaryFolder
  let database: Database

  init() throws {
    folder = try TemporaryFolder()
    database = try Database(path: folder.path("a.sqlite"))
    try database.execute("CREATE TABLE things (key TEXT PRIMARY KEY, value)")
  }

  @Test(
    arguments: [
      .null, .integer(.min), .integer(.max), .real(0.1), .text(""), .text("a\u{0}b ü 🎥"), .blob([]),
      .blob([0, 255, 1]),
    ] as [SQLiteValue])
  func `a value comes back as it was stored`(value: SQLiteValue) throws {
    try database.prepare("INSERT INTO things VALUES ('a', ?)").run(value)
    var rows: [SQLiteValue] = []
    try database.prepare("SELECT value FROM things").query([]) { rows.append($0[0]) }
    #expect(rows == [value])
  }

  @Test func `a column of another type or beyond the last is nil`() throws {
    var seen = false
    try database.prepare("SELECT 'text', 7").query([]) { row in
      seen = true
      #expect(row.integer(0) == nil)
      #expect(row.blob(0) == nil)
      #expect(row.real(1) == 7)
      #expect(row.text(1) == nil)
      #expect(row.text(9) == nil)
    }
    #expect(seen)
  }

  @Test func `an error shows the statement and not its arguments`() throws {
    let insert = try database.prepare("INSERT INTO things VALUES (?, ?)")
    try insert.run(.text("the-secret"), .integer(1))
    let error = try #require(throws: SQLiteError.self) { try insert.run(.text("the-secret"), .integer(2)) }
    #expect(
      error.description
        == "database \(folder.path("a.sqlite")): UNIQUE constraint failed: things.key (1555) in "
        + "\"INSERT INTO things VALUES (?, ?)\"")
    // The statement can run again.
    try insert.run(.text("other"), .integer(2))
    #expect(try database.prepare("SELECT count(*) FROM things").integer() == 2)
  }

  @Test func `bad SQL is an error with the SQL in it`() throws {
    let error = try #require(throws: SQLiteError.self) { try database.prepare("SELEC 1") }
    #expect(error.sql == "SELEC 1")
    #expect(error.message.contains("syntax error"))
  }

  @Test func `what a transaction wrote is gone when it throws`() throws {
    let error = #expect(throws: SQLiteError.self) {
      try database.write { () throws(SQLiteError) in
        try database.execute("INSERT INTO things VALUES ('a', 1)")
        try database.execute("INSERT INTO things VALUES ('a', 2)")
      }
    }
    #expect(error?.kind == .other)
    #expect(try database.prepare("SELECT count(*) FROM things").integer() == 0)
    // The next transaction can begin.
    #expect(try database.write { () throws(SQLiteError) in 7 } == 7)
  }

  @Test func `a second writer is told that the database is busy`() throws {
    let second = try Database(path: folder.path("a.sqlite"), busyMilliseconds: 0)
    try database.execute("BEGIN IMMEDIATE")
    let error = #expect(throws: SQLiteError.self) { try second.write { () throws(SQLiteError) in } }
    #expect(error?.kind == .busy)
    try database.execute("ROLLBACK")
    try second.write { () throws(SQLiteError) in try second.execute("INSERT INTO things VALUES ('b', 1)") }
    #expect(try database.prepare("SELECT count(*) FROM things").integer() == 1)
  }

  @Test func `a reader goes on while another connection writes`() throws {
    let reader = try Database(path: folder.path("a.sqlite"), access: .readOnly, busyMilliseconds: 0)
    try database.execute("BEGIN IMMEDIATE; INSERT INTO things VALUES ('a', 1)")
    #expect(try reader.prepare("SELECT count(*) FROM things").integer() == 0)
    try database.execute("COMMIT")
    #expect(try reader.prepare("SELECT count(*) FROM things").integer() == 1)
    let error = #expect(throws: SQLiteError.self) { try reader.execute("DELETE FROM things") }
    #expect(error?.kind == .inaccessible)
  }

  @Test func `migrations run once each and in order`() throws {
    let steps = ["CREATE TABLE a (x)", "ALTER TABLE a ADD COLUMN y"]
    #expect(try database.migrate([steps[0]]))
    #expect(try database.migrate(steps))
    #expect(try database.migrate(steps))
    try database.execute("INSERT INTO a (x, y) VALUES (1, 2)")
  }

  @Test func `a step that fails leaves the version before it`() throws {
    #expect(throws: SQLiteError.self) { try database.migrate(["CREATE TABLE a (x)", "CREATE TABLE a (x)"]) }
    #expect(try database.prepare("PRAGMA user_version").integer() == 1)
  }

  @Test(arguments: [3, -1]) func `a version from elsewhere is told and left alone`(version: Int) throws {
    try database.execute("PRAGMA user_version = \(version)")
    #expect(try !database.migrate(["CREATE TABLE a (x)", "CREATE TABLE b (x)"]))
    #expect(try database.prepare("PRAGMA user_version").integer() == Int64(version))
  }

  @Test func `a file that is no database is damaged`() throws {
    try Data("certainly not a database, but long enough to have a header of its own".utf8)
      .write(to: URL(filePath: folder.path("b.sqlite")))
    let error = #expect(throws: SQLiteError.self) { try Database(path: folder.path("b.sqlite")) }
    #expect(error?.kind == .damaged)
  }

  @Test func `a folder that is not there makes it inaccessible`() {
    let error = #expect(throws: SQLiteError.self) { try Database(path: folder.path("no/a.sqlite")) }
    #expect(error?.kind == .inaccessible)
  }

  @Test func `a database at its limit is full and stays sound`() throws {
    try database.execute("PRAGMA max_page_count = 4")
    let insert = try database.prepare("INSERT INTO things VALUES (?, ?)")
    let error = #expect(throws: SQLiteError.self) {
      for index in 0..<100 { try insert.run(.text("\(index)"), .blob([UInt8](repeating: 1, count: 1_000))) }
    }
    #expect(error?.kind == .full)
    #expect(try database.faults() == [])
  }

  @Test func `faults of a damaged file are found`() throws {
    let insert = try database.prepare("INSERT INTO things VALUES (?, ?)")
    try database.write { () throws(SQLiteError) in
      for index in 0..<2_000 { try insert.run(.text("key \(index)"), .integer(Int64(index))) }
    }
    try database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    let file = try FileHandle(forUpdating: URL(filePath: folder.path("a.sqlite")))
    try file.seek(toOffset: 4096 * 3)
    try file.write(contentsOf: Data(repeating: 0xA5, count: 4096))
    try file.close()
    let reopened = try Database(path: folder.path("a.sqlite"))
    var found: [String] = []
    do throws(SQLiteError) { found = try reopened.faults() } catch { found = ["\(error.kind)"] }
    #expect(!found.isEmpty)
  }
}
