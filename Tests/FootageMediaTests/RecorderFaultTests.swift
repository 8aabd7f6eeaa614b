/// Files as recorders write them, with times, marks and tables that are not what they seem.

import FootageBase
import TestSupport
import Testing

@testable import FootageMedia

@Suite struct RecorderFaultTests {
  /// Returns a file of pictures of one byte each.
  ///
  /// - Parameters:
  ///   - durations: runs of equal durations, in milliseconds.
  ///   - keys: the numbers of the key frames, from 1 on.
  private static func file(
    _ durations: [(count: Int, duration: Int)], keys: [Int] = [1], sizes: [Int: Int] = [:],
    edits: [(duration: Int, mediaTime: Int)] = [], sound: [(count: Int, duration: Int)] = [],
    soundEdits: [(duration: Int, mediaTime: Int)] = []
  ) -> Bytes {
    func tables(_ runs: [(count: Int, duration: Int)], offset: Int, sizes: [Int: Int]) -> Bytes {
      let count = runs.reduce(0) { $0 + $1.count }
      return table("stts", columns: 2, runs.flatMap { [$0.count, $0.duration & 0xFFFF_FFFF] })
        + table("stsc", columns: 3, [1, count, 1])
        + fullBox("stsz", be32(0), be32(count), (0..<count).flatMap { be32(sizes[$0] ?? 1) }) + table("stco", [offset])
    }
    let pictures = durations.reduce(0) { $0 + $1.count }
    let sounds = sound.reduce(0) { $0 + $1.count }
    var tracks = [
      TestTrack(edits: edits, tables: tables(durations, offset: 32, sizes: sizes) + table("stss", keys))
    ]
    if sounds > 0 {
      let entry = box("Opus", zeros(6), be16(1), zeros(8), be16(1), be16(16), zeros(4), be32(48_000 << 16))
      tracks.append(
        TestTrack(
          id: 2, handler: "soun", edits: soundEdits, sampleEntry: entry,
          tables: tables(sound, offset: 32 + pictures, sizes: [:])))
    }
    return testFileType + box("mdat", zeros(pictures + sounds)) + movie(tracks)
  }

  private static func samples(_ film: FilmSource) throws -> [IndexedSample] {
    try film.index.blocks(0..<film.index.blockCount, film.source).flatMap(\.leading)
  }

  private static func playlist(_ film: FilmSource) throws -> String {
    var playlist = FilmPlaylist(.segments)
    try playlist.append(
      segments: 0..<film.index.segmentCount, of: film.index, film.source, start: UnixTimestamp(milliseconds: 0),
      prefix: "")
    return String(decoding: playlist.text(), as: UTF8.self)
  }

  // MARK: Durations

  @Test func `a negative duration makes those after it shorter`() throws {
    let film = try FilmSource(Self.file([(5, 100), (1, -50), (20, 100)]))
    let times = try Self.samples(film).map(\.decodingTime)
    #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 }, "\(times)")
    // The clock is set back by 50 ms, and all later times follow.
    #expect(times.count == 26 && (2_350...2_370).contains(times[25]), "\(times)")
    #expect(try (2.44...2.47).contains(index(of: Self.file([(5, 100), (1, -50), (20, 100)])).movie.duration))
  }

  @Test(arguments: [1 << 31 - 5, 1 << 31 - 1, 11_000, 86_400_001])
  func `a wild duration of the last picture counts as the one before it`(duration: Int) throws {
    let bytes = Self.file([(9, 100), (1, duration)])
    let made = try index(of: bytes)
    #expect(made.movie.duration == 1)
    #expect(made.notes == ["durations that are negative, or far longer than all others, are mended"])
    #expect(try FilmSource(bytes).index.end == 1_000)
    #expect(try Self.samples(FilmSource(bytes)).map(\.duration) == Array(repeating: 100, count: 10))
  }

  /// The wild duration is longer than the gap, or shorter, and that of the sound may be wild, too.
  @Test(arguments: [23_860_000, 4_000_000, 60_000], [false, true])
  func `a gap is no measure of the last picture where there is sound`(duration: Int, isSoundWild: Bool) throws {
    let gap = 7_200_000
    let bytes = Self.file(
      [(10, 100), (1, gap), (10, 100), (1, duration)],
      sound: [(50, 20), (1, gap), (54, 20), (1, isSoundWild ? duration : 20)])
    let made = try index(of: bytes)
    #expect(abs(made.movie.duration - 7_202.1) < 0.05, "\(made.movie.duration)")
    #expect(try Self.samples(FilmSource(bytes)).last?.duration == 100)
  }

