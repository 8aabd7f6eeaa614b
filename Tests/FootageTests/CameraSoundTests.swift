import FootageAPI
import Foundation
import LinuxTestSupport
import Testing

/// The film of a camera whose recordings have sound of several codecs, over HTTPS.
@Suite struct CameraSoundTests {
  /// Recordings of four seconds, one after the other, with the options for their sound, and the folder of their parts
  /// in the camera's film, whose sound is AAC.
  static let recordings: [(second: Int, options: [String], folder: String)] = [
    (0, ["-c:a", "aac", "-ar", "48000"], ""), (4, ["-c:a", "libopus"], "silent-aac/"), (8, ["-an"], "silent-aac/"),
    (12, ["-c:a", "libmp3lame"], "silent-aac/"), (16, ["-c:a", "flac", "-strict", "-2"], "silent-aac/"),
    (20, ["-c:a", "aac", "-ar", "16000", "-ac", "1"], ""), (24, ["-c:a", "pcm_s16le", "-f", "mov"], "silent-aac/"),
    (28, ["-af", "atrim=end=1", "-c:a", "aac"], ""),
  ]

  static func options(_ sound: [String]) -> [String] {
    ["-v", "error", "-nostdin", "-f", "lavfi", "-i", "testsrc=size=160x120:rate=25", "-f", "lavfi", "-i"]
      + ["sine=frequency=440:sample_rate=48000", "-t", "4", "-c:v", "libx264", "-preset", "ultrafast", "-g", "50"]
      + ["-pix_fmt", "yuv420p"] + sound
  }

  private func record(_ options: [String], _ name: String, in server: borrowing Server) throws {
    let written = server.folder.path("written.mp4")
    _ = try Command("ffmpeg", arguments: options + [written]).successfulOutput()
    try FileManager.default.createDirectory(atPath: server.file("rear"), withIntermediateDirectories: true)
    try FileManager.default.moveItem(atPath: written, toPath: server.file("rear/\(name).mp4"))
  }

  /// Writes a film's parts of one recording to a file.
  private func write(_ parts: ArraySlice<String>, to path: String, from server: borrowing Server) throws {
    var bytes = Data()
    for part in parts {
      let answer = try server.answer(part)
      #expect(answer.status == 200 && answer.field("Cache-Control") == "max-age=31536000, immutable", "\(part)")
      bytes += answer.body
    }
    try bytes.write(to: URL(fileURLWithPath: path))
  }

  private static func name(_ second: Int) -> String { "2026-11-20T10-00-\(second < 10 ? "0" : "")\(second)" }

  @Test func `a camera's film has sound of one codec, and silence of that codec elsewhere`() throws {
    try withServer("--name-zone", "UTC", recordings: []) { server in
      for recording in Self.recordings {
        try record(Self.options(recording.options), Self.name(recording.second), in: server)
      }
      try eventually("all") { try server.list().count { $0.state == "ready" } == Self.recordings.count }
      let target = "/cameras/rear.m3u8?from=2026-11-20T10:00:00Z&to=2026-11-20T10:01:00Z"
      let film = try server.answer(target)
      let maps = film.lines.filter { $0.hasPrefix("#EXT-X-MAP") }
      #expect(maps.count == Self.recordings.count, "\(film.text)")
      let path = server.folder.path("part.mp4")
      for (recording, map) in zip(Self.recordings, maps) {
        let name = Self.name(recording.second)
        let item = try server.waitForState("ready", of: "rear/\(name)")
        let folder = "../hls/\(FilmKey(ofRecording: "rear/\(name)", entityTag: try #require(item.etag)).text)/"
        #expect(map == "#EXT-X-MAP:URI=\"\(folder)\(recording.folder)init.mp4\"")
        let own = film.lines.filter { $0.hasPrefix(folder) }
        #expect(!own.isEmpty && own.allSatisfy { $0.hasPrefix(folder + recording.folder) }, "\(film.text)")
        let parts = ["\(folder)\(recording.folder)init.mp4"] + own
        try write(parts.map { String($0.dropFirst(2)) }[...], to: path, from: server)
        let file = BoxBytes(Array(try Data(contentsOf: URL(fileURLWithPath: path))))
        let entries = file.all("moov/trak/mdia/minf/stbl/stsd").map { stsd in
          file.boxes(in: (stsd.content.lowerBound + 8)..<stsd.content.upperBound).map(\.type)
        }
        #expect(entries == [["avc1"], ["mp4a"]], "\(name)")
        let packets = try Packets(of: path)
        let source = try Packets(of: server.file("rear/\(name).mp4"))
        #expect(packets.streams[0]?.map(\.hash) == source.streams[0]?.map(\.hash), "\(name)")
        // Sound has no hole from its first frame to the end of the pictures.
        let rate = recording.options.contains("16000") ? 16_000.0 : 48_000
        let times = try #require(packets.streams[1], "\(name)").compactMap { Double($0.pts) }.map { $0 / rate }
        let frame = 1_024 / rate
        #expect(zip(times, times.dropFirst()).allSatisfy { $1 - $0 < 2.01 * frame }, "\(name)")
        let first = try #require(times.first), last = try #require(times.last)
        #expect(last - first > 4 - 3 * frame, "\(name): \(first) to \(last)")
      }
    }
  }

