/// Films and clips as ffmpeg reads them, compared with the recordings that they are made from.

import FootageBase
import Foundation
import TestSupport
import Testing

@testable import FootageMedia

/// A recording with its index, and the content of its views.
struct FilmSource {
  let bytes: Bytes
  let tables: MovieTables
  let index: SampleIndex
  let source: MemoryByteSource

  init(_ bytes: Bytes) throws {
    self.bytes = bytes
    tables = try MovieTables.make(of: MemoryByteSource(bytes))
    source = MemoryByteSource(try SampleIndex.make(of: tables, media: MemoryByteSource(bytes)).bytes)
    index = try SampleIndex(source)
    if index.shift != nil { try checkFilm() }
  }

  func content(_ view: Composition) -> Bytes {
    view.slices.flatMap { slice -> Bytes in
      switch slice {
      case .literal(let literal): Bytes(literal)
      case .range(_, let range): Bytes(bytes[Int(range.lowerBound)..<Int(range.upperBound)])
      }
    }
  }

  /// Returns its first init segment and all segments.
  func film() throws -> Bytes {
    try (0..<index.segmentCount).reduce(index.initializations[0].bytes) { film, number in
      film + content(try FilmSegment.segment(number, of: index, source))
    }
  }

  func clip(_ times: Range<Int64>) throws -> Composition {
    var clip = Clip()
    try clip.append(Clip.Wanted(times: times), of: index, source)
    let composition = try clip.composition()
    let found = MediaChecker.violations(ofClip: content(composition))
    check(found.isEmpty, "clip \(times): \(found.prefix(4))")
    return composition
  }

  /// The playlists of the film: its variants, its segments, and its key frames, or nil if it has no pictures.
  func playlists() throws -> (variants: String, media: String, keyFrames: String?) {
    let views = RecordingViews(index, source)
    let start = UnixTimestamp(milliseconds: 1_795_255_200_000)
    let variants = try views.variants(media: "m.m3u8", keyFrames: "k.m3u8")
    let media = try views.mediaPlaylist(from: start, prefix: "")
    let keyFrames = index.leading.handler == "vide" ? try? views.keyFramePlaylist(from: start, prefix: "") : nil
    return (
      String(decoding: variants, as: UTF8.self), String(decoding: media, as: UTF8.self),
      keyFrames.map { String(decoding: $0, as: UTF8.self) }
    )
  }

  /// Checks all playlists and segments of the film against the rules of `PlaylistChecker` and `MediaChecker`.
  private func checkFilm() throws {
    let playlists = try playlists()
    for text in [playlists.variants, playlists.media, playlists.keyFrames].compactMap({ $0 }) {
      let found = PlaylistChecker.violations(in: text)
      check(found.isEmpty, "\(found.prefix(4)) in \(text.prefix(2_000))")
    }
    let media = Playlist(playlists.media)
    check(media.entries.count == index.segmentCount, "\(media.entries.count) of \(index.segmentCount) segments")
    var received: [PlaylistChecker.Received] = []
    for (number, entry) in media.entries.enumerated() {
      let bytes = content(try FilmSegment.segment(number, of: index, source))
      let initialization = try index.segmentRows(number..<(number + 1), source)[0].initialization
      let found = MediaChecker.violations(
        ofSegment: bytes, initialization: index.initializations[initialization].bytes, seconds: entry.seconds,
        beginsFilm: number == 0 || entry.has("EXT-X-DISCONTINUITY"),
        isIndependent: media.has("EXT-X-INDEPENDENT-SEGMENTS"))
      check(found.isEmpty, "segment \(number): \(found.prefix(4))")
      received.append(PlaylistChecker.Received(bytes: bytes.count, seconds: entry.seconds ?? 0))
    }
    let found = PlaylistChecker.violations(in: playlists.variants, of: received, target: media.target ?? 0)
    check(found.isEmpty, "\(found)")
  }
}

@Suite struct FilmTests {
  @Test func `a film has the recording's packets, at its times and a shift for all`() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("film.mp4")
    for name in try Zoo.made.get().names {
      let film = try FilmSource(try Zoo.bytes(name))
      try Data(try film.film()).write(to: URL(fileURLWithPath: path))
      let packets = try Packets(of: path)
      let shift = Int64(try #require(film.index.shift, "\(name)"))
      for (stream, indexed) in [film.index.leading, film.index.sound].enumerated() {
        guard let indexed else { continue }
        let track = try #require(film.tables.tracks.first { $0.id == indexed.id })
        var found = try #require(packets.streams[stream], "\(name), stream \(stream)")
        if track.handler == "soun" {
          // Silence is there where the recording has no sound.
          let times = Set(
            (0..<track.sampleCount).map { "\(track.presentationTime(of: $0) + shift * Int64(track.timescale))" })
          found = found.filter { times.contains($0.pts) }
        }
        #expect(found.count == track.sampleCount, "\(name), stream \(stream)")
        for (sample, packet) in found.enumerated() where sample < track.sampleCount {
          let ticks = track.presentationTime(of: sample) + shift * Int64(track.timescale)
          check(packet.pts == "\(ticks)", "\(name), stream \(stream), sample \(sample): \(packet.pts) for \(ticks)")
          check(packet.isKey == (track.isSync(sample) || track.handler == "soun"), "\(name), sample \(sample)")
        }
      }
    }
  }

