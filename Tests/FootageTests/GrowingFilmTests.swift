/// Recordings that are watched over HTTPS while their recorder writes them.
import FootageAPI
import Foundation
import LinuxTestSupport
import Testing

@Suite struct GrowingFilmTests {
  private func segments(_ answer: Answer) -> [String] { answer.lines.filter { $0.hasSuffix(".m4s") } }

  @Test func `a recording is watched while it grows, and its film goes on under its ID when it is closed`() throws {
    let bytes = try GrowingRecorder.source.get()
    let folder = try TemporaryFolder()
    var server = try Server(folder: folder)
    defer { server.kill() }
    let recorder = try GrowingRecorder(bytes, to: server.file("front/x.mp4"))
    try recorder.write(upTo: 0.6)
    let id = try server.liveID(of: "front/x")
    let list = try #require(try server.item("front/x"))
    #expect(list.state == "recording" && list.item.filmTarget == "/recordings/front/x.m3u8")

    let variants = try server.answer("/recordings/front/x.m3u8")
    #expect(variants.lines.contains("x.media.m3u8?id=\(id)") && !variants.text.contains("INDEPENDENT"))
    let playlist = try server.answer("/recordings/front/x.media.m3u8?id=\(id)")
    #expect(playlist.field("Cache-Control") == "no-cache")
    #expect(playlist.lines.contains("#EXT-X-PLAYLIST-TYPE:EVENT") && !playlist.text.contains("ENDLIST"))
    #expect(playlist.lines.contains("#EXT-X-TARGETDURATION:12"))
    #expect(try server.answer("/recordings/front/x.media.m3u8").body == playlist.body)
    let first = segments(playlist)
    #expect(first.count == 2 && first.allSatisfy { $0.hasPrefix("../../hls/\(id)/") })
    let early = try first.map { try server.answer(String($0.dropFirst(5))) }
    #expect(early.allSatisfy { $0.field("Cache-Control") == "max-age=31536000, immutable" })
    #expect(try server.answer("/hls/\(id)/2.m4s").status == 404)

    // Clips up to the present, and pictures.
    #expect(try server.answer("/recordings/front/x.mp4").text.contains("\"not-ready\""))
    #expect(try server.answer("/recordings/front/x.mp4?start=1&end=3").status == 200)
    #expect(try server.answer("/recordings/front/x.mp4?keyframe=4").status == 200)
    let now = try server.answer("/cameras/front.mp4?from=0&to=now")
    #expect(now.status == 307 && now.field("Location")?.hasPrefix("./front.mp4?from=") == true)

    // The next fragment is delivered a moment after it was written.
    let begun = try server.answer("/hls/\(id)/next")
    let cursor = try #require(begun.field("Footage-Next"))
    #expect(begun.status == 200 && begun.field("Cache-Control") == "no-store")
    let pending = try server.curl(
      arguments: [
        "--dump-header", "-", "--output", folder.path("next"), server.url + "/hls/\(id)/next?after=\(cursor)",
      ]
    ).start()
    try recorder.write(upTo: 0.9)
    #expect(try pending.exitStatus() == 0)
    let next = try Data(contentsOf: URL(fileURLWithPath: folder.path("next")))
    #expect(next.dropFirst(4).starts(with: "moof".utf8))
    let live = folder.path("live.mp4")
    try (begun.body + next).write(to: URL(fileURLWithPath: live))
    #expect(try Packets(of: live).streams.count == 2)
    #expect(try server.answer("/hls/\(id)/next?after=x").status == 400)
    #expect(try server.answer("/hls/0123456789abcdef/next").text.contains("\"gone\""))

    // A client that is too far behind continues with a key frame, and learns how much was left out.
    let late = try server.answer("/hls/\(id)/next?after=1")
    #expect(late.field("Footage-Skipped").flatMap { Int($0) } ?? 0 > 10_000)
    #expect(late.body.dropFirst(4).starts(with: "ftyp".utf8))

    try recorder.write(upTo: 1)
    try recorder.close()
    let item = try server.waitForState("ready", of: "front/x")
    let key = FilmKey(ofRecording: "front/x", entityTag: try #require(item.etag)).text
    let closed = try eventually("the end of the playlist") {
      let answer = try server.answer("/recordings/front/x.media.m3u8?id=\(id)")
      return answer.text.hasSuffix("#EXT-X-ENDLIST\n") ? answer : nil
    }
    #expect(closed.lines.starts(with: playlist.lines))
    let final = segments(try server.answer("/recordings/front/x.media.m3u8"))
    #expect(final.allSatisfy { $0.hasPrefix("../../hls/\(key)/") } && final.count == segments(closed).count)
    for (number, (one, other)) in zip(segments(closed), final).enumerated() {
      let grown = try server.answer(String(one.dropFirst(5)))
      #expect(try grown.status == 200 && grown.body == server.answer(String(other.dropFirst(5))).body, "\(number)")
      if number < early.count { #expect(grown.body == early[number].body, "\(number)") }
    }
    // A watching client gets the last fragments, and then the message that the film is over.
    let rest = try server.answer("/hls/\(id)/next?after=\(cursor)")
    #expect(rest.status == 200)
    let over = try server.answer("/hls/\(id)/next?after=\(try #require(rest.field("Footage-Next")))")
    #expect(over.status == 410 && over.text.contains("\"closed\""))

    // A playlist stays valid after a restart of the server, until the recording is deleted.
    try server.stop()
    server = try Server(folder: folder)
    try server.waitForState("ready", of: "front/x")
    #expect(try server.answer("/hls/\(id)/1.m4s").body == early[1].body)
    let again = try server.answer("/recordings/front/x.media.m3u8?id=\(id)")
    #expect(again.body == closed.body)
    try FileManager.default.removeItem(atPath: server.file("front/x.mp4"))
    try eventually("its film to go") { try server.answer("/hls/\(id)/1.m4s").text.contains("\"gone\"") }
    try server.stop()
  }

  @Test func `a camera's film goes on while it records`() throws {
    let bytes = try GrowingRecorder.source.get()
    try withServer { server in
      let recorder = try GrowingRecorder(bytes, to: server.file("rear/y.mp4"))
      try recorder.write(upTo: 0.6)
      let id = try server.liveID(of: "rear/y")
      let hourAgo = Int(Date().timeIntervalSince1970) - 3_600
      let open = try server.answer("/cameras/rear.m3u8?from=\(hourAgo)")
      try recorder.write(upTo: 1)
      try recorder.close()
      try server.waitForState("ready", of: "rear/y")
      // Listed segments stay unchanged.
      let later = try eventually("the rest of it") {
        let answer = try server.answer("/cameras/rear.m3u8?from=\(hourAgo)")
        return segments(answer).count > segments(open).count ? answer : nil
      }
      #expect(later.lines.starts(with: open.lines), "\(open.text) \(later.text)")
      #expect(segments(later).allSatisfy { $0.hasPrefix("../hls/\(id)/") })
    }
  }

  /// The first recording decides, since what is listed must not change.
  @Test(arguments: [(["-an"], "mute"), (["-c:a", "libopus"], "silent-opus")])
  func `a camera's film keeps the sound that it began with`(sound: [String], folder: String) throws {
    let bytes = try GrowingRecorder.source.get()
    try withServer { server in
      let first = server.folder.path("x.mp4")
      _ = try Command("ffmpeg", arguments: CameraSoundTests.options(sound) + [first]).successfulOutput()
      try FileManager.default.setAttributes([.modificationDate: Date() - 600], ofItemAtPath: first)
      try FileManager.default.createDirectory(atPath: server.file("rear"), withIntermediateDirectories: true)
      try FileManager.default.moveItem(atPath: first, toPath: server.file("rear/x.mp4"))
      try server.waitForState("ready", of: "rear/x")
      let target = "/cameras/rear.m3u8?from=\(Int(Date().timeIntervalSince1970) - 3_600)"
      let alone = try server.answer(target)
      #expect(segments(alone).count == 1 && !alone.text.contains(folder))
      let recorder = try GrowingRecorder(bytes, to: server.file("rear/y.mp4"))
      try recorder.write(upTo: 0.6)
      let id = try server.liveID(of: "rear/y")
      let open = try server.answer(target)
      #expect(open.lines.starts(with: alone.lines), "\(alone.text) \(open.text)")
      #expect(segments(open).count > 1 && segments(open)[1...].allSatisfy { $0.hasPrefix("../hls/\(id)/\(folder)/") })
      let early = try server.answer("/hls/\(id)/\(folder)/0.m4s")
      #expect(early.status == 200 && early.field("Cache-Control") == "max-age=31536000, immutable")
      try recorder.write(upTo: 1)
      try recorder.close()
      try server.waitForState("ready", of: "rear/y")
      let later = try eventually("the rest of it") {
        let answer = try server.answer(target)
        return segments(answer).count > segments(open).count ? answer : nil
      }
      #expect(later.lines.starts(with: open.lines), "\(open.text) \(later.text)")
      #expect(try server.answer("/hls/\(id)/\(folder)/0.m4s").body == early.body)
    }
  }

  @Test func `a server that starts while a recorder is at work gives the film its ID again`() throws {
    let bytes = try GrowingRecorder.source.get()
    let folder = try TemporaryFolder()
    var server = try Server(folder: folder)
    defer { server.kill() }
    let recorder = try GrowingRecorder(bytes, to: server.file("z.mp4"))
    try recorder.write(upTo: 0.6)
    let id = try server.liveID(of: "z")
    let segment = try server.answer("/hls/\(id)/0.m4s").body
    server.kill()
    server = try Server(folder: folder)
    #expect(try server.liveID(of: "z") == id)
    #expect(try server.answer("/hls/\(id)/0.m4s").body == segment)
    // A recorder that dies leaves the complete fragments.
    try recorder.close()
    let item = try server.waitForState("ready", of: "z")
    #expect(item.item.isRecovered || item.state == "ready")
    let closed = try eventually("the end of the playlist") {
      let answer = try server.answer("/recordings/z.media.m3u8?id=\(id)")
      return answer.text.contains("ENDLIST") ? answer : nil
    }
    #expect(segments(closed).count >= 2)
    try server.stop()
  }

  @Test func `a recorder that writes anew begins another film`() throws {
    let bytes = try GrowingRecorder.source.get()
    try withServer { server in
      let recorder = try GrowingRecorder(bytes, to: server.file("w.mp4"))
      try recorder.write(upTo: 0.6)
      let id = try server.liveID(of: "w")
      let again = try #require(FileHandle(forWritingAtPath: server.file("w.mp4")))
      try again.truncate(atOffset: 0)
      try again.write(contentsOf: bytes.prefix(bytes.count / 3))
      let other = try eventually("another ID") {
        try server.item("w").flatMap { $0.item.isLive && $0.item.tag?.text != id ? $0.item.tag?.text : nil }
      }
      #expect(try server.answer("/hls/\(id)/0.m4s").text.contains("\"gone\""))
      #expect(try server.answer("/hls/\(other)/next").status == 200)
      try recorder.close()
      try again.close()
    }
  }
}
