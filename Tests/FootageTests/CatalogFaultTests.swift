/// A disk that accepts no writes for the catalog: everything plays all the same, and is stored once the disk works
/// again.
import Foundation
import LinuxTestSupport
import Testing

@Suite struct CatalogFaultTests {
  struct Fault: CustomTestStringConvertible {
    let error: Int32
    let calls: [String]
    /// True if the disk works again before the server ends.
    let isMended: Bool

    var testDescription: String {
      "\(String(cString: strerror(error))) of \(calls), \(isMended ? "for a while" : "on")"
    }
  }

  @Test(
    .timeLimit(.minutes(3)),
    arguments: [
      Fault(error: ENOSPC, calls: ["write", "ftruncate"], isMended: true),
      Fault(error: EIO, calls: ["write", "ftruncate", "fsync"], isMended: true),
      Fault(error: ENOSPC, calls: ["write", "ftruncate"], isMended: false),
      Fault(error: EIO, calls: ["write", "ftruncate", "fsync"], isMended: false),
      Fault(error: EIO, calls: ["fsync"], isMended: false),
    ])
  func `recordings are served while the catalog cannot be written, and none is lost`(_ fault: Fault) throws {
    let folder = try TemporaryFolder()
    let disk = try FaultyDisk(folder.path("fault"), paths: "catalog.sqlite", calls: fault.calls.joined(separator: " "))
    let server = try Server(folder: folder, environment: disk.environment)
    defer { server.kill() }
    try server.addClip("before.mp4")
    try server.waitForState("ready", of: "before")
    try disk.begin(fault.error)
    for number in 0..<10 {
      try server.addClip("\(number).mp4")
      let item = try server.waitForState("ready", of: "\(number)")
      #expect(try server.download(item.url).count == item.size)
    }
    let failsToCommit = fault.calls.contains("write")
    if failsToCommit {
      #expect(disk.hits > 0)
      #expect(server.lines(with: "recordings are still served").count == 1, "\(server.story)")
      try eventually("health to tell") { try server.get("/health").contains("\"catalog-unwritable\"") }
    }
    if fault.isMended {
      try disk.end()
      try eventually("the catalog to be written again; log: \(server.story)", within: .seconds(60)) {
        !server.lines(with: "the catalog is writable again").isEmpty
      }
      try eventually("health to tell no more") { try !server.get("/health").contains("catalog-unwritable") }
      #expect(try rows(folder) == 11)
    }
    // The last thing to be checked, at the server's end, is the sync of everything.
    try server.stop()
    #expect(disk.hits > 0)
    #expect(try integrity(folder) == "ok\n")

    let next = try Server(folder: folder)
    defer { next.kill() }
    for name in ["before"] + (0..<10).map(String.init) {
      let item = try next.waitForState("ready", of: name)
      #expect(try next.download(item.url).count == item.size)
    }
    try eventually("all rows") { try rows(folder) == 11 }
    try next.stop()
    #expect(try integrity(folder) == "ok\n")
  }

  private func query(_ sql: String, _ folder: TemporaryFolder) throws -> String {
    try Command("sqlite3", folder.path("recordings/.footage/catalog.sqlite"), sql).successfulOutput()
  }

  private func integrity(_ folder: TemporaryFolder) throws -> String { try query("PRAGMA integrity_check", folder) }

  private func rows(_ folder: TemporaryFolder) throws -> Int? {
    Int(try query("SELECT count(*) FROM recordings", folder).dropLast())
  }
}
