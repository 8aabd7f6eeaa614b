/// The statistics that `footage inspect` prints for a stream, compared with a plain count.

import FootageBase
import FootageMedia
import TestSupport
import Testing

@Suite struct SampleStatisticsTests {
  private static func track(_ bytes: Bytes) throws -> SampleStatistics {
    let inspection = Inspection.of(MemoryByteSource(bytes))
    return try #require(inspection.tracks.first?.statistics, "\(inspection.verdict)")
  }

  /// Returns a track of samples of a tenth of a second, with these sizes, composition offsets and sync samples.
  private static func file(
    sizes: [Int], offsets: [Int] = [], sync: [Int], edits: [(duration: Int, mediaTime: Int)] = [],
    duration: Int = 100, others: [TestTrack] = []
  ) -> Bytes {
    func head(_ start: Int) -> Bytes {
      let ctts =
        offsets.isEmpty ? [] : table("ctts", version: 1, columns: 2, offsets.flatMap { [1, $0] })
      let track = TestTrack(
        edits: edits,
        tables: tables(sizes: sizes, duration: duration, perChunk: sizes.count, offsets: [start]) + ctts
          + table("stss", sync))
      return testFileType + movie([track] + others)
    }
    return head(head(0).count + 8) + box("mdat", zeros(sizes.reduce(0, +)))
  }

  @Test func `statistics of any tables are those of a plain count`() throws {
    let seed = TestRun.seed(of: "random tables")
    for round in 0..<150 {
      var random = SeededGenerator(seed: seed &+ UInt64(round))
      let bytes = RandomTrack(using: &random).file
      let samples = try Demuxed(bytes).tracks[0].samples
      let place = "seed \(seed), round \(round)"
      let found = try Self.track(bytes)
      check(found.sampleCount == samples.count && !found.isAbridged, place)
      let byteCount = samples.reduce(0) { $0 + $1.data.count }
      check(Int(found.byteCount) == byteCount, place)
      // Ticks are milliseconds. The sum is over the samples that are decoded in the second after each sample.
      let peak = samples.map { first in
        samples.filter { $0.dts >= first.dts && $0.dts < first.dts + 1_000 }.reduce(0) { $0 + $1.data.count }
      }.max()
      if let rate = found.peakBitRate { check(Int(rate) == (peak ?? 0) * 8, "\(place): \(rate), \(peak ?? 0)") }
      let depth = samples.indices.map { index in
        samples[max(0, index - 16)..<index].filter { $0.pts > samples[index].pts }.count
      }.max()
      check(found.reorderDepth == depth, "\(place): \(found.reorderDepth), \(depth ?? 0)")
      let keys = samples.indices.filter { samples[$0].isSync }
      check(found.groups.count == keys.count && found.groups.framesBefore == keys.first ?? samples.count, place)
      let open = keys.filter { $0 + 1 < samples.count && samples[$0 + 1].pts < samples[$0].pts }
      check(found.groups.openCount == open.count, place)
      let frames = zip(keys, keys.dropFirst()).map { $1 - $0 }
      guard let last = keys.last else { continue }
      check(found.groups.frames.longest == max(frames.max() ?? 0, samples.count - last), place)
      if !frames.isEmpty {
        check(found.groups.frames.shortest == frames.min(), place)
        check(found.groups.frames.median == frames.sorted()[frames.count / 2], place)
      }
    }
  }

  @Test func `rates are bits a second, in the mean and in the second that has most`() throws {
    // Three seconds. Most bytes are at the beginning of the second one.
    var sizes = [Int](repeating: 10, count: 30)
    (sizes[10], sizes[11]) = (500, 500)
    let found = try Self.track(Self.file(sizes: sizes, sync: [1]))
    #expect(found.bitRate == 1_280.0 * 8 / 3)
    #expect(found.peakBitRate == 1_080.0 * 8)
    let short = try Self.track(Self.file(sizes: [10, 10], sync: [1]))
    #expect(short.bitRate == 800 && short.peakBitRate == nil)
  }

  @Test func `groups are counted in frames, and from key frame to key frame as they are shown`() throws {
    let found = try Self.track(
      Self.file(sizes: Array(repeating: 1, count: 12), sync: [1, 3, 8], duration: 200)
    ).groups
    #expect(found.count == 3 && found.openCount == 0 && found.framesBefore == 0)
    #expect(found.frames == .init(shortest: 2, median: 5, longest: 5))
    #expect(found.seconds == .init(shortest: 0.4, median: 1, longest: 1))
  }

