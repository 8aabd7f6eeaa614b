/// The oldest system that the package supports (`scripts/tools/ship/oldest.py`): Ubuntu 22.04, by its libraries.
import Foundation
import LinuxTestSupport
import Testing

@Suite struct OldestSystemTests {
  private static let script = CertificateFolder.scripts + "/tools"

  @Test(.enabled(if: !isSanitized, "a sanitizer brings functions of its own"))
  func `the program needs no newer library, and no newer SQL`() throws {
    let outcome = try Command("python3", "-B", Self.script, "ship.oldest", FootageProgram.path).run()
    #expect(outcome.succeeded, "\(outcome.errors)")
  }

  @Test func `the package says that it needs what is there`() throws {
    let depends = try Command("python3", "-B", Self.script, "ship.oldest", "--depends").successfulOutput()
    #expect(depends.hasPrefix("libc6 (>= 2.35), libgcc-s1, libssl3 (>= 3.0.0), libsqlite3-0 (>= 3.37), libstdc++6"))
    #expect(try text(of: CertificateFolder.scripts + "/package.sh").contains("Depends: $(tool ship.oldest"))
  }

  @Test(
    arguments: [
      ("arc4random@GLIBC_2.36 (2)", "GLIBC 2.36"), ("SSL_new_thing@OPENSSL_3.2.0 (3)", "OPENSSL 3.2.0"),
      ("sqlite3_db_name", "SQLite 3.39"), ("_ZSt3new@GLIBCXX_3.4.32 (4)", "GLIBCXX 3.4.32"),
      ("strlen@GLIBC_2.2.5 (2)", nil), ("__isoc23_strtol@GLIBC_2.38 (9)", "GLIBC 2.38"),
    ] as [(String, String?)])
  func `a function that came later is named`(symbol: String, words: String?) throws {
    let tools = try TemporaryFolder()
    try tools.addScript(
      "readelf", "#!/bin/sh\necho '    12: 0000000000000000     0 FUNC    GLOBAL DEFAULT  UND \(symbol)'\n")
    let outcome = try Command(
      "python3", "-B", Self.script, "ship.oldest", "program", tools.location,
      environment: ["PATH": tools.location + ":" + (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin")]
    ).run()
    #expect(outcome.succeeded == (words == nil), "\(outcome.errors)")
    if let words { #expect(outcome.errors.contains(words), "\(outcome.errors)") }
  }

  @Test(
    arguments: [
      ("SELECT document ->> '$.name' FROM items", "3.38"), ("SELECT unixepoch()", "3.38"),
      ("SELECT a FROM x FULL OUTER JOIN y", "3.39"), ("UPDATE x SET a = concat(b, c)", "3.44"),
      ("SELECT string_agg(a, ',') FROM x", "3.44"), ("DELETE FROM x WHERE a IS NOT DISTINCT FROM b", "3.39"),
      ("CREATE TABLE x (a INTEGER) STRICT", nil), ("DELETE FROM x RETURNING a", nil),
    ] as [(String, String?)])
  func `SQL that SQLite learned later is named`(sql: String, version: String?) throws {
    let folder = try TemporaryFolder()
    let source = "internal import FootageSystem\n\nlet statement = \"\"\"\n  \(sql)\n  \"\"\"\n"
    try Data(source.utf8).write(to: URL(fileURLWithPath: folder.path("Statement.swift")))
    let outcome = try Command("python3", "-B", Self.script, "ship.oldest", "/usr/bin/env", folder.location).run()
    #expect(outcome.succeeded == (version == nil), "\(outcome.errors)")
    if let version {
      #expect(outcome.errors.contains("Statement.swift:3: "), "\(outcome.errors)")
      #expect(outcome.errors.contains("(\(version))"), "\(outcome.errors)")
    }
  }
}
