import FootageAPI
import FootageBase
import Foundation
import LinuxTestSupport
import Testing

/// Lists over the network: conditions, waiting, and the summary of each camera.
@Suite(.offThePool) struct ListWaitTests {
  /// Returns a list's entity tag.
  private func tag(of path: String, _ server: Server) throws -> String {
    let head = try server.curl("--head", server.url + path).run().output
    return String(try #require(head.firstMatch(of: /ETag: ("[^"\r\n]+")/)).1)
  }

  @Test func `a list that does not change is answered 304, without a line in the log where it was waited for`() throws {
    try withServer(recordings: ["front/x.mp4"]) { server in
      for path in ["/recordings?limit=7", "/cameras", "/recordings/front/x.json", "/"] {
        let fields = ["--include", "--header", "If-None-Match: \(try tag(of: path, server))"]
        let answer = try server.curl(arguments: fields + [server.url + path]).run().output
        #expect(answer.hasPrefix("HTTP/1.1 304 ") && answer.contains("Cache-Control: no-cache\r\n"))
        try server.waitForLine(with: "\"GET \(path)\" 304 0 bytes")
      }
      let fields = ["--include", "--header", "Prefer: wait=1", "--header"]
      for path in ["/recordings?limit=8", "/cameras?x"] {
        let condition = "If-None-Match: \(try tag(of: path, server))"
        let answer = try server.curl(arguments: fields + [condition, server.url + path]).run().output
        #expect(answer.hasPrefix("HTTP/1.1 304 ") && answer.contains("Preference-Applied: wait=1\r\n"))
      }
      #expect(try server.answered("\"GET /recordings?limit=8\"") == [] && server.answered("\"GET /cameras?x\"") == [])
    }
  }

  @Test func `a list that is waited for comes with the news`() throws {
    try withServer(recordings: ["front/x.mp4"]) { server in
      let waiting = try server.curl(
        "--include", "--header", "If-None-Match: \(try tag(of: "/recordings", server))", "--header", "Prefer: wait=240",
        server.url + "/recordings"
      ).start()
      try server.addClip("rear/y.mp4")
      _ = waiting.waitForEnd()
      let answer = waiting.output
      #expect(answer.hasPrefix("HTTP/1.1 200 ") && answer.contains("Preference-Applied: wait=240\r\n"))
      #expect(answer.contains("\"rear/y\""))
    }
  }

  @Test func `cameras are summed up, and say whose they are`() throws {
    try withServer("--robot-name", "Seven of 9", recordings: ["front/2026-11-20T10-15-30Z.mp4", "y.mp4"]) { server in
      let json = try #require(JSONValue(Array(try server.get("/cameras").utf8)))
      let list = try #require(CameraList(json))
      #expect(list.header.robot?.name == "Seven of 9" && list.header.may == [])
      #expect(list.cameras.map(\.name) == ["front", nil])
      let front = try #require(list.cameras.first)
      #expect(front.recordingCount == 1 && front.isLive == false && front.codec?.hasPrefix("avc1.") == true)
      let (from, to) = (front.from.milliseconds, front.to.milliseconds)
      #expect(from == 1_795_169_730_000 && to > from + 7_000 && to < from + 9_000)
      let text = try server.get("/recordings")
      #expect(text.contains(#""robot":{"name":"Seven of 9","zone":"#) && text.contains(#""may":[]"#))
    }
  }
}
