import FootageAPI
import FootageBase
import Foundation
import LinuxTestSupport
import Testing

/// Films, clips and pictures of the tracks of a recording with several of them, over HTTPS.
@Suite struct VideoTrackRouteTests {
  @Test func `each track is a film of its own, and another number is an error`() throws {
    try withServer(recordings: []) { server in
      try Fixtures.recordTracks(to: server.folder.path("x"))
      try FileManager.default.moveItem(atPath: server.folder.path("x"), toPath: server.file("x.mp4"))
      let item = try server.waitForState("ready", of: "x")
      #expect(item.item.videoTracks.map(\.number) == [1, 2, 3] && item.video == item.item.video)
      #expect(item.video?.codec == item.item.videoTracks[1].codec)
      let key = FilmKey(ofRecording: "x", entityTag: try #require(item.etag)).text
      let source = try Packets(of: server.file("x.mp4"))
      for track in 1...3 {
        let variants = try server.answer("/recordings/x.m3u8?track=\(track)")
        #expect(variants.status == 200 && variants.lines.contains("x.media.m3u8?track=\(track)"), "\(variants.text)")
        let playlist = try server.answer("/recordings/x.media.m3u8?track=\(track)")
        let parts = playlist.lines.filter { $0.hasSuffix(".m4s") }
        #expect(!parts.isEmpty && parts.allSatisfy { $0.hasPrefix("../hls/\(key)/t\(track)/") }, "\(playlist.text)")
        var film = try server.answer("/hls/\(key)/t\(track)/init.mp4").body
        for part in parts {
          let answer = try server.answer(String(part.dropFirst(2)))
          #expect(answer.status == 200 && answer.field("Cache-Control") == "max-age=31536000, immutable")
          film += answer.body
        }
        let path = server.folder.path("film.mp4")
        try film.write(to: URL(fileURLWithPath: path))
        let packets = try Packets(of: path)
        // ffprobe gives no hash for a packet that an edit list cuts.
        #expect(packets.streams[0]?.map(\.size) == source.streams[track - 1]?.map(\.size), "\(track)")
        #expect(packets.streams[0]?.dropFirst().map(\.hash) == source.streams[track - 1]?.dropFirst().map(\.hash))
        #expect(packets.streams[1]?.map(\.size) == source.streams[3]?.map(\.size), "\(track)")
        #expect(try server.answer("/hls/\(key)/t\(track)/k0.m4s").status == 200)
        for query in ["start=1&end=3", "keyframe=2", "keys=0"] {
          let answer = try server.answer("/recordings/x.mp4?\(query)&track=\(track)")
          let usual = try server.answer("/recordings/x.mp4?\(query)")
          #expect(answer.status == 200 && answer.field("ETag") != usual.field("ETag"), "\(track) \(query)")
          #expect((answer.body == usual.body) == (track == 2), "\(track) \(query)")
        }
      }
      for target in [
        "/recordings/x.m3u8?track=4", "/recordings/x.media.m3u8?track=4", "/recordings/x.iframes.m3u8?track=32",
        "/recordings/x.mp4?start=1&track=4", "/recordings/x.mp4?keyframe=1&track=4", "/hls/\(key)/t4/0.m4s",
        "/hls/\(key)/t4/init.mp4",
      ] {
        let answer = try server.answer(target)
        #expect(answer.status == 404 && answer.text.contains("\"no-such-view\""), "\(target): \(answer.text)")
      }
      for target in [
        "/recordings/x.m3u8?track=0", "/recordings/x.m3u8?track=", "/recordings/x.mp4?track=1",
        "/recordings/x.mp4?start=1&track=x", "/recordings/x.index?track=1", "/cameras/.m3u8?track=1",
        "/recordings/x.media.m3u8?track=1&id=0011223344556677", "/cameras/.mp4?from=0&to=9&track=1",
        "/cameras/.json?track=1",
      ] {
        let answer = try server.answer(target)
        #expect(answer.status == 400 && answer.text.contains("\"bad-query\""), "\(target): \(answer.text)")
      }
    }
  }
}