  @Test func `a segment is a head and few pieces of the recorder's file`() throws {
    for name in try Zoo.made.get().names {
      let film = try FilmSource(try Zoo.bytes(name))
      for number in 0..<film.index.segmentCount {
        let segment = try FilmSegment.segment(number, of: film.index, film.source)
        guard case .literal = segment.slices[0] else {
          Issue.record("\(name): no head")
          continue
        }
        let media = segment.length - segment.slices[0].length
        let row = try film.index.segmentRows(number..<(number + 1), film.source)[0]
        // Bytes of another camera, of sound that is left out, or of boxes between pictures lie between these.
        let isScattered = ["two-cameras", "pcm", "every-frame"].contains { name.contains($0) }
        #expect(segment.slices.count <= (isScattered ? 130 : 4), "\(name), segment \(number)")
        #expect(media <= UInt64(row.mediaBytes) * 21 / 20, "\(name): \(media) for \(row.mediaBytes)")
      }
    }
  }

  /// Returns decoded pictures with their times in seconds.
  private static func frames(_ path: String) throws -> [(time: Double, hash: String)] {
    let text = try Tool.run(
      "ffmpeg",
      [
        "-v", "error", "-i", path, "-map", "0:v:0", "-fps_mode", "passthrough", "-enc_time_base", "1:90000", "-f",
        "framemd5", "-",
      ])
    var scale = 1.0
    return text.split(separator: "\n").compactMap { line in
      if line.hasPrefix("#tb 0: ") {
        let parts = line.dropFirst(7).split(separator: "/").compactMap { Double($0) }
        if parts.count == 2 { scale = parts[0] / parts[1] }
      }
      guard !line.hasPrefix("#") else { return nil }
      let fields = line.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
      guard fields.count > 5, let pts = Double(fields[2]) else { return nil }
      return (pts * scale, fields[5])
    }
  }

  @Test func `a clip shows the frames of its time`() throws {
    let folder = try TemporaryFolder()
    let (served, path) = (folder.path("served.mp4"), folder.path("clip.mp4"))
    let seed = TestRun.seed(of: "clips")
    var random = SeededGenerator(seed: seed)
    for name in ["moov-last.mp4", "frag-keyframe.mp4", "gst-progressive.mp4", "no-b-frames.mp4", "negative-cts.mp4"] {
      let bytes = try Zoo.bytes(name)
      let film = try FilmSource(bytes)
      try Data(try index(of: bytes).served(from: bytes)).write(to: URL(fileURLWithPath: served))
      let all = try Self.frames(served)
      for _ in 0..<12 {
        let start = Int64.random(in: 0..<3_000, using: &random)
        let end = start + .random(in: 200..<1_000, using: &random)
        try Data(film.content(try film.clip(start * 1_000_000..<end * 1_000_000))).write(to: URL(fileURLWithPath: path))
        let found = try Self.frames(path).map(\.hash)
        // The clip begins with the picture that is on the screen then.
        let first = all.lastIndex { $0.time <= Double(start) / 1_000 + 0.000_01 } ?? 0
        let wanted = all[first...].prefix { $0.time < Double(end) / 1_000 }.map(\.hash)
        #expect(found == wanted, "\(name), \(start) to \(end) ms, seed \(seed)")
        #expect(!wanted.isEmpty)
      }
    }
  }

