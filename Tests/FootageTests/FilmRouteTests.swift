import FootageAPI
import Foundation
import LinuxTestSupport
import Testing

/// Films, clips and time lapses over HTTPS, as curl and ffprobe receive them.
@Suite struct FilmRouteTests {
  /// Returns all packets of each stream, in order. ffprobe gives no hash for a packet that an edit list cuts.
  private func packets(_ path: String) throws -> [Int: [String]] {
    try Packets(of: path).streams.mapValues { packets in
      packets.enumerated().map { index, packet in index == 0 ? packet.size : packet.hash }
    }
  }

  @Test func `a film's parts are the recording's packets, immutable and in ranges`() throws {
    try withServer(recordings: ["rear/x.mp4"]) { server in
      let item = try server.waitForState("ready", of: "rear/x")
      let tag = try #require(item.etag)
      let key = FilmKey(ofRecording: "rear/x", entityTag: tag).text
      let variants = try server.answer("/recordings/rear/x.m3u8")
      #expect(variants.status == 200 && variants.field("Content-Type") == "application/vnd.apple.mpegurl")
      #expect(variants.field("Cache-Control") == "no-cache" && variants.lines.contains("x.media.m3u8"))
      let playlist = try server.answer("/recordings/rear/x.media.m3u8")
      let parts = playlist.lines.filter { $0.hasSuffix(".m4s") }
      #expect(!parts.isEmpty && parts.allSatisfy { $0.hasPrefix("../../hls/\(key)/") })
      #expect(!playlist.text.contains("\"/") && playlist.lines.allSatisfy { !$0.hasPrefix("/") })
      var film = try server.answer("/hls/\(key)/init.mp4").body
      for part in parts {
        let answer = try server.answer(String(part.dropFirst(5)))
        #expect(answer.status == 200 && answer.field("Cache-Control") == "max-age=31536000, immutable")
        film += answer.body
      }
      let path = server.folder.path("film.mp4")
      try film.write(to: URL(fileURLWithPath: path))
      #expect(try packets(path) == packets(server.file("rear/x.mp4")))

      // The tests of ranges, conditions and HEAD apply to parts, clips and playlists alike.
      for target in [
        "/hls/\(key)/0.m4s", "/hls/\(key)/k1.m4s", "/hls/\(key)/video.mp4", "/recordings/rear/x.mp4?start=1.5&end=3",
        "/recordings/rear/x.mp4?keys=1&speed=2", "/recordings/rear/x.m3u8", "/recordings/rear/x.iframes.m3u8",
      ] {
        let whole = try server.answer(target)
        let etag = try #require(whole.field("ETag"))
        #expect(whole.status == 200 && whole.field("Accept-Ranges") == "bytes", "\(target)")
        let part = try server.answer(target, "--range", "10-29")
        #expect(part.status == 206 && part.body == whole.body[10..<30], "\(target)")
        #expect(part.field("Content-Range") == "bytes 10-29/\(whole.body.count)", "\(target)")
        let last = try server.answer(target, "--range", "-7")
        #expect(last.body == whole.body.suffix(7), "\(target)")
        #expect(try server.answer(target, "--range", "\(whole.body.count)-").status == 416, "\(target)")
        #expect(try server.answer(target, "--header", "If-None-Match: \(etag)").status == 304, "\(target)")
        #expect(try server.answer(target, "--header", "If-Match: \"x\"").status == 412, "\(target)")
        let bare = try server.answer(target, "--head")
        #expect(bare.field("Content-Length") == "\(whole.body.count)", "\(target)")
      }
      #expect(try server.answer("/hls/\(key)/999.m4s").status == 404)
      // A version's tag does not select its film, and neither does the key for another name.
      let other = FilmKey(ofRecording: "rear/y", entityTag: tag).text
      for unknown in ["0000000000000000", String(tag.dropFirst().prefix(16)), other, String(other.prefix(16))] {
        let answer = try server.answer("/hls/\(unknown)/0.m4s")
        #expect(answer.status == 404 && answer.text.contains("\"gone\""), "\(unknown)")
      }
      #expect(try server.answer("/recordings/rear/x.mp4?start=500").text.contains("\"outside\""))
    }
  }

