import FootageAPI
import FootageBase
import FootageMedia
import FootageSystem
import Foundation
import LinuxTestSupport
import Testing

@testable import FootageLibrary

/// Recordings with several video tracks: a slow one in HEVC, two of H.264, and sound.
@Suite struct VideoTrackTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func ready(
    _ options: String..., examiner: any FileIndexer = LocalFileIndexer()
  ) throws -> (LibraryFixture, Recording) {
    let fixture = try LibraryFixture(in: folder, examiner: examiner)
    try Fixtures.recordTracks(to: folder.path("x.tmp"), options)
    try FileManager.default.moveItem(atPath: folder.path("x.tmp"), toPath: folder.path("a.mp4"))
    try fixture.waitUntilReady("a")
    return (fixture, try #require(fixture["a"]))
  }

  private func bytes(_ representation: Representation) throws -> [UInt8] {
    try representation.bytes.bytes(at: 0, count: Int(representation.bytes.length))
  }

  @Test(arguments: [[], ["-movflags", "frag_keyframe+empty_moov+default_base_moof"]])
  func `the item lists all of them, and describes the one that films show`(options: [String]) throws {
    let item = try { () throws -> RecordingItem in
      let fixture = try LibraryFixture(in: folder)
      try Fixtures.recordTracks(to: folder.path("x.tmp"), options)
      try FileManager.default.moveItem(atPath: folder.path("x.tmp"), toPath: folder.path("a.mp4"))
      try fixture.waitUntilReady("a")
      defer { fixture.library.stop() }
      return try #require(fixture["a"]).item(at: UnixTimestamp(seconds: 0))
    }()
    #expect(item.videoTracks.map(\.number) == [1, 2, 3])
    #expect(item.videoTracks.map { $0.codec.prefix(4) } == ["hvc1", "avc1", "avc1"])
    #expect(item.videoTracks.map(\.width) == [64, 320, 160] && item.videoTracks.map(\.height) == [48, 240, 120])
    #expect(item.videoTracks.map { $0.frameRate?.rounded() } == [1, 25, 25])
    #expect(item.video?.codec == item.videoTracks[1].codec && item.video?.width == 320)
    // It is the same after a restart, from the catalog.
    let examiner = ScriptedExaminer()
    let again = try LibraryFixture(in: folder, examiner: examiner)
    try again.waitUntilReady("a")
    #expect(examiner.lookCount("a.mp4") == 0)
    #expect(try #require(again["a"]).item(at: UnixTimestamp(seconds: 0)).videoTracks == item.videoTracks)
  }

  @Test func `a recording with one video track lists that`() throws {
    let fixture = try LibraryFixture(in: folder)
    try put(Samples.moovLast, folder.path("a.mp4"))
    try fixture.waitUntilReady("a")
    let item = try #require(fixture["a"]).item(at: UnixTimestamp(seconds: 0))
    let video = try #require(item.video)
    #expect(
      item.videoTracks == [
        VideoTrack(
          number: 1, codec: video.codec, width: video.width, height: video.height, frameRate: video.frameRate)
      ])
    #expect(fixture["a"]?.severalVideoTracks?.isEmpty == true)
  }

  @Test func `each track has its own film, clips and pictures, under tags of their own`() throws {
    let (fixture, recording) = try ready()
    let library = fixture.library
    let films = try [nil, 1, 2, 3].map { try library.openFilm(recording, track: $0) }
    #expect(
      films.map(\.address)
        == [nil, 1, 2, 3].map { .version(FilmKey(ofRecording: "a", entityTag: recording.entityTag ?? ""), track: $0) })
    let parts: [(OpenFilm) throws -> Representation] = [
      { try $0.open(.initialization(entry: 0)) }, { try $0.open(.segment(0)) }, { try $0.open(.keyFrame(0)) },
      { try $0.keyFrame(at: .zero) }, { try $0.keyFrames(every: .zero, speed: 1) },
      { try $0.clip(start: .zero, end: nil) },
    ]
    for (number, part) in parts.enumerated() {
      let shown = try films.map(part)
      #expect(Set(shown.map(\.entityTag)).count == 4, "\(number): \(shown.map(\.entityTag))")
      #expect(shown.allSatisfy { VersionTag.belongsToView(entityTag: $0.entityTag) })
      let all = try shown.map(bytes)
      // Track 2 is the one that films show.
      #expect(all[0] == all[2] && all[1] != all[2] && all[3] != all[2], "\(number)")
    }
    for (track, codec) in [(1, "hevc"), (2, "h264"), (3, "h264")] {
      let path = folder.path("clip.mp4")
      try Data(try bytes(films[track].clip(start: .zero, end: nil))).write(to: URL(fileURLWithPath: path))
      let (clip, source) = (try Packets(of: path), try Packets(of: folder.path("a.mp4")))
      #expect(
        clip.streams.count == 2 && clip.streams[0]?.count == source.streams[track - 1]?.count, "\(track) \(codec)")
      #expect(clip.streams[0]?.dropFirst().map(\.hash) == source.streams[track - 1]?.dropFirst().map(\.hash))
      #expect(clip.streams[1]?.count == source.streams[3]?.count)
    }
  }

  @Test func `the views of a track are asked for by their targets`() throws {
    let (fixture, recording) = try ready()
    let library = fixture.library
    let variants = String(decoding: try bytes(library.open(recording, .playlist(track: 3))), as: UTF8.self)
    #expect(variants.contains("a.media.m3u8?track=3") && variants.contains("a.iframes.m3u8?track=3"))
    #expect(variants.contains("RESOLUTION=160x120"))
    let film = try library.openFilm(recording, track: 3)
    for view in [RecordingView.mediaPlaylist(id: nil, track: 3), .keyFramePlaylist(id: nil, track: 3)] {
      let text = String(decoding: try bytes(library.open(recording, view)), as: UTF8.self)
      #expect(text.contains("\n../\(film.address.folder)") && film.address.folder.hasSuffix("/t3/"), "\(text)")
    }
    let clip = try library.open(recording, .clip(start: .zero, end: nil, track: 3, version: nil))
    #expect(try clip.entityTag == film.clip(start: .zero, end: nil).entityTag)
    let picture = try library.open(recording, .keyFrame(at: .zero, track: 3, version: nil))
    #expect(try picture.entityTag == film.keyFrame(at: .zero).entityTag)
    let keys = try library.open(recording, .keyFrames(every: .zero, speed: 2, track: 3, version: nil))
    #expect(try keys.entityTag == film.keyFrames(every: .zero, speed: 2).entityTag)
  }

  @Test func `a number that the recording does not have is an error, and never another track`() throws {
    let catalog = try { () throws -> String in
      let (fixture, recording) = try ready()
      defer { fixture.library.stop() }
      try expectNoOtherTrack(of: recording, fixture.library)
      return fixture.library.place.catalog
    }()
    // A row of an earlier version does not say which tracks there are.
    try Database(path: catalog).execute("DROP TABLE video_tracks")
    let again = try LibraryFixture(in: folder)
    try again.waitUntilReady("a")
    let unknown = try #require(again["a"])
    #expect(unknown.videoTracks.isEmpty && unknown.video?.width == 320)
    #expect { try again.library.openFilm(unknown, track: 4) } throws: { error in
      if case LibraryError.nothingToShow("a", let reason) = error { reason.contains("no video track 4") } else { false }
    }
    #expect(try again.library.openFilm(unknown, track: 1).address.track == 1)
  }

  private func expectNoOtherTrack(of recording: Recording, _ library: RecordingLibrary) throws {
    for track in [4, 32] {
      for view in [
        RecordingView.playlist(track: track), .mediaPlaylist(id: nil, track: track),
        .keyFramePlaylist(id: nil, track: track), .clip(start: .zero, end: nil, track: track, version: nil),
        .keyFrame(at: .zero, track: track, version: nil),
        .keyFrames(every: .zero, speed: 1, track: track, version: nil),
      ] {
        #expect { try library.open(recording, view) } throws: { error in
          if case LibraryError.nothingToShow("a", let reason) = error {
            reason.contains("track \(track)")
          } else {
            false
          }
        }
      }
    }
  }

  @Test func `an inspection numbers the tracks, and judges the film of the one that is asked for`() throws {
    try Fixtures.recordTracks(to: folder.path("a.mp4"))
    let file = try RandomAccessFile(path: folder.path("a.mp4"))
    let usual = Inspection.of(file)
    #expect(usual.tracks.map(\.videoTrack) == [1, 2, 3, nil])
    let lines = { (inspection: Inspection) in
      inspection.text.split(separator: "\n").filter { $0.contains("video track ") }.map { $0.split(separator: " ") }
    }
    #expect(
      lines(usual).map { $0.dropFirst(2).joined(separator: " ") } == [
        "1: track=1 shows it", "2, which is shown", "3: track=3 shows it",
      ])
    let third = lines(Inspection.of(file, track: 3)).map { $0.dropFirst(2).joined(separator: " ") }
    #expect(third == ["1: track=1 shows it", "2: track=2 shows it", "3, which is shown"])
    #expect(Inspection.of(file, track: 4).hindrances?.map(\.description) == ["it has no video track 4"])
  }

  @Test func `an index is made once for many requests, and only few are kept`() throws {
    let indexes = TrackIndexes()
    let made = EventLog<Int>()
    func ask(_ number: Int, length: Int = 100) throws {
      let address = FilmAddress.version(FilmKey(ofRecording: "\(number)", entityTag: "00"), track: 1)
      _ = try indexes.index(of: address) { () throws(LibraryError) in
        made.append(number)
        return BoundComposition([UInt8](repeating: 1, count: length))
      }
    }
    for _ in 0..<3 { try ask(1) }
    #expect(made.all == [1] && indexes.count == 1)
    for number in 2...TrackIndexes.mostKept { try ask(number) }
    try ask(1)
    #expect(indexes.count == TrackIndexes.mostKept && made.all.count == TrackIndexes.mostKept)
    // The one that was used least recently goes.
    try ask(1_000)
    try ask(1)
    #expect(indexes.count == TrackIndexes.mostKept && made.all.last == 1_000)
    try ask(2)
    #expect(made.all.last == 2)
    // A large one makes many go, and one that is larger than all of the room is not kept.
    try ask(2_000, length: Int(TrackIndexes.mostBytes))
    #expect(indexes.count == 1)
    try ask(3_000, length: Int(TrackIndexes.mostBytes) + 1)
    #expect(indexes.count == 1)
    // An error is not kept.
    let address = FilmAddress.version(FilmKey(ofRecording: "x", entityTag: "00"), track: 1)
    for _ in 0..<2 {
      #expect(throws: LibraryError.self) {
        try indexes.index(of: address) { () throws(LibraryError) in throw .noSuchPart(name: "x") }
      }
    }
  }

  @Test func `two recordings with the same bytes and tag have two films, and a renamed one has another`() throws {
    let fixture = try LibraryFixture(in: folder)
    try put(Samples.moovLast, folder.path("a.mp4"))
    try FileManager.default.linkItem(atPath: folder.path("a.mp4"), toPath: folder.path("b.mp4"))
    try fixture.waitUntilReady("a")
    try fixture.waitUntilReady("b")
    let (one, two) = (try #require(fixture["a"]), try #require(fixture["b"]))
    let (first, second) = (try #require(one.filmKey), try #require(two.filmKey))
    #expect(one.entityTag == two.entityTag && first != second)
    let snapshot = fixture.library.snapshot
    #expect(snapshot.recording(film: first) === one && snapshot.recording(film: second) === two)
    #expect(snapshot.recording(film: FilmKey(ofRecording: "c", entityTag: one.entityTag ?? "")) == nil)
    try FileManager.default.moveItem(atPath: folder.path("a.mp4"), toPath: folder.path("c.mp4"))
    try fixture.waitUntilReady("c")
    try fixture.wait("the old name to go") { $0.recording(named: "a") == nil }
    let third = try #require(fixture["c"]?.filmKey)
    #expect(third != first && fixture.library.snapshot.recording(film: third) === fixture["c"])
    #expect(fixture.library.snapshot.recording(film: first) == nil)
  }
}
