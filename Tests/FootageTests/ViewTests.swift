import Foundation
import TestSupport
import Testing

/// What a target with parameters is answered with, on a running server whose recording is open already.
@Suite struct ViewTests {
  /// One loop, so that what it holds open is found by every request.
  private func withOpenRecording(_ body: (Server, Server.Item) throws -> Void) throws {
    try withServer("--threads", "1", recordings: ["x.mp4"]) { server in
      let item = try server.waitForState("ready", of: "x")
      #expect(try server.download(item.url).count == item.size)
      try body(server, item)
    }
  }

  @Test func `a view is never answered with the whole recording, which is open`() throws {
    try withOpenRecording { server, item in
      for query in ["start=1", "start=1&end=2", "keys=0", "speed=2", "start=", "keyframe=x", "from=now"] {
        for _ in 0..<2 {
          let status = try server.status("\(item.url)?\(query)")
          #expect(status == 400, "\(query)")
        }
      }
      for query in ["", "?", "?unknown=1", "?%ff", "?Start=1"] {
        for _ in 0..<2 {
          let count = try server.download("\(item.url)\(query)").count
          #expect(count == item.size, "\(query)")
        }
      }
    }
  }

  @Test func `a version is served for ever, and another one is gone`() throws {
    try withOpenRecording { server, item in
      let tag = try #require(item.etag).filter { $0 != "\"" }.prefix(16)
      for _ in 0..<2 {
        let outcome = try server.curl("--include", "--range", "0-1", server.url + item.url + "?v=\(tag)").run()
        #expect(outcome.output.contains("206"))
        #expect(outcome.output.contains("max-age=31536000, immutable"))
        #expect(try server.status("\(item.url)?v=\(tag.dropLast())") == 404)
        #expect(try server.status("\(item.url)?v=\(tag)0") == 404)
      }
      let whole = try server.curl("--include", "--range", "0-1", server.url + item.url).run()
      #expect(whole.output.contains("Cache-Control: no-cache"))
      // Another version under the same name.
      let file = FileHandle(forWritingAtPath: server.file("x.mp4"))
      try file?.seekToEnd()
      try file?.write(contentsOf: Data([0, 0, 0, 8]) + Data("free".utf8))
      try file?.close()
      try eventually("the other version") { try server.item("x")?.etag.map { $0 != item.etag } == true }
      #expect(try server.status("\(item.url)?v=\(tag)") == 404)
      #expect(try server.status(item.url) == 200)
    }
  }
}
