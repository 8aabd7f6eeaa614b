/// The results of ffmpeg and ffprobe for served recordings, compared with those for the recorder's files.
import FootageBase
import FootageAPI
import Foundation
import LinuxTestSupport
import Testing

@Suite struct PlayerTests {
  private func ffmpeg(_ server: Server?, _ arguments: [String]) throws -> Command.Outcome {
    let trust = server.map { ["-tls_verify", "1", "-ca_file", $0.certs + "/server.pem"] } ?? []
    return try Command("ffmpeg", arguments: ["-nostdin", "-v", "error"] + trust + arguments).run()
  }

  /// Returns a digest of each decoded frame of all tracks.
  private func frames(of input: String, _ server: Server? = nil, from seconds: Int = 0) throws -> [String] {
    let outcome = try ffmpeg(
      server, ["-ss", "\(seconds)", "-i", input, "-map", "0", "-fps_mode:v", "passthrough", "-f", "framemd5", "-"])
    try #require(outcome.succeeded, "\(outcome.errors)")
    return outcome.lines.filter { !$0.hasPrefix("#") }
  }

  @Test func `the decoded frames are those of the recorder's file`() throws {
    try withServer(recordings: ["x.mp4"]) { server in
      let expected = try frames(of: Fixtures.clip())
      #expect(expected.count > 8 * 25)
      #expect(try frames(of: server.url + "/recordings/x.mp4", server) == expected)
    }
  }

  @Test(arguments: [1, 4, 7])
  func `a seek into the middle shows what the recorder's file shows there`(seconds: Int) throws {
    try withServer(recordings: ["x.mp4"]) { server in
      let expected = try frames(of: Fixtures.clip(), from: seconds)
      #expect(expected.count > 20)
      #expect(try frames(of: server.url + "/recordings/x.mp4", server, from: seconds) == expected)
    }
  }

  @Test func `a seek in a large recording does not fetch what lies before`() throws {
    try withServer { server in
      try Fixtures.record(seconds: 20, to: server.folder.path("long.mp4"), "-b:v", "6M", "-maxrate", "6M", "-qmin", "1")
      try FileManager.default.moveItem(atPath: server.folder.path("long.mp4"), toPath: server.file("long.mp4"))
      let item = try server.waitForState("ready", of: "long")
      let outcome = try ffmpeg(
        server, ["-ss", "18", "-i", server.url + "/recordings/long.mp4", "-frames:v", "1", "-f", "framemd5", "-"])
      #expect(outcome.succeeded, "\(outcome.errors)")
      try server.waitForLine(with: "range \"bytes=")
      let starts = server.log.matches(of: /range "bytes=([0-9]+)-/).compactMap { Int($0.1) }
      #expect(starts.contains { $0 > item.size / 2 }, "\(server.story)")
    }
  }

  @Test func `ffprobe finds the duration and the tracks that the list tells of`() throws {
    try withServer(recordings: ["x.mp4"]) { server in
      let outcome = try Command(
        "ffprobe", "-v", "error", "-tls_verify", "1", "-ca_file", server.certs + "/server.pem", "-show_entries",
        "format=duration:stream=codec_name,width,height", "-of", "default=noprint_wrappers=1",
        server.url + "/recordings/x.mp4"
      ).run()
      let item = try #require(try server.item("x"))
      let video = try #require(item.video)
      #expect(outcome.lines.contains("codec_name=h264"), "\(outcome.errors)")
      #expect(outcome.lines.contains("codec_name=aac"))
      #expect(outcome.lines.contains("width=\(video.width)"))
      #expect(outcome.lines.contains("height=\(video.height)"))
      #expect(video.codec.hasPrefix("avc1."))
      let told = try #require(item.duration)
      let found = try #require(outcome.output.firstMatch(of: /duration=([0-9.]+)/).flatMap { Double($0.1) })
      #expect(abs(told - found) < 0.05)
    }
  }

  @Test func `moov comes before mdat in what is served, and after it in the recorder's file`() throws {
    try withServer(recordings: ["x.mp4"]) { server in
      let recorded = try topLevelBoxes(of: Data(contentsOf: URL(fileURLWithPath: server.file("x.mp4"))))
      #expect(recorded.last == "moov")
      let served = try topLevelBoxes(of: server.download("/recordings/x.mp4"))
      #expect(served.prefix(2) == ["ftyp", "moov"])
      #expect(served.contains("mdat"))
      #expect(served.sorted() == recorded.sorted())
    }
  }

  /// Returns the types of the boxes in order, ISO/IEC 14496-12 §4.2.
  private func topLevelBoxes(of data: Data) throws -> [String] {
    var types: [String] = []
    var offset = 0
    while offset < data.count {
      try #require(offset + 8 <= data.count)
      let size = data[offset..<(offset + 4)].reduce(0) { $0 << 8 | Int($1) }
      try #require(size >= 8 && offset + size <= data.count)
      types.append(String(decoding: data[(offset + 4)..<(offset + 8)], as: UTF8.self))
      offset += size
    }
    return types
  }
}