  /// The clip needs pictures at its end that are not shown.
  @Test(arguments: [1_900, 1_933, 1_966, 2_000] as [Int64])
  func `a clip of several recordings plays on where one follows another`(end: Int64) throws {
    let folder = try TemporaryFolder()
    let (served, path) = (folder.path("served.mp4"), folder.path("clip.mp4"))
    let bytes = try Zoo.bytes("moov-last.mp4")
    let film = try FilmSource(bytes)
    try Data(try index(of: bytes).served(from: bytes)).write(to: URL(fileURLWithPath: served))
    let all = try Self.frames(served)
    let length: Int64 = 4_000_000_000
    var clip = Clip()
    // A gap of up to a second is filled by the last picture; a longer one is left out.
    for wanted in [
      Clip.Wanted(times: 1_500_000_000..<length, isLast: false), Clip.Wanted(times: 0..<length, isLast: false),
      Clip.Wanted(times: 0..<length, gap: 500_000_000, isLast: false),
      Clip.Wanted(times: 0..<(end * 1_000_000), gap: 60_000_000_000),
    ] {
      try clip.append(wanted, of: film.index, film.source)
    }
    // The same file four times, so all sources are one here.
    let joined = film.content(try clip.composition())
    #expect(MediaChecker.violations(ofClip: joined) == [])
    try Data(joined).write(to: URL(fileURLWithPath: path))
    let found = try Self.frames(path)
    let first = try #require(all.lastIndex { $0.time <= 1.5 })
    let wanted =
      all[first...].map { (max(0, $0.time - 1.5), $0.hash) } + all.map { ($0.time + 2.5, $0.hash) }
      + all.map { ($0.time + 7, $0.hash) }
      + all.filter { $0.time < Double(end) / 1_000 }.map { ($0.time + 11, $0.hash) }
    #expect(found.map(\.hash) == wanted.map(\.1))
    for (frame, expected) in zip(found, wanted) {
      // ffmpeg puts the first picture at the clip's beginning, even if it is shown a little later.
      let (time, expectedTime) = (frame.time - found[0].time, expected.0 - wanted[0].0)
      check(abs(time - expectedTime) < 0.002, "at \(time), not at \(expectedTime)")
    }
    // No gap in the sound is longer than one frame.
    let sound = try #require(try Packets(of: path).streams[1])
    #expect((581...594).contains(sound.count), "\(sound.count)")
  }