  /// The rules for parts hold for those with silence too.
  @Test func `a part with silence has a tag of its own, ranges, and no other names`() throws {
    try withServer("--name-zone", "UTC", recordings: ["rear/x.mp4"]) { server in
      let item = try server.waitForState("ready", of: "rear/x")
      let key = FilmKey(ofRecording: "rear/x", entityTag: try #require(item.etag)).text
      var tags: Set<String> = []
      let folders = ["", "silent-aac/", "silent-opus/", "silent-flac/", "mute/"]
      for target in folders.flatMap({ ["/hls/\(key)/\($0)init.mp4", "/hls/\(key)/\($0)0.m4s"] }) {
        let whole = try server.answer(target)
        let etag = try #require(whole.field("ETag"), "\(target)")
        #expect(tags.insert(etag).inserted, "\(target)")
        #expect(whole.status == 200 && whole.field("Content-Type") == "video/mp4", "\(target)")
        #expect(whole.field("Cache-Control") == "max-age=31536000, immutable", "\(target)")
        #expect(try server.answer(target, "--range", "10-29").body == whole.body[10..<30], "\(target)")
        #expect(try server.answer(target, "--header", "If-None-Match: \(etag)").status == 304, "\(target)")
        #expect(
          try server.answer(target, "--head").field("Content-Length") == "\(whole.body.count)", "\(target)")
      }
      for (target, code) in [
        ("silent-aac/999.m4s", "no-such-view"), ("silent-aac/init1.mp4", "no-such-view"),
        ("silent-aac/k0.m4s", "not-found"), ("silent-mp3/0.m4s", "not-found"), ("silent-aac/next", "not-found"),
      ] {
        let answer = try server.answer("/hls/\(key)/\(target)")
        #expect(answer.status == 404 && answer.text.contains("\"\(code)\""), "\(target): \(answer.text)")
      }
      let gone = try server.answer("/hls/\(String(repeating: "0", count: 32))/silent-aac/0.m4s")
      #expect(gone.status == 404 && gone.text.contains("\"gone\""))
    }
  }

  @Test func `sound without pictures is left out of a camera's film with pictures`() throws {
    try withServer("--name-zone", "UTC", recordings: []) { server in
      try record(Self.options(["-an"]), Self.name(0), in: server)
      try record(Self.options(["-vn", "-c:a", "aac"]), Self.name(4), in: server)
      try record(Self.options(["-c:a", "aac"]), Self.name(8), in: server)
      try eventually("all") { try server.list().count { $0.state == "ready" } == 3 }
      func film(from: Int, to: Int) throws -> [String] {
        let range =
          "from=2026-11-20T10:00:\(from < 10 ? "0" : "")\(from)Z&to=2026-11-20T10:00:\(to < 10 ? "0" : "")\(to)Z"
        return try server.answer("/cameras/rear.m3u8?\(range)").lines.filter { $0.hasPrefix("#EXT-X-MAP") }
      }
      let whole = try film(from: 0, to: 12)
      #expect(whole.count == 2 && whole[0].contains("/silent-aac/") && !whole[1].contains("silent"), "\(whole)")
      #expect(try film(from: 4, to: 8).count == 1)
      #expect(try film(from: 0, to: 8).allSatisfy { !$0.contains("silent") && !$0.contains("mute") })
    }
  }

  /// Players of HLS that are no browser read the film to its end.
  @Test func `ffmpeg reads every picture of the film`() throws {
    try withServer("--name-zone", "UTC", recordings: []) { server in
      for recording in Self.recordings.prefix(5) {
        try record(Self.options(recording.options), Self.name(recording.second), in: server)
      }
      try eventually("all") { try server.list().count { $0.state == "ready" } == 5 }
      let target = "/cameras/rear.m3u8?from=2026-11-20T10:00:00Z&to=2026-11-20T10:01:00Z"
      let outcome = try Command(
        "ffmpeg",
        arguments: [
          "-nostdin", "-v", "warning", "-tls_verify", "0", "-i", server.url + target, "-map", "0:v", "-map", "0:a",
          "-fps_mode", "passthrough", "-f", "framecrc", "-c", "copy", "-",
        ]
      ).run()
      #expect(outcome.succeeded, "\(outcome.errors.suffix(400))")
      let packets = outcome.output.split(separator: "\n").filter { !$0.hasPrefix("#") }
      #expect(packets.count { $0.hasPrefix("0,") } == 500)
      #expect(packets.count { $0.hasPrefix("1,") } > 5 * 4 * 46)
    }
  }
}
