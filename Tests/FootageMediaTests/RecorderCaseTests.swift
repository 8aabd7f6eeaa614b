/// Files of recorders that were read wrongly once, with what each view of them has to show.

import FootageBase
import Foundation
import FootageSystem
import TestSupport
import Testing

@testable import FootageMedia

@Suite struct RecorderCaseTests {
  private func near(_ one: Double, _ other: Double, _ tolerance: Double = 0.002) -> Bool {
    abs(one - other) < tolerance
  }

  // MARK: Times

  @Test func `a gap of eight hours is kept for sound and pictures alike`() throws {
    let recording = try RecorderCase("gap-8-hours")
    let source = try recording.source()
    #expect(
      near(source.pictures[75].time, 28_803.08) && near(recording.duration, 28_806.08, 0.05), "\(recording.duration)")
    for (name, shown) in [("mp4", try recording.served()), ("film", try recording.filmed())] {
      #expect(shown.pictures.map(\.hash) == source.pictures.map(\.hash), "\(name)")
      let shift = shown.pictures[0].time - source.pictures[0].time
      #expect(zip(shown.pictures, source.pictures).allSatisfy { near($0.time - $1.time, shift) }, "\(name)")
      let first = try #require(shown.sound.first { $0.time > 20_000 }, "\(name)")
      let expected = try #require(source.sound.first { $0.time > 20_000 })
      #expect(first.hash == expected.hash && near(first.time - expected.time, shift), "\(name): \(first.time)")
    }
    let playlist = try recording.playlist()
    #expect(playlist.discontinuities == 1 && near(playlist.seconds, 6.08, 0.1), "\(playlist.text)")
    #expect(playlist.values("EXT-X-PROGRAM-DATE-TIME").last == "2026-11-21T18:00:03.005Z", "\(playlist.text)")
    let clip = try recording.clip(28_803.08, 28_805.08)
    #expect(clip.pictures.count == 50 && near(clip.pictures[0].time, 0) && clip.sound[0].time <= 0.002)
  }

  @Test func `pictures and sound that begin late keep their distance`() throws {
    for (name, lead) in [("begins-at-5.5", 0.08), ("begins-at-3", 0.1775)] {
      let recording = try RecorderCase(name)
      let source = try recording.source()
      for (view, shown) in [("mp4", try recording.served()), ("film", try recording.filmed())] {
        #expect(near(shown.lead, lead), "\(name), \(view): \(shown.lead)")
        #expect(shown.pictures.map(\.hash) == source.pictures.map(\.hash), "\(name), \(view)")
        let shift = shown.pictures[0].time - source.pictures[0].time
        #expect(zip(shown.pictures, source.pictures).allSatisfy { near($0.time - $1.time, shift) }, "\(name), \(view)")
      }
      #expect(try recording.served().sound[0].time < 0.05, "\(name)")
      let clip = try recording.clip(1, 2)
      #expect(clip.pictures.count >= 25 && clip.pictures.count <= 26, "\(name): \(clip.pictures.count)")
    }
  }

  /// Recorders whose times go on from file to file.
  @Test(arguments: [0, 0.5, 9.9, 100.9, 1_795_169_730])
  func `a recording begins with its first sound, whatever its first time is`(seconds: Double) throws {
    let plain = try RecorderCase("plain-fragments")
    let late = try RecorderCase(RecorderFiles.moved(plain.bytes, by: seconds, timescales: [1: 90_000, 2: 44_100]))
    #expect(near(late.duration, 6.08, 0.02), "\(late.duration)")
    let (served, expected) = (try late.served(), try plain.served())
    #expect(served.pictures.map(\.hash) == expected.pictures.map(\.hash))
    for (one, other) in zip(served.pictures + served.sound, expected.pictures + expected.sound) {
      check(near(one.time, other.time), "\(one.time), not \(other.time)")
    }
    let playlist = try late.playlist()
    #expect(near(playlist.seconds, try plain.playlist().seconds), "\(playlist.text)")
    #expect(try playlist.values("EXT-X-PROGRAM-DATE-TIME") == plain.playlist().values("EXT-X-PROGRAM-DATE-TIME"))
    #expect(try late.clip(0, 3).pictures.count == plain.clip(0, 3).pictures.count)
    #expect(try late.keyFrame("4.5") == plain.keyFrame("4.5"))
  }

  @Test(arguments: [("wild-end", 3.08, 75), ("wild-middle", 6.08, 150), ("negative-delta", 6, 150)])
  func `a wild duration changes neither length nor timeline`(name: String, seconds: Double, count: Int) throws {
    let recording = try RecorderCase(name)
    #expect(near(recording.duration, seconds, 0.05), "\(recording.duration)")
    let source = try recording.source()
    for (view, shown) in [("mp4", try recording.served()), ("film", try recording.filmed())] {
      #expect(shown.pictures.map(\.hash) == source.pictures.map(\.hash) && shown.pictures.count == count, "\(view)")
      #expect(try #require(shown.pictures.last).time - shown.pictures[0].time < seconds, "\(view)")
    }
    let playlist = try recording.playlist()
    #expect(near(playlist.seconds, seconds, 0.1) && playlist.discontinuities == 0, "\(playlist.text)")
    #expect(try [75, 76].contains(recording.clip(2, 5).pictures.count) || seconds < 5)
    let container = try Tool.run(
      "ffprobe",
      [
        "-v", "error", "-show_entries", "format=duration", "-of", "csv=p=0",
        try recording.write(recording.index.served(from: recording.bytes), "served.mp4"),
      ])
    let length = Double(container.trimmingCharacters(in: .whitespacesAndNewlines))
    #expect(near(try #require(length), seconds, 0.1), "\(container)")
  }

  // MARK: Films

  @Test func `the target of a growing film stays through a gap`() throws {
    let bytes = try RecorderCase("gap-30-s-live").bytes
    let folder = try TemporaryFolder()
    var growing = try GrowingRecording(bytes)
    var before: String?
    while try growing.growByFragment() {
      guard let text = try growing.playlist() else { continue }
      let playlist = Playlist(text)
      #expect(PlaylistChecker.violations(in: text).isEmpty, "\(PlaylistChecker.violations(in: text)) \(text)")
      if let before {
        #expect(PlaylistChecker.violations(in: text, after: before).isEmpty, "\(text) after \(before)")
      }
      #expect(playlist.target == 12, "\(text)")
      before = text
    }
    let last = try #require(try growing.finish())
    let playlist = Playlist(last)
    #expect(PlaylistChecker.violations(in: last, after: try #require(before)).isEmpty, "\(last) after \(before ?? "")")
    #expect(playlist.discontinuities == 1 && playlist.seconds < 16, "\(last)")
    let path = folder.path("film.mp4")
    try Data(try growing.film()).write(to: URL(fileURLWithPath: path))
    let source = folder.path("source.mp4")
    try Data(bytes).write(to: URL(fileURLWithPath: source))
    #expect(try Presentation(of: path).pictures.map(\.hash) == Presentation(of: source).pictures.map(\.hash))
  }

  @Test func `a long group of pictures is one segment`() throws {
    let recording = try RecorderCase("group-of-250-s")
    let playlist = try recording.playlist()
    #expect(
      playlist.entries.map(\.seconds) == [250, 10] && playlist.has("EXT-X-INDEPENDENT-SEGMENTS"), "\(playlist.text)")
    let (film, source) = (
      try recording.write(recording.film.film(), "film.mp4"), try recording.write(recording.bytes, "source.mp4")
    )
    let (made, expected) = (try RecorderCase.decoded(film), try RecorderCase.decoded(source))
    #expect(made.count == 260 && made == expected)
  }

  @Test func `what an edit list cuts away is not in the film`() throws {
    let recording = try RecorderCase("edit-ends-early")
    #expect(near(recording.duration, 2))
    #expect(try recording.served().pictures.count == 50)
    #expect(try recording.clip(0, 2).pictures.count == 50)
    // Pictures that are shown later stay if an earlier one needs them: the recorder uses two in a row at most.
    let shown = try recording.filmed().pictures
    #expect((50...52).contains(shown.count), "\(shown.count)")
    #expect(try near(recording.playlist().seconds, 2, 0.1))
  }

  @Test func `a frame without bytes stops no reader`() throws {
    let recording = try RecorderCase("empty-sample")
    let film = try recording.filmed()
    let source = try recording.source()
    #expect(
      film.pictures.map(\.hash) == source.pictures.map(\.hash), "\(film.pictures.count) of \(source.pictures.count)")
    let match = try film.match(source)
    #expect(match.count == source.sound.count && near(match.picture - match.sound, source.lead), "\(match)")
    #expect(film.pictures.count >= 149 && film.sound.count >= 259)
    #expect(near(recording.duration, 6, 0.05), "\(recording.duration)")
    #expect(try recording.served().pictures.count == source.pictures.count)
  }

  /// No buffer of a player may have a hole.
  @Test func `sound that ends before the pictures goes on as silence in the film`() throws {
    let recording = try RecorderCase("sound-ends-early")
    let film = try recording.filmed()
    #expect(try film.pictures.count == 100 && near(recording.playlist().seconds, 10, 0.07))
    #expect(try #require(film.sound.last).time > 10 - 0.13, "\(film.sound.last?.time ?? 0)")
    let source = try recording.source()
    let match = try film.match(source)
    #expect(match.count == source.sound.count && near(match.picture - match.sound, source.lead))
    // The silent frames decode, and are silent.
    let path = try recording.write(recording.film.film(), "film.mp4")
    let said = try Command(
      "ffmpeg",
      arguments: ["-nostdin", "-v", "info", "-ss", "8.7", "-i", path, "-vn", "-af", "volumedetect", "-f", "null", "-"]
    ).run()
    #expect(said.succeeded && said.errors.contains("max_volume: -91.0 dB"), "\(said.errors.suffix(400))")
    #expect(!said.errors.contains("Error"), "\(said.errors)")
    // The recording itself and its clips are the recorder's.
    #expect(try recording.served().sound.map(\.hash) == source.sound.map(\.hash))
  }

  @Test func `a gap of 30 s is a discontinuity`() throws {
    let recording = try RecorderCase("gap-30-s")
    let playlist = try recording.playlist()
    #expect(playlist.discontinuities == 1 && near(playlist.seconds, 6.08, 0.1), "\(playlist.text)")
    #expect(
      playlist.values("EXT-X-PROGRAM-DATE-TIME") == ["2026-11-21T10:00:00.000Z", "2026-11-21T10:00:33.005Z"],
      "\(playlist.text)")
    #expect(near(recording.duration, 36.08, 0.02))
    // The recording and its clip keep the gap.
    let clip = try recording.clip(2, 34)
    #expect((49...51).contains(clip.pictures.count), "\(clip.pictures.count)")
    #expect(near(try #require(clip.pictures.last).time - clip.pictures[0].time, 31.96, 0.05))
    let sound = try #require(clip.sound.first { $0.time > 10 })
    let picture = try #require(clip.pictures.first { $0.time > 10 })
    #expect(near(picture.time - sound.time, 0.0743, 0.005), "\(picture.time) and \(sound.time)")
  }

  @Test func `a time in a gap begins with what comes after it`() throws {
    let film = try RecorderCase("gap-30-s").film
    let views = RecordingViews(film.index, film.source)
    let after =
      try #require(
        try film.index.segmentRows(0..<film.index.segmentCount, film.source).firstIndex(where: \.endsBeforeGap)) + 1
    #expect(after < film.index.segmentCount)
    for isCut in [false, true] {
      func segments(_ times: Range<Int64>) throws -> Range<Int> {
        try views.segments(of: times, isCutAtStart: isCut, isCutAtEnd: isCut)
      }
      #expect(try segments(10_000..<40_000) == after..<film.index.segmentCount)
      #expect(try segments(10_000..<20_000).isEmpty)
      #expect(try segments(0..<20_000) == 0..<after)
    }
  }

  @Test func `a hybrid recording by ffmpeg is watched while it grows`() throws {
    var growing = try GrowingRecording(try RecorderCase("hybrid-growing").bytes)
    while try growing.growByFragment() {}
    let text = try #require(try growing.playlist(), "it is not live")
    #expect(!Playlist(text).entries.isEmpty || growing.fragmentCount > 0, "\(text)")
    #expect(try #require(try growing.finish()).contains("#EXT-X-ENDLIST"))
  }

  // MARK: Pictures

  @Test(arguments: ["0", "0.5", "1.9", "3.3", "5.9"])
  func `what is marked as a key frame is looked into`(time: String) throws {
    let recording = try RecorderCase("no-flags")
    let all = try RecorderCase.decoded(recording.write(recording.bytes, "source.mp4"))
    let found = try recording.keyFrame(time)
    #expect(found.count == 1 && all.contains(found.first ?? ""), "\(found)")
    let start = try #require(Double(time))
    let clip = try RecorderCase.decoded(recording.clipPath(start, start + 1))
    let inside = try recording.source().pictures.count { $0.time >= start && $0.time < start + 1 }
    #expect([inside, inside + 1].contains(clip.count) && all.contains(clip.first ?? ""), "\(clip.count) of \(inside)")
  }

  @Test func `without a table of key frames the bitstream tells them`() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("source.mp4")
    _ = try Tool.run(
      "ffmpeg",
      [
        "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=96x64:r=10:d=30", "-c:v", "libx264", "-preset", "veryfast",
        "-g",
        "250", "-sc_threshold", "0", "-bf", "0", "-pix_fmt", "yuv420p", path,
      ])
    var bytes = try Bytes(Data(contentsOf: URL(fileURLWithPath: path)))
    let table = try #require(bytes.firstRange(of: ascii("stss")))
    bytes.replaceSubrange(table, with: ascii("free"))
    let recording = try RecorderCase(bytes)
    let all = try RecorderCase.decoded(path)
    #expect(all.count == 300)
    for (time, picture) in [("0", 0), ("8", 0), ("17", 0), ("24.9", 0), ("25", 250), ("29", 250)] {
      #expect(try recording.keyFrame(time) == [all[picture]], "\(time)")
    }
    #expect(try RecorderCase.decoded(recording.clipPath(15, 17)) == Array(all[150..<170]))
    let playlist = try recording.playlist()
    #expect(
      playlist.entries.map(\.seconds) == [25, 5] && playlist.has("EXT-X-INDEPENDENT-SEGMENTS"), "\(playlist.text)")
  }

  // MARK: Tracks

  @Test(arguments: ["slow-track-first", "thumbnail-first"])
  func `the track that most players can show is shown`(name: String) throws {
    let recording = try RecorderCase(name)
    #expect(recording.index.movie.video?.codec.hasPrefix("avc1") == true)
    #expect(recording.index.movie.videoTracks.count == 2)
    let film = try recording.filmed()
    #expect(try film.pictures.count == 75 && near(recording.playlist().seconds, 3, 0.1))
    #expect(try [25, 26].contains(recording.clip(1, 2).pictures.count))
    #expect(try recording.keyFrame("1.5").count == 1)
    for path in [try recording.write(recording.film.film(), "film.mp4"), try recording.clipPath(1, 2)] {
      let codec = try Tool.run(
        "ffprobe",
        ["-v", "error", "-select_streams", "v:0", "-show_entries", "stream=codec_name", "-of", "csv=p=0", path])
      #expect(codec.hasPrefix("h264"), "\(codec)")
    }
  }

  @Test func `spherical metadata is in every view`() throws {
    let recording = try RecorderCase("spherical")
    // The extended type of the box, by which players know it.
    let uuid: Bytes = [0xFF, 0xCC, 0x82, 0x63, 0xF8, 0x55, 0x4A, 0x93, 0x88, 0x14, 0x58, 0x7A, 0x02, 0x52, 0x1F, 0xDD]
    let film = recording.film
    let time = try #require(DecimalSeconds("2"))
    let views = [
      recording.index.served(from: recording.bytes), film.index.initializations[0].bytes,
      film.index.initializations[0].leadingAlone, film.content(try film.clip(1_000_000_000..<2_000_000_000)),
      film.content(try KeyFrame(at: time, of: film.index, film.source).composition),
      film.content(try KeyFrameMovie.make(every: time, speed: 2, of: film.index, film.source)),
    ]
    for (number, view) in views.enumerated() {
      guard let place = view.firstRange(of: uuid) else {
        Issue.record("view \(number) has no spherical metadata")
        continue
      }
      #expect(view[..<place.lowerBound].suffix(4).elementsEqual("uuid".utf8), "view \(number)")
    }
  }

  @Test func `fifty million samples of plain sound refuse nothing`() throws {
    let folder = try TemporaryFolder()
    let archive = Checkout.path("Tests/Fixtures/Recordings/pcm-50-million.mov.tgz")
    _ = try Tool.run("tar", ["-xzf", archive, "-C", folder.path("")])
    let file = try RandomAccessFile(path: folder.path("pcm50M.mov"))
    guard case .ready(let index) = try MovieIndex.make(of: file) else {
      Issue.record("not ready")
      return
    }
    #expect(near(index.movie.duration, 50_000_001 / 48_000, 0.05), "\(index.movie.duration)")
    #expect(index.movie.video?.codec.hasPrefix("avc1") == true && index.movie.audio != nil)
    let tables = try MovieTables.make(of: file)
    #expect(tables.tracks.map(\.sampleCount).max() == 50_000_001)
    let made = MemoryByteSource(try SampleIndex.make(of: tables, media: file).bytes)
    let views = RecordingViews(try SampleIndex(made), made)
    let playlist = Playlist(
      String(decoding: try views.mediaPlaylist(from: UnixTimestamp(milliseconds: 0), prefix: ""), as: UTF8.self))
    #expect(!playlist.entries.isEmpty && PlaylistChecker.violations(in: playlist.text).isEmpty, "\(playlist.text)")
    #expect(made.length < 200_000, "\(made.length) bytes for an index")
  }
}