  @Test func `what a clip cannot be made of is told`() throws {
    let film = try FilmSource(try Zoo.bytes("moov-last.mp4"))
    #expect(throws: ViewError.outside) { try film.clip(60_000_000_000..<61_000_000_000) }
    var clip = Clip()
    try clip.append(Clip.Wanted(times: 0..<1_000_000_000), of: film.index, film.source)
    let other = try FilmSource(try Zoo.bytes("hevc.mp4"))
    #expect(throws: ViewError.formatsDiffer) {
      try clip.append(Clip.Wanted(times: 0..<1_000_000_000), of: other.index, other.source)
    }
    #expect(throws: ViewError.noSuchPart) {
      try FilmSegment.segment(film.index.segmentCount, of: film.index, film.source)
    }
    #expect(throws: ViewError.noSuchPart) { try FilmSegment.segment(-1, of: film.index, film.source) }
  }

  /// A recorder measures the bit rates again for each file.
  @Test func `recordings of one format go into one clip whatever their bit rates`() throws {
    let bytes = try Zoo.bytes("moov-last.mp4")
    let film = try FilmSource(bytes)
    /// Returns the recording with different bytes after each occurrence of a pattern.
    func changed(_ pattern: [UInt8], _ places: Range<Int>) throws -> Bytes {
      var changed = bytes
      let starts = bytes.indices.dropLast(pattern.count + places.upperBound).filter {
        bytes[$0] == pattern[0] && bytes[$0..<($0 + pattern.count)].elementsEqual(pattern)
      }
      try #require(!starts.isEmpty)
      for start in starts { for place in places { changed[start + pattern.count + place] ^= 1 } }
      return changed
    }
    func join(_ other: Bytes) throws {
      let other = try FilmSource(other)
      var clip = Clip()
      try clip.append(Clip.Wanted(times: 0..<1_000_000_000), of: film.index, film.source)
      try clip.append(Clip.Wanted(times: 0..<1_000_000_000), of: other.index, other.source)
      #expect(try clip.composition().length > 0)
    }
    // BitRateBox: three numbers. DecoderConfigDescriptor: AAC, an audio stream, a size and two rates.
    try join(changed(Array("btrt".utf8), 0..<12))
    try join(changed([0x40, 0x15], 0..<11))
    for (pattern, places) in [
      (Array("avcC".utf8), 1..<2), ([0x40, 0x15], 17..<18), (Array("btrt".utf8), -1..<0), (Array("pasp".utf8), 3..<4),
    ] {
      #expect(throws: ViewError.formatsDiffer, "\(pattern)") { try join(changed(pattern, places)) }
    }
  }

  /// QuickTime has its own sound descriptions, and zeros after the boxes of a picture's description.
  @Test(arguments: ["timecode.mov", "gst-qtmux.mov", "moov-last.mp4"])
  func `an init segment describes sound and pictures as ISO does`(name: String) throws {
    let film = try FilmSource(try Zoo.bytes(name))
    let bytes = film.index.initializations[0].bytes
    func place(of type: String) throws -> Int {
      try #require(bytes.indices.first { bytes[$0...].starts(with: Array(type.utf8)) }, "\(name): no \(type)") - 4
    }
    func size(at place: Int) -> Int { Int(bytes.borrowedSpan.uint32(at: place)) }
    // AudioSampleEntry (ISO/IEC 14496-12 §12.2.3): 36 bytes with its header, version 0, then boxes, of which esds is
    // the first.
    let sound = try place(of: "mp4a")
    #expect(bytes[(sound + 16)..<(sound + 24)].allSatisfy { $0 == 0 }, "\(name): version, revision and vendor")
    #expect(try place(of: "esds") == sound + 36)
    #expect(bytes.borrowedSpan.uint32(at: sound + 32) == 48_000 << 16)
    // VisualSampleEntry (§12.1.3): 86 bytes with its header, then boxes up to its end.
    let picture = try place(of: "avc1")
    var next = picture + 86
    while next < picture + size(at: picture) {
      try #require(size(at: next) >= 8, "\(name): \(size(at: next)) bytes at \(next - picture) of the entry")
      next += size(at: next)
    }
    #expect(next == picture + size(at: picture))
    let movie = try film.index.initializations[0].movie(ofAll: true)
    let described = movie.tracks.map { $0.sampleEntries[0] }
    #expect(
      described.map(\.codec)
        == film.tables.movie.tracks.filter { $0.handler != "tmcd" }.map { $0.sampleEntries[0].codec })
    #expect(described[1].channels == (name.hasPrefix("gst") ? 2 : 1))
  }

  @Test func `a time lapse has a key frame for each so many seconds`() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("lapse.mp4")
    let film = try FilmSource(try Zoo.bytes("moov-last.mp4"))
    let lapse = try KeyFrameMovie.make(every: try #require(DecimalSeconds("2")), speed: 4, of: film.index, film.source)
    try Data(film.content(lapse)).write(to: URL(fileURLWithPath: path))
    let frames = try Self.frames(path)
    #expect(frames.count == 2 && abs((frames.last?.time ?? 0) - 0.5) < 0.001, "\(frames)")
  }

  @Test func `playlists are of the standard, relative, and as long as the recording`() throws {
    let film = try FilmSource(try Zoo.bytes("moov-last.mp4"))
    var playlist = FilmPlaylist(.segments)
    let start = UnixTimestamp(milliseconds: 1_795_255_200_066)
    try playlist.append(
      segments: 0..<film.index.segmentCount, of: film.index, film.source, start: start, prefix: "../hls/0123/")
    #expect(
      String(decoding: playlist.text(), as: UTF8.self) == """
        #EXTM3U
        #EXT-X-VERSION:7
        #EXT-X-TARGETDURATION:5
        #EXT-X-PLAYLIST-TYPE:VOD
        #EXT-X-INDEPENDENT-SEGMENTS
        #EXT-X-MAP:URI="../hls/0123/init.mp4"
        #EXT-X-PROGRAM-DATE-TIME:2026-11-21T10:00:00.066Z
        #EXTINF:4.03150,
        ../hls/0123/0.m4s
        #EXT-X-ENDLIST

        """)
    var keys = FilmPlaylist(.keyFrames)
    try keys.append(keyFramesOf: film.index, film.source, start: start, prefix: "")
    #expect(
      String(decoding: keys.text(), as: UTF8.self) == """
        #EXTM3U
        #EXT-X-VERSION:7
        #EXT-X-TARGETDURATION:2
        #EXT-X-PLAYLIST-TYPE:VOD
        #EXT-X-I-FRAMES-ONLY
        #EXT-X-MAP:URI="video.mp4"
        #EXT-X-PROGRAM-DATE-TIME:2026-11-21T10:00:00.087Z
        #EXTINF:1,
        k0.m4s
        #EXTINF:1,
        k1.m4s
        #EXTINF:1,
        k2.m4s
        #EXTINF:1.01050,
        k3.m4s
        #EXT-X-ENDLIST

        """)
    let variants = try FilmVariants.playlist(of: film.index, film.source, media: "m.m3u8", keyFrames: "k.m3u8")
    let lines = String(decoding: variants, as: UTF8.self).split(separator: "\n")
    #expect(lines.contains("m.m3u8") && lines.contains { $0.hasPrefix("#EXT-X-STREAM-INF:BANDWIDTH=") })
    #expect(lines.contains { $0.hasPrefix("#EXT-X-I-FRAME-STREAM-INF:") && $0.hasSuffix(",URI=\"k.m3u8\"") })
  }
}
