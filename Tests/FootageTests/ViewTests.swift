import Foundation
import LinuxTestSupport
import Testing

/// The answers to targets with parameters, on a running server that has the recording open already.
@Suite struct ViewTests {
  /// Runs a test with a server of one loop, so that every request finds the recording open.
  private func withOpenRecording(_ body: (Server, Server.Item) throws -> Void) throws {
    try withServer("--threads", "1", recordings: ["x.mp4"]) { server in
      let item = try server.waitForState("ready", of: "x")
      #expect(try server.download(item.url).count == item.size)
      try body(server, item)
    }
  }

  @Test func `a view is never answered with the whole recording, which is open`() throws {
    try withOpenRecording { server, item in
      for query in ["start=1&end=1", "keys=x", "keys=0&start=1", "speed=2", "start=", "keyframe=x", "from=now"] {
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

  /// One code point, and a letter followed by its accent: equal strings, and two recordings.
  @Test func `two spellings of a letter are two recordings, whichever is open`() throws {
    try withServer("--threads", "1", recordings: ["\u{E9}.mp4"]) { server in
      try server.waitForState("ready", of: "\u{E9}")
      try Fixtures.record(seconds: 1, to: server.file("e\u{301}.mp4"))
      try eventually("both") { try server.list().count { $0.state == "ready" } == 2 }
      let one = try server.download("/recordings/%C3%A9.mp4")
      let other = try server.download("/recordings/e%CC%81.mp4")
      #expect(one.count != other.count)
      for _ in 0..<2 {
        let again = try server.download("/recordings/%65%CC%81.mp4")
        #expect(again == other)
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
      // Another version with the same name.
      let file = FileHandle(forWritingAtPath: server.file("x.mp4"))
      try file?.seekToEnd()
      try file?.write(contentsOf: Data([0, 0, 0, 8]) + Data("free".utf8))
      try file?.close()
      try eventually("the other version") { try server.item("x")?.etag.map { $0 != item.etag } == true }
      #expect(try server.status("\(item.url)?v=\(tag)") == 404)
      #expect(try server.status(item.url) == 200)
    }
  }

  /// Returns the head and the body of an answer.
  private func answer(_ server: Server, _ target: String, _ arguments: String...) throws -> (head: String, body: Data) {
    let body = server.folder.path("body-\(UUID().uuidString)")
    let outcome = try server.curl(
      arguments: ["--dump-header", "-", "--output", body] + arguments + [server.url + target]
    ).run()
    try #require(outcome.succeeded, "\(outcome.errors)")
    return (outcome.output, (try? Data(contentsOf: URL(fileURLWithPath: body))) ?? Data())
  }

  private func field(_ name: String, of head: String) throws -> String {
    let line = head.split(separator: "\r\n").first { $0.lowercased().hasPrefix("\(name.lowercased()): ") }
    return String(try #require(line, "\(head)").dropFirst(name.count + 2))
  }

  /// Returns ffmpeg's digest of the first picture of a file from a given second on.
  private func picture(_ file: String, at seconds: Int) throws -> String {
    let outcome = try Command(
      "ffmpeg", "-nostdin", "-v", "error", "-ss", "\(seconds)", "-i", file, "-an", "-frames:v", "1", "-f", "framemd5",
      "-"
    ).run()
    try #require(outcome.succeeded, "\(outcome.errors)")
    let last = try #require(outcome.output.split(separator: "\n").last)
    return String(try #require(last.split(separator: ",").last)).trimmingCharacters(in: .whitespaces)
  }

  /// The clip has one key frame per second.
  @Test func `a key frame is a movie of one picture, with a tag of its own and any range`() throws {
    try withOpenRecording { server, item in
      let tag = try #require(item.etag).filter { $0 != "\"" }
      var tags: Set<String> = []
      for second in [0, 3, 7] {
        let (head, body) = try answer(server, "\(item.url)?keyframe=\(second).5")
        #expect(head.hasPrefix("HTTP/1.1 200 "))
        let own = try field("ETag", of: head)
        #expect(own.hasPrefix("\"\(tag)-k2-"))
        tags.insert(own)
        #expect(try field("Content-Type", of: head) == "video/mp4")
        #expect(try field("Cache-Control", of: head) == "no-cache")
        let file = server.folder.path("key.mp4")
        try body.write(to: URL(fileURLWithPath: file))
        let probed = try Command(
          "ffprobe", "-v", "error", "-count_packets", "-show_entries", "stream=codec_type,nb_read_packets", "-of",
          "csv=p=0", file
        ).run()
        #expect(probed.output.split(separator: "\n").map(String.init) == ["video,1"], "\(probed.errors)")
        let (one, whole) = (try picture(file, at: 0), try picture(server.file("x.mp4"), at: second))
        #expect(one == whole)
        // The same picture, requested by another second and in ranges.
        let (otherHead, other) = try answer(server, "\(item.url)?keyframe=\(second).75&v=\(tag.prefix(16))")
        #expect(try field("ETag", of: otherHead) == own)
        #expect(other == body)
        #expect(try field("Cache-Control", of: otherHead) == "max-age=31536000, immutable")
        let (partHead, part) = try answer(server, "\(item.url)?keyframe=\(second).5", "--range", "700-1499")
        #expect(partHead.hasPrefix("HTTP/1.1 206 ") && part == body[700..<1_500])
        let (unchanged, _) = try answer(server, "\(item.url)?keyframe=\(second).5", "--header", "If-None-Match: \(own)")
        #expect(unchanged.hasPrefix("HTTP/1.1 304 "))
        let (bare, _) = try answer(server, "\(item.url)?keyframe=\(second).5", "--head")
        #expect(try field("Content-Length", of: bare) == "\(body.count)")
      }
      #expect(tags.count == 3)
      // Beyond the end, the last key frame is the answer. The recording itself is unchanged.
      let (last, _) = try answer(server, "\(item.url)?keyframe=999999999")
      #expect(tags.contains(try field("ETag", of: last)))
      let whole = try server.download(item.url).count
      #expect(whole == item.size)
      #expect(try server.status("\(item.url)?keyframe=1&v=0000000000000000") == 404)
    }
  }

  @Test func `sound alone has no key frame, and what is not ready has none yet`() throws {
    try withServer { server in
      let made = try Command(
        "ffmpeg", "-nostdin", "-v", "error", "-f", "lavfi", "-i", "sine=d=2", "-c:a", "aac", server.file("sound.mp4")
      ).run()
      try #require(made.succeeded, "\(made.errors)")
      try server.waitForState("ready", of: "sound")
      let (head, body) = try answer(server, "/recordings/sound.mp4?keyframe=0")
      #expect(head.hasPrefix("HTTP/1.1 404 ") && String(decoding: body, as: UTF8.self).contains("no-such-view"))
      #expect(try server.status("/recordings/nothing.mp4?keyframe=0") == 404)
    }
  }

  @Test func `the index has ranges and a tag of its own, and is made again where it is lost or damaged`() throws {
    try withOpenRecording { server, item in
      let tag = try #require(item.etag).filter { $0 != "\"" }
      let target = "/recordings/x.index"
      let (head, body) = try answer(server, target)
      let own = try field("ETag", of: head)
      #expect(head.hasPrefix("HTTP/1.1 200 ") && !body.isEmpty)
      #expect(own.hasPrefix("\"\(tag)-i") && own.dropLast().dropFirst(tag.count + 3).allSatisfy(\.isNumber))
      #expect(try field("Content-Type", of: head) == "application/octet-stream")
      #expect(try field("Cache-Control", of: head) == "no-cache")
      #expect(try field("Accept-Ranges", of: head) == "bytes")
      let stored = server.file(".footage/heads/\(tag).index")
      #expect(try Data(contentsOf: URL(fileURLWithPath: stored)) == body)
      let (forEver, same) = try answer(server, "\(target)?v=\(tag.prefix(16))")
      #expect(try field("Cache-Control", of: forEver) == "max-age=31536000, immutable")
      #expect(same == body)
      #expect(try server.status("\(target)?v=0000000000000000") == 404)
      let (partHead, part) = try answer(server, target, "--range", "3-9", "--header", "If-Range: \(own)")
      #expect(partHead.hasPrefix("HTTP/1.1 206 ") && part == body[3..<10])
      let (unchanged, _) = try answer(server, target, "--header", "If-None-Match: \(own)")
      #expect(unchanged.hasPrefix("HTTP/1.1 304 "))
      #expect(try field("Content-Length", of: try answer(server, target, "--head").head) == "\(body.count)")
      // If the index is lost or damaged, the next request gets it as it was written, and so does the first one after a
      // restart.
      try FileManager.default.removeItem(atPath: stored)
      #expect(try answer(server, target).body == body)
      try eventually("it is stored again") { (try? Data(contentsOf: URL(fileURLWithPath: stored))) == body }
      #expect(try server.status(item.url) == 200)
    }
  }

  /// Kills the process that reads files, on which other requests do not depend.
  @Test func `who makes views may die, and the next one is made all the same`() throws {
    try withOpenRecording { server, item in
      #expect(try server.status("\(item.url)?keyframe=1") == 200)
      _ = try Command("pkill", "-KILL", "-P", "\(server.process.processIdentifier)", "-f", "read-files").run()
      #expect(try server.status("\(item.url)?keyframe=2") == 200)
    }
  }
}