  /// Waits of pictures and of sound, in milliseconds, and whether sound shows that a picture lasts for two hours.
  @Test(arguments: [(0, 7_201_000, true), (7_000, 7_208_000, true), (0, 500, false), (7_201_000, 7_201_500, false)])
  func `sound that waits shows that a picture lasts long`(wait: Int, soundWait: Int, isMeant: Bool) throws {
    let bytes = Self.file(
      [(10, 100), (1, 7_200_000), (10, 100)], edits: wait > 0 ? [(wait, -1), (7_202_000, 0)] : [], sound: [(50, 20)],
      soundEdits: [(soundWait, -1), (1_000, 0)])
    let made = try index(of: bytes)
    #expect(made.notes.contains(MovieRepair.note) != isMeant, "\(made.notes)")
    let longest = try #require(try Self.samples(FilmSource(bytes)).map(\.duration).max())
    #expect((longest > 7_000_000) == isMeant, "\(longest)")
  }

  @Test func `a picture may last long`() throws {
    // The pictures are far apart, or the sound goes on.
    for bytes in [
      Self.file([(10, 20_000)]), Self.file([(9, 100), (1, 20_000)], sound: [(1_060, 20)]), Self.file([(1, 50_000)]),
    ] {
      let made = try index(of: bytes)
      #expect(made.notes.isEmpty && made.movie.duration >= 20)
    }
  }

  /// The runs of durations as pairs of a count and milliseconds, and the frame rate.
  private static let rates: [(runs: [[Int]], rate: Double)] = [
    ([[10, 40], [1, 20_000], [10, 40]], 25), ([[25, 40]], 25), ([[10, 60_000]], 1.0 / 60),
    ([[3, 40], [1, 80], [3, 40]], 21.875),
  ]

  @Test(arguments: rates.indices) func `the frame rate is that while pictures come`(number: Int) throws {
    let (runs, rate) = Self.rates[number]
    let video = try #require(try index(of: Self.file(runs.map { (count: $0[0], duration: $0[1]) })).movie.video)
    #expect(abs((video.frameRate ?? 0) - rate) < 0.001)
  }

  // MARK: Films

  @Test func `a film shows what the edit list shows, from the key frame before it`() throws {
    let film = try FilmSource(Self.file([(20, 100)], keys: [1, 6, 11, 16], edits: [(700, 800)]))
    let samples = try Self.samples(film)
    #expect(samples.map(\.decodingTime) == Array(stride(from: 500, to: 1_500, by: 100)))
    #expect(film.index.end == 700)
    #expect(try Self.playlist(film).contains("#EXTINF:1,\n0.m4s\n#EXT-X-ENDLIST"))
  }

  @Test func `samples without bytes are not in fragments`() throws {
    let film = try FilmSource(Self.file([(10, 100)], sizes: [0: 1, 3: 0, 4: 0]))
    let bytes = film.content(try FilmSegment.segment(0, of: film.index, film.source))
    let runs = Self.find("trun", in: bytes)
    #expect(runs.count == 1)
    // Version and flags, count, data offset, flags of the first sample; then duration and size of each.
    let fields = try #require(runs.first).dropFirst(16)
    let numbers = stride(from: fields.startIndex, to: fields.endIndex, by: 4).map { start in
      fields[start..<(start + 4)].reduce(0) { $0 << 8 | Int($1) }
    }
    let durations = stride(from: 0, to: numbers.count, by: 2).map { numbers[$0] }
    #expect(durations == [100, 100, 300, 100, 100, 100, 100, 100])
    #expect(stride(from: 1, to: numbers.count, by: 2).allSatisfy { numbers[$0] == 1 })
  }

  private static func find(_ type: String, in bytes: Bytes) -> [ArraySlice<UInt8>] {
    func boxes(_ range: Range<Int>) -> [Demuxed.Found] { Demuxed.boxes(bytes, range) }
    return boxes(0..<bytes.count).filter { $0.type == "moof" }.flatMap { boxes($0.content..<$0.end) }
      .filter { $0.type == "traf" }.flatMap { boxes($0.content..<$0.end) }.filter { $0.type == type }
      .map { bytes[$0.content..<$0.end] }
  }

