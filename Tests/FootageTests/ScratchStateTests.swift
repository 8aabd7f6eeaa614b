/// A server that cannot write its state, and the files that it leaves behind when it is killed.
import Foundation
import LinuxTestSupport
import Testing

@Suite struct ScratchStateTests {
  @Test func `what a killed server kept in a temporary folder goes with the next start`() throws {
    let folder = try TemporaryFolder()
    let temporary = folder.path("tmp")
    try FileManager.default.createDirectory(atPath: temporary, withIntermediateDirectories: true)
    func start() throws -> Server {
      let server = try Server(["--state", "/proc/none"], folder: folder, environment: ["TMPDIR": temporary])
      try server.waitForLine(with: "are kept in \(temporary)/footage-")
      return server
    }
    func left() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: temporary) }
    let first = try start()
    defer { first.kill() }
    let before = try left()
    #expect(before.count == 1)
    first.kill()
    #expect(try left() == before)
    let second = try start()
    defer { second.kill() }
    #expect(try left().count == 1)
    #expect(try left() != before)
    // The state of a living server is not touched when another server starts.
    let third = try Server(["--state", folder.path("state")], environment: ["TMPDIR": temporary])
    defer { third.kill() }
    #expect(try left().count == 1)
    try second.stop()
    #expect(try left() == [])
    try third.stop()
  }
}