  /// Two recordings of ten seconds, half a second apart, and one with another format an hour later.
  @Test func `a camera's time is a film, a clip, or said not to be there`() throws {
    try withServer("--robot-name", "robot7", "--name-zone", "UTC", recordings: []) { server in
      try FileManager.default.createDirectory(atPath: server.file("rear"), withIntermediateDirectories: true)
      try Fixtures.record(seconds: 10, to: server.file("rear/2026-11-20T10-00-00.mp4"))
      try Fixtures.record(seconds: 10, to: server.file("rear/2026-11-20T10-00-10.mp4"))
      try eventually("both") { try server.list().count { $0.state == "ready" } == 2 }
      let day = "2026-11-20T"
      let film = try server.answer("/cameras/rear.m3u8?from=\(day)10:00:05Z&to=\(day)10:00:15Z")
      #expect(film.status == 200, "\(film.text)")
      #expect(film.lines.count { $0 == "#EXT-X-DISCONTINUITY" } == 1 && film.lines.last == "#EXT-X-ENDLIST")
      #expect(film.lines.contains("#EXT-X-PROGRAM-DATE-TIME:\(day)10:00:10.000Z"), "\(film.text)")
      let clip = try server.answer("/cameras/rear.mp4?from=\(day)10:00:05Z&to=\(day)10:00:15.5Z")
      #expect(clip.status == 200, "\(clip.text)")
      #expect(
        clip.field("Content-Disposition")?.contains("filename=\"robot7_rear_2026-11-20T10-00-05+0000.mp4\"") == true)
      let path = server.folder.path("clip.mp4")
      try clip.body.write(to: URL(fileURLWithPath: path))
      let duration = try Command("ffprobe", "-v", "error", "-show_entries", "format=duration", "-of", "csv=p=0", path)
        .successfulOutput()
      #expect(abs((Double(duration.trimmingCharacters(in: .whitespacesAndNewlines)) ?? 0) - 10.5) < 0.06, "\(duration)")
      // The download resumes where it broke off.
      let half = server.folder.path("half.mp4")
      try clip.body.prefix(clip.body.count / 2).write(to: URL(fileURLWithPath: half))
      let resumed = try server.curl(
        arguments: [
          "--continue-at", "-", "--output", half,
          server.url + "/cameras/rear.mp4?from=\(day)10:00:05Z&to=\(day)10:00:15.5Z",
        ]
      ).run()
      #expect(resumed.succeeded)
      #expect(try Data(contentsOf: URL(fileURLWithPath: half)) == clip.body)
      // A time without footage.
      let nothing = try server.answer("/cameras/rear.mp4?from=\(day)12:00:00Z&to=\(day)12:00:10Z")
      #expect(nothing.status == 404 && nothing.text.contains("\"no-footage\""), "\(nothing.text)")
      #expect(nothing.text.contains("10:00:20"), "\(nothing.text)")
      let long = try server.answer("/cameras/rear.mp4?from=\(day)10:00:00Z&to=\(day)12:00:01Z")
      #expect(long.status == 400 && long.text.contains("\"too-long\""), "\(long.text)")
      let longFilm = try server.answer("/cameras/rear.m3u8?from=\(day)10:00:00Z&to=2026-11-21T12:00:01Z")
      #expect(longFilm.status == 400 && longFilm.text.contains("\"too-long\""), "\(longFilm.text)")
      #expect(try server.answer("/cameras/front.m3u8?from=\(day)10:00:00Z&to=\(day)10:00:10Z").status == 404)
      // Recordings that do not fit into one movie, and the addresses of the individual clips.
      try Fixtures.record(seconds: 2, to: server.file("rear/2026-11-20T11-00-00.mp4"), "-s", "160x120")
      try eventually("the small one") { try server.list().count { $0.state == "ready" } == 3 }
      let differing = try server.answer("/cameras/rear.mp4?from=\(day)10:00:15Z&to=\(day)11:00:01Z")
      #expect(differing.status == 409 && differing.text.contains("\"formats-differ\""), "\(differing.text)")
      let parts = differing.text.split { " \"".contains($0) }.filter { $0.hasPrefix("/") }
      #expect(parts.count == 2, "\(differing.text)")
      for part in parts { #expect(try server.answer(String(part)).status == 200, "\(part): \(differing.text)") }
      let both = try server.answer("/cameras/rear.m3u8?from=\(day)10:00:15Z&to=\(day)11:00:01Z")
      #expect(both.status == 200 && Set(both.lines.filter { $0.hasPrefix("#EXT-X-MAP:") }).count == 2, "\(both.text)")
      // A request without a fixed end is redirected to the present end.
      let now = try server.answer("/cameras/rear.mp4?from=\(day)10:00:00Z&to=now")
      #expect(now.status == 307 && now.field("Location")?.hasPrefix("./rear.mp4?from=") == true, "\(now.head)")
      let recent = try server.answer("/cameras/rear.m3u8")
      #expect(
        recent.status == 307 && recent.field("Location")?.hasPrefix("./rear.m3u8?from=") == true, "\(recent.head)")
    }
  }
}