  private static let keys = Array(stride(from: 1, through: 151, by: 10))

  @Test func `a gap is a discontinuity with a date, and lasts no longer than a picture`() throws {
    let film = try FilmSource(Self.file([(99, 100), (1, 30_000), (60, 100)], keys: Self.keys))
    let playlist = try Self.playlist(film)
    #expect(
      playlist == """
        #EXTM3U
        #EXT-X-VERSION:7
        #EXT-X-TARGETDURATION:6
        #EXT-X-PLAYLIST-TYPE:VOD
        #EXT-X-INDEPENDENT-SEGMENTS
        #EXT-X-MAP:URI="init.mp4"
        #EXT-X-PROGRAM-DATE-TIME:1970-01-01T00:00:00.000Z
        #EXTINF:6,
        0.m4s
        #EXTINF:4,
        1.m4s
        #EXT-X-DISCONTINUITY
        #EXT-X-MAP:URI="init.mp4"
        #EXT-X-PROGRAM-DATE-TIME:1970-01-01T00:00:39.900Z
        #EXTINF:6,
        2.m4s
        #EXT-X-ENDLIST

        """)
    let samples = try Self.samples(film)
    #expect(samples.count == 160 && samples[99].duration == 100 && samples[100].decodingTime == 39_900)
    #expect(film.index.end == 45_900)
    // A clip of the recording has the gap.
    let clip = film.content(try film.clip(9_000_000_000..<41_000_000_000))
    #expect(try index(of: clip).movie.duration == 32)
  }

  @Test func `what is shown or heard all the time has no gap`() throws {
    for bytes in [
      Self.file([(99, 100), (1, 9_000), (60, 100)], keys: Self.keys),
      // Pictures that are always far apart.
      Self.file([(20, 20_000)], keys: Array(1...20)),
      // Sound while there are no pictures.
      Self.file([(99, 100), (1, 30_000), (60, 100)], keys: Self.keys, sound: [(2_300, 20)]),
    ] {
      let playlist = try Self.playlist(try FilmSource(bytes))
      #expect(!playlist.contains("DISCONTINUITY"), "\(playlist)")
    }
  }

  @Test func `the last picture lasts as long as the sound`() throws {
    for (sounds, end) in [(250, 5_000), (53, 1_060), (40, 1_000)] {
      let film = try FilmSource(Self.file([(10, 100)], sound: [(sounds, 20)]))
      let last = try #require(try Self.samples(film).last)
      #expect(last.mediaTime + Int64(last.duration) == end)
    }
  }

  @Test func `in a growing film no segment is longer than its playlist says`() throws {
    var builder = SampleIndexBuilder(
      timing: TrackTiming(timescale: 10, origin: 0), soundTiming: nil, rules: .growing)
    var time: Int64 = 0
    for duration in [5, 5, 300, 5, 5, 110, 5, 72_000, 5, 5, 99, 99, 150] as [UInt32] {
      builder.leading.append(
        IndexedSample(
          offset: UInt64(time), decodingTime: time, compositionOffset: 0, duration: duration, size: 1, isSync: time == 0
        ))
      time += Int64(duration)
      _ = try builder.advance()
    }
    builder.isLeadingComplete = true
    _ = try builder.advance()
    let rows = builder.segments
    let gaps = rows.filter(\.endsBeforeGap).map(\.time)
    #expect(gaps == [0, 310, 430].map { Int64($0) })
    for (row, next) in zip(rows, rows.dropFirst().map(\.time) + [builder.end]) {
      let seconds = row.endsBeforeGap ? Double(row.shownTime) / 100_000 : Double(next - row.time) / 10
      #expect(seconds > 0 && seconds <= 12, "\(row)")
    }
  }

  /// Returns a builder of whole films that has cut these pictures, with ticks of a hundredth of a second.
  private static func cut(
    _ pictures: [(duration: Int, offset: Int)], keys: Set<Int>, seconds: Int = 0
  ) throws -> SampleIndexBuilder {
    let sound = seconds > 0 ? TrackTiming(timescale: 100, origin: 0) : nil
    var builder = SampleIndexBuilder(timing: TrackTiming(timescale: 100, origin: 0), soundTiming: sound, rules: .whole)
    func sample(_ time: Int, _ offset: Int, _ duration: Int, isKey: Bool) -> IndexedSample {
      IndexedSample(
        offset: UInt64(time), decodingTime: Int64(time), compositionOffset: Int32(offset), duration: UInt32(duration),
        size: 1, isSync: isKey)
    }
    var time = 0
    for (index, picture) in pictures.enumerated() {
      builder.leading.append(sample(time, picture.offset, picture.duration, isKey: keys.contains(index)))
      time += picture.duration
    }
    for second in 0..<seconds { builder.sound.append(sample(second * 100, 0, 100, isKey: true)) }
    builder.isLeadingComplete = true
    builder.isSoundComplete = true
    _ = try builder.advance()
    return builder
  }

  @Test(arguments: [2_000, 9_000]) func `nothing is left out where no decoder can begin`(length: Int) throws {
    for seconds in [0, length / 100 + 2] {
      let pictures = [(4, 0), (4, 0), (length, 0)] + Array(repeating: (4, 0), count: 50)
      let whole = try Self.cut(pictures, keys: [0], seconds: seconds)
      #expect(whole.segments.map(\.endsBeforeGap) == [false])
      #expect(whole.end == Int64(length + 208))
      let apart = try Self.cut(pictures, keys: [0, 3], seconds: seconds)
      #expect(apart.segments.map(\.endsBeforeGap) == [seconds == 0, false])
      #expect(apart.segments.last?.time == Int64(length + 8))
    }
  }

  @Test func `pictures that are shown after a gap are decoded after it`() throws {
    // The order of two pictures is changed, as encoders write it: decoding times jump two pictures too late.
    let before = Array(repeating: (duration: 4, offset: 8), count: 10)
    let after = Array(repeating: (duration: 4, offset: 8), count: 10)
    let key = try Self.cut(before + [(4, 2_508), (2_504, 2_512)] + after, keys: [0, 10])
    #expect(key.segments.map(\.time) == [8, 2_548] && key.segments.map(\.endsBeforeGap) == [true, false])
    #expect(key.end == 2_596)
    // Not with a key frame.
    let midway = try Self.cut(before + [(4, 2_508), (2_504, 2_512)] + after, keys: [0])
    #expect(midway.segments.map(\.time) == [8] && midway.end == 2_596)
  }

  // MARK: Marks and counts

  @Test func `a picture that is marked as a key frame is one, or the mark does not count`() throws {
    for name in ["moov-last.mp4", "hevc.mp4"] {
      let bytes = try Zoo.bytes(name)
      let right = try FilmSource(bytes)
      // Without the list of sync samples, all samples are some.
      let wrong = try FilmSource(bytes.replacing(Array("stss".utf8), with: Array("free".utf8)))
      #expect(try Self.samples(wrong).map(\.isSync) == Self.samples(right).map(\.isSync), "\(name)")
      #expect(try Self.samples(right).contains { !$0.isSync } == true)
      let made = try SampleIndex.make(of: wrong.tables, media: MemoryByteSource(wrong.bytes))
      #expect(made.notes.contains { $0.hasPrefix("the recorder marks pictures as key frames that are none") })
      let notes = try SampleIndex.make(of: right.tables, media: MemoryByteSource(right.bytes)).notes
      #expect(!notes.contains { $0.hasPrefix("the recorder marks") })
    }
  }

  /// A file with zeros between its parts.
  private struct Sparse: ByteSource {
    var parts: [(start: UInt64, bytes: Bytes)]
    var length: UInt64

    func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) {
      for index in buffer.indices { buffer[index] = 0 }
      for (start, bytes) in parts {
        let end = min(start + UInt64(bytes.count), offset + UInt64(buffer.count))
        guard max(start, offset) < end else { continue }
        for place in max(start, offset)..<end { buffer[Int(place - offset)] = bytes[Int(place - start)] }
      }
    }
  }

  /// Returns a file with a picture and a run of plain sound in each fragment.
  ///
  /// - Parameter sizes: of each fragment the size of a sample of its sound, and the number of these samples.
  private static func plainFragments(_ sizes: [[Int]]) -> Sparse {
    let sound = TestTrack(
      id: 2, handler: "soun", timescale: 48_000,
      sampleEntry: box("sowt", zeros(6), be16(1), zeros(8), be16(1), be16(16), zeros(4), be32(48_000 << 16)))
    let extends = box("mvex", trackExtends(duration: 1_000, size: 4), trackExtends(2, duration: 1, size: 2))
    var source = Sparse(parts: [(0, testFileType + movie([TestTrack(), sound], extras: extends))], length: 0)
    var place = UInt64(source.parts[0].bytes.count)
    var time = 0
    for (size, count) in sizes.map({ ($0[0], $0[1]) }) {
      func moof(_ start: Int) -> Bytes {
        let pictures = box(
          "traf", fullBox("tfhd", flags: 0x2_0000, be32(1)), fullBox("tfdt", version: 1, be64(time / 48)),
          fullBox("trun", flags: 1, be32(1), be32(start)))
        let sounds = box(
          "traf", fullBox("tfhd", flags: 0x2_0010, be32(2), be32(size)), fullBox("tfdt", version: 1, be64(time)),
          fullBox("trun", flags: 1, be32(count), be32(start + 4)))
        return box("moof", fullBox("mfhd", be32(1)), pictures, sounds)
      }
      let head = moof(moof(0).count + 16) + be32(1) + ascii("mdat") + be64(20 + size * count)
      source.parts.append((place, head))
      place += UInt64(head.count + 4 + size * count)
      time += count
    }
    source.length = place
    return source
  }

  @Test func `hours of plain sound in fragments are counted by runs`() throws {
    let source = Self.plainFragments(Array(repeating: [2, 96_000_000], count: 3))
    guard case .ready(let index) = try MovieIndex.make(of: source) else {
      Issue.record("not ready")
      return
    }
    #expect(index.movie.duration == 6_000 && index.movie.audio?.sampleRate == 48_000 && index.notes.isEmpty)
    let tables = try MovieTables.make(of: source, by: index)
    #expect(tables.tracks.map(\.sampleCount) == [3, 288_000_000])
    #expect(index.preamble.count < 2_000)
    let made = try SampleIndex.make(of: tables, media: source)
    #expect(made.shift != nil && made.notes.contains { $0.hasPrefix("films have no sound") })
  }

  @Test(arguments: [[[2, 1_000], [3, 51_000_000]], [[2, 1 << 31], [2, 1 << 31]]])
  func `pictures stay without sound that is too much`(sizes: [[Int]]) throws {
    let source = Self.plainFragments(sizes)
    guard case .ready(let index) = try MovieIndex.make(of: source) else {
      Issue.record("not ready")
      return
    }
    #expect(index.movie.audio == nil && index.movie.video != nil)
    #expect(index.notes.contains { $0.hasPrefix("a track of type 'soun' is left out: ") }, "\(index.notes)")
    #expect(try MovieTables.make(of: source, by: index).tracks.map(\.sampleCount) == [2])
  }

  @Test func `an hour of plain sound is counted by chunks`() throws {
    let count = 172_800_000
    let pictures = TestTrack(tables: tables(sizes: [1, 1, 1], duration: 1_200_000, perChunk: 3, offsets: [2_000]))
    let sound = TestTrack(
      id: 2, handler: "soun", timescale: 48_000,
      sampleEntry: box("sowt", zeros(6), be16(1), zeros(8), be16(1), be16(16), zeros(4), be32(48_000 << 16)),
      tables: table("stts", columns: 2, [count, 1]) + table("stsc", columns: 3, [1, count, 1])
        + fullBox("stsz", be32(2), be32(count)) + table("stco", [3_000]))
    var start = testFileType + movie([pictures, sound])
    start += be32(1) + ascii("mdat") + be64(2 * count + 4_000)
    let source = Sparse(parts: [(0, start)], length: UInt64(start.count + 2 * count + 4_000 - 16))
    guard case .ready(let index) = try MovieIndex.make(of: source) else {
      Issue.record("not ready")
      return
    }
    #expect(index.notes.isEmpty && index.movie.duration == 3_600 && index.movie.audio?.sampleRate == 48_000)
    let tables = try MovieTables.make(of: source, by: index)
    #expect(tables.tracks.map(\.sampleCount) == [3, count])
    let made = try SampleIndex.make(of: tables, media: source)
    #expect(made.shift != nil && made.notes.contains { $0.hasPrefix("films have no sound") })
  }
}
