/// A recording that is deleted, replaced or written to while it is sent: the client gets all the old bytes, or a
/// broken-off body.
import Foundation
import LinuxTestSupport
import Testing

@Suite struct TransferTests {
  /// Runs `change` on the file while most of it has not been sent yet, and then reads the rest.
  private func transfer(
    _ arguments: String..., while change: (Server, _ path: String) throws -> Void,
    then check: (Server, _ status: Int32, _ bytes: Data, _ whole: Data) throws -> Void
  ) throws {
    try withServer { server in
      try Fixtures.writeLargeRecording(to: server.file("x.mp4"))
      try server.waitForState("ready", of: "x")
      let whole = try server.download("/recordings/x.mp4")
      let transfer = try PausedTransfer(server, "/recordings/x.mp4")
      try change(server, server.file("x.mp4"))
      let (status, bytes) = transfer.finish()
      try check(server, status, bytes, whole)
    }
  }

  @Test func `a recording that is deleted meanwhile comes whole`() throws {
    try transfer { server, path in
      try FileManager.default.removeItem(atPath: path)
      try eventually("it to go") { try server.list().isEmpty }
    } then: { server, status, bytes, whole in
      #expect(status == 0)
      #expect(bytes == whole)
      let afterwards = try server.status("/recordings/x.mp4")
      #expect(afterwards == 404)
    }
  }

  @Test func `a recording that is replaced by rename comes whole, with the old bytes alone`() throws {
    try transfer { server, path in
      let replacement = server.folder.path("replacement.mp4")
      try Fixtures.writeLargeRecording(to: replacement, filler: 0xA5)
      let old = try #require(try server.item("x")?.etag)
      #expect(rename(replacement, path) == 0)
      try eventually("the new version") { try server.item("x").map { $0.etag != nil && $0.etag != old } ?? false }
    } then: { server, status, bytes, whole in
      #expect(status == 0)
      #expect(bytes == whole)
      let new = try server.download("/recordings/x.mp4")
      #expect(new.count == whole.count)
      #expect(new.last == 0xA5)
    }
  }

  @Test func `a recording that is cut short meanwhile is aborted, not completed`() throws {
    try transfer { _, path in
      #expect(truncate(path, 12_000_000) == 0)
    } then: { server, status, bytes, whole in
      #expect([18, 56].contains(status), "curl ended with \(status)")
      #expect(bytes.count < whole.count)
      #expect(bytes == whole.prefix(bytes.count), "what came is the old version's")
      let line = try eventually("a line that says how far it got") {
        server.log.firstMatch(of: /"GET \/recordings\/x\.mp4" 200 ([0-9]+) bytes [0-9.]+ ms cut off/)
      }
      #expect(try #require(Int(line.1)) < whole.count)
      #expect(try #require(Int(line.1)) >= bytes.count)
    }
  }

  @Test(arguments: [true, false])
  func `a recording that is written over in place is aborted, not completed`(isReadable: Bool) throws {
    try transfer { _, path in
      let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
      // The write is before or after the bytes that were already sent. Either way it makes another version.
      try file.seek(toOffset: isReadable ? 1_000 : 20_000_000)
      try file.write(contentsOf: Data(repeating: 0xFF, count: 4_096))
      try file.close()
    } then: { server, status, bytes, whole in
      #expect([18, 56].contains(status), "curl ended with \(status)")
      #expect(bytes.count < whole.count)
      #expect(bytes == whole.prefix(bytes.count), "what came is the old version's")
      try server.waitForLine(with: "cut off")
    }
  }

  @Test func `a recording that grows on meanwhile is aborted, not completed`() throws {
    try transfer { _, path in
      let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
      try file.seekToEnd()
      try file.write(contentsOf: Data([0, 0, 0, 8]) + Data("free".utf8))
      try file.close()
    } then: { _, status, bytes, whole in
      #expect([18, 56].contains(status), "curl ended with \(status)")
      #expect(bytes.count < whole.count)
    }
  }

  @Test func `a viewer who leaves in the middle harms nobody`() throws {
    try withServer { server in
      try Fixtures.writeLargeRecording(to: server.file("x.mp4"))
      try server.waitForState("ready", of: "x")
      for _ in 1...5 { _ = try PausedTransfer(server, "/recordings/x.mp4") }
      try server.waitForLine(with: "cut off", count: 5)
      let item = try #require(try server.item("x"))
      #expect(try server.download("/recordings/x.mp4").count == item.size)
    }
  }
}
