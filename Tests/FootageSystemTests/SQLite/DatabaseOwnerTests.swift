/// The owner of a database, which is determined before anything is written to it.

import Foundation
import FootageSystem
import TestSupport
import Testing

@Suite struct DatabaseOwnerTests {
  let folder: TemporaryFolder
  let owner = DatabaseOwner(table: "things", columns: ["key", "value"])

  init() throws { folder = try TemporaryFolder() }

  private var path: String { folder.path("a.sqlite") }
  private var names: [String] { get throws { try FileManager.default.contentsOfDirectory(atPath: folder.location) } }
  private func write(_ bytes: [UInt8]) throws { try Data(bytes).write(to: URL(fileURLWithPath: path)) }

  @Test func `what is not there, or has no table, may be made a database of ours`() throws {
    #expect(owner.finding(at: path) != .foreign)
    let database = try Database(path: path, of: owner)
    #expect(owner.finding(at: path) == .free)
    // The table is only in the log next to the file.
    try database.execute("CREATE TABLE things (key TEXT, value TEXT, later INTEGER)")
    #expect(owner.finding(at: path) == .ours)
    _ = try Database(path: path, of: owner)
  }

  @Test(
    arguments: [
      "CREATE TABLE songs (title)", "CREATE TABLE things (x)", "CREATE TABLE things (key TEXT, other TEXT)",
      "PRAGMA journal_mode = DELETE; CREATE TABLE songs (title)",
    ])
  func `another program's database is an error, and stays as it is byte by byte`(schema: String) throws {
    do { try Database(path: path).execute(schema) }
    let before = try Data(contentsOf: URL(fileURLWithPath: path))
    #expect(owner.finding(at: path) == .foreign)
    let error = try #require(throws: SQLiteError.self) { try Database(path: path, of: owner) }
    #expect(error.kind == .foreign)
    #expect(error.description.contains(path) && error.description.contains("another program"))
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
    #expect(try names == ["a.sqlite"])
  }

  @Test func `what is no database is neither ours nor free`() throws {
    try write(Array(repeating: 0x5A, count: 9_000))
    #expect(owner.finding(at: path) == .damaged)
    #expect(try names == ["a.sqlite"])
  }
}