  @Test func `a group is open where its key frame is followed by what is shown before it`() throws {
    // Decoded: I P b b I b b P b b. The pictures before an I are shown first, then the I.
    let offsets = [100, 300, 0, 0, 300, 0, 0, 300, 0, 0]
    let open = try Self.track(Self.file(sizes: Array(repeating: 1, count: 10), offsets: offsets, sync: [1, 5]))
    #expect(open.groups.openCount == 1 && open.reorderDepth == 1)
    // The same, with the key frame shown first: nothing after it is shown before it.
    let closed = [100, 300, 0, 0, 100, 300, 0, 0, 100, 100]
    #expect(
      try Self.track(Self.file(sizes: Array(repeating: 1, count: 10), offsets: closed, sync: [1, 5])).groups.openCount
        == 0)
  }

  @Test func `what hinders films is said, each with its code`() throws {
    func codes(_ bytes: Bytes) throws -> [String] {
      // The pictures of these files are `mp4v`, which is a hindrance of its own.
      try #require(Inspection.of(MemoryByteSource(bytes)).hindrances).map(\.code).filter { $0 != "codec" }
    }
    let ten = Array(repeating: 1, count: 10)
    #expect(try codes(Self.file(sizes: ten, sync: [1, 5])) == [])
    #expect(try codes(Self.file(sizes: ten, sync: [])) == ["no-key-frame"])
    #expect(try codes(Self.file(sizes: ten, sync: [3])) == ["late-key-frame"])
    // Ten seconds are not too long; one tick more is.
    #expect(try codes(Self.file(sizes: ten, sync: [1], duration: 1_000)) == [])
    #expect(try codes(Self.file(sizes: ten, sync: [1], duration: 1_001)) == ["key-interval"])
    let offsets = [100, 300, 0, 0, 300, 0, 0, 300, 0, 0]
    #expect(try codes(Self.file(sizes: ten, offsets: offsets, sync: [1, 5])) == ["open-groups"])
    #expect(try codes(Self.file(sizes: ten, sync: [1], edits: [(300, 0), (300, 500)])) == ["no-film"])
    let sound = TestTrack(
      id: 2, handler: "soun",
      sampleEntry: box("ulaw", zeros(6), be16(1), zeros(8), be16(1), be16(16), zeros(4), be32(8_000 << 16)),
      tables: tables(sizes: [0], perChunk: 1, offsets: [32]))
    let text = Inspection.of(MemoryByteSource(Self.file(sizes: ten, sync: [1], others: [sound]))).text
    #expect(text.contains("\n  films have no sound: players do not support 'ulaw' in fragments\n"))
    #expect(text.split(separator: "\n").allSatisfy { $0.count <= 80 }, "\(text)")
    let many = Inspection.of(MemoryByteSource(Self.file(sizes: ten, offsets: offsets, sync: [1, 5]))).text
    #expect(many.contains("1 of 2 key frames of track 1 begin open groups"))
    #expect(many.split(separator: "\n").allSatisfy { $0.count <= 80 }, "\(many)")
  }

  @Test(
    arguments: [
      ("mp4v", "MPEG-4 Part 2, 'mp4v'"), ("mjpg", "Motion JPEG, 'mjpg'"), ("jpeg", "Motion JPEG, 'jpeg'"),
      ("s263", "H.263, 's263'"), ("png ", "PNG, 'png '"), ("apch", "ProRes, 'apch'"), ("abcd", "('abcd')"),
      ("avc1", nil), ("avc3", nil), ("hvc1", nil), ("hev1", nil), ("av01", nil), ("vp09", nil), ("vp08", nil),
    ] as [(String, String?)])
  func `pictures that no browser plays are a hindrance, with what to set in the recorder`(
    type: String, words: String?
  ) throws {
    let boxes = tables(sizes: [1, 1], perChunk: 2, offsets: [32])
    let track = TestTrack(sampleEntry: box(type, zeros(6), be16(1), zeros(70)), tables: boxes)
    let inspection = Inspection.of(MemoryByteSource(testFileType + box("mdat", [1, 2]) + movie([track])))
    let found = (inspection.hindrances ?? []).filter { $0.code == "codec" }
    guard let words else { return #expect(found.isEmpty && !inspection.text.contains("no browser")) }
    let text = try #require(found.first).description
    #expect(text.contains(words) && text.contains("H.264 (avc1)") && text.contains("VideoWriter_fourcc(*'avc1')"))
    #expect(inspection.text.contains("no browser plays the pictures of track 1"))
    #expect(inspection.text.split(separator: "\n").allSatisfy { $0.count <= 80 }, "\(inspection.text)")
  }

  @Test func `of several video tracks each says its number, and one that films show it`() throws {
    func track(_ id: Int, _ handler: String = "vide", sizes: [Int] = [1, 1]) -> TestTrack {
      TestTrack(id: id, handler: handler, tables: tables(sizes: sizes, perChunk: 2, offsets: [32]))
    }
    func inspection(_ tracks: [TestTrack]) -> Inspection {
      Inspection.of(MemoryByteSource(testFileType + box("mdat", [1, 2]) + movie(tracks)))
    }
    let two = inspection([track(7), track(3, "meta"), track(5)])
    #expect(two.tracks.map(\.videoTrack) == [1, nil, 2])
    #expect(two.text.contains("video track   2: track=2 shows it\n"))
    var json = JSONWriter()
    two.write(json: &json)
    let tracks = try #require(JSONValue(json.bytes)?["tracks"]?.array)
    #expect(tracks.map { $0["videoTrack"]?.integer(Int.self) } == [1, nil, 2])
    #expect(tracks.map { $0["shown"]?.bool } == [true, nil, false])
    #expect(!inspection([track(7)]).text.contains("video track"))
  }
}
