/// The descriptions of samples in fragments, in every form that the standard allows.

import FootageBase
import Foundation
import FootageMedia
import Testing

@Suite struct FragmentTests {
  /// A `moof` with one run, and its `mdat`.
  struct Fragment {
    var header: Bytes = fullBox("tfhd", flags: 0x2_0000, be32(1))
    var time: Bytes = []
    var run: Bytes
    var data: Bytes

    var bytes: Bytes {
      let moof = box("moof", fullBox("mfhd", be32(1)), box("traf", header, time, run))
      return moof + box("mdat", data)
    }
  }

  private static func source(
    _ fragments: [Fragment], track: TestTrack = TestTrack(), extends: Bytes = trackExtends(), timescale: Int = 1000
  ) -> Bytes {
    var bytes = testFileType + movie([track], timescale: timescale, extras: box("mvex", extends))
    for fragment in fragments { bytes += fragment.bytes }
    return bytes
  }

  private func served(_ bytes: Bytes) throws -> (index: MovieIndex, bytes: Bytes, samples: [Demuxed.Sample]) {
    let index = try index(of: bytes)
    let served = index.served(from: bytes)
    return (index, served, try Demuxed(served).tracks[0].samples)
  }

  /// Returns a `tfdt`.
  private static func time(_ value: Int, version: Int = 0) -> Bytes {
    fullBox("tfdt", version: version, version == 1 ? be64(value) : be32(value))
  }

  /// Returns a run of samples with these sizes and durations. Its data offset is that of a `moof` with only this run.
  private static func run(
    _ samples: [(duration: Int, size: Int)], timeSize: Int = 0, headerSize: Int = 16
  ) -> Bytes {
    let length = 8 + 16 + 8 + headerSize + timeSize + 20 + 8 * samples.count
    return fullBox(
      "trun", flags: 0x301, be32(samples.count), be32(length + 8), samples.flatMap { be32($0.duration) + be32($0.size) }
    )
  }

  private static func fragment(_ samples: [(duration: Int, size: Int)], at time: Int, version: Int = 0) -> Fragment {
    let tfdt = Self.time(time, version: version)
    return Fragment(
      time: tfdt, run: run(samples, timeSize: tfdt.count),
      data: samples.enumerated().flatMap { Bytes(repeating: UInt8($0.offset + 1), count: $0.element.size) })
  }

  @Test(arguments: [0, 1]) func `times of both lengths are read`(version: Int) throws {
    let bytes = Self.source([
      Self.fragment([(10, 3), (20, 4)], at: 0, version: version), Self.fragment([(30, 5)], at: 30, version: version),
    ])
    let (index, _, samples) = try served(bytes)
    #expect(samples.map(\.dts) == [0, 10, 30])
    #expect(samples.map { Array($0.data) } == [[1, 1, 1], [2, 2, 2, 2], [1, 1, 1, 1, 1]])
    #expect(index.movie.duration == 0.06)
    #expect(!index.isRecovered && index.notes.isEmpty)
  }

  /// Each combination of `trex`, `tfhd` and `trun` that gives a field, and the value that counts.
  @Test(arguments: 0..<8) func `a run overrides the track fragment, which overrides the track`(said: Int) throws {
    let inRun = said & 1 != 0
    let inHeader = said & 2 != 0
    let inTrack = said & 4 != 0
    // Durations 5, 6, 7; sizes 2, 3, 4; only a run has composition offsets.
    let header = fullBox(
      "tfhd", flags: 0x2_0000 | (inHeader ? 0x18 : 0), be32(1), inHeader ? be32(6) + be32(3) : [])
    let flags = 0x1 | (inRun ? 0xB00 : 0)
    let length = 8 + 16 + 8 + header.count + 20 + (inRun ? 24 : 0)
    let run = fullBox(
      "trun", flags: flags, be32(2), be32(length + 8),
      inRun ? be32(7) + be32(4) + be32(1) + be32(7) + be32(4) + be32(-2) : [])
    let bytes = Self.source(
      [Fragment(header: header, run: run, data: Bytes(1...20))],
      extends: trackExtends(duration: inTrack ? 5 : 0, size: inTrack ? 2 : 0))
    let size = inRun ? 4 : inHeader ? 3 : inTrack ? 2 : 0
    let duration = inRun ? 7 : inHeader ? 6 : inTrack ? 5 : 0
    let (_, served, samples) = try served(bytes)
    let ctts = Demuxed.find(served, ["moov", "trak", "mdia", "minf", "stbl", "ctts"], in: 0..<served.count)
    // Only version 1 allows negative offsets.
    #expect(ctts.map { served[$0.content] } == (inRun ? 1 : nil))
    #expect(samples.map(\.data.count) == [size, size])
    #expect(samples.map(\.dts) == [0, duration])
    #expect(samples.map(\.pts) == (inRun ? [1, duration - 2] : [0, duration]))
    if size > 0 { #expect(samples.flatMap { $0.data } == Array(1...UInt8(2 * size))) }
  }

  /// Sync flags of the track, of the track fragment, of the first sample and of each sample.
  @Test(
    arguments: [
      (0, nil, nil, nil, [true, true, true]), (0x1_0000, nil, nil, nil, [false, false, false]),
      (0x1_0000, 0, nil, nil, [true, true, true]), (0, 0x1_0000, nil, nil, [false, false, false]),
      (0x101_0000, nil, 0x200_0000, nil, [true, false, false]), (0, nil, 0x1_0000, nil, [false, true, true]),
      (0, 0, nil, [0x1_0000, 0, 0x100_0000], [false, true, false]),
      (0x1_0000, nil, nil, [0, 0, 0], [true, true, true]),
    ] as [(Int, Int?, Int?, [Int]?, [Bool])])
  func `sync samples are told by flags`(track: Int, header: Int?, first: Int?, each: [Int]?, expected: [Bool]) throws {
    let tfhd = fullBox("tfhd", flags: 0x2_0000 | (header == nil ? 0 : 0x20), be32(1), header.map(be32) ?? [])
    let flags = 0x201 | (first == nil ? 0 : 4) | (each == nil ? 0 : 0x400)
    var length = 8 + 16 + 8 + tfhd.count + 20 + 12
    length += first == nil ? 0 : 4
    length += each == nil ? 0 : 12
    var records: Bytes = []
    for index in 0..<3 { records += be32(2) + (each.map { be32($0[index]) } ?? []) }
    let run = fullBox("trun", flags: flags, be32(3), be32(length + 8), first.map(be32) ?? [], records)
    let bytes = Self.source(
      [Fragment(header: tfhd, run: run, data: Bytes(1...6))], extends: trackExtends(duration: 1, flags: track))
    #expect(try served(bytes).samples.map(\.isSync) == expected)
    // All samples of sound are sync samples.
    let sound = Self.source(
      [Fragment(header: tfhd, run: run, data: Bytes(1...6))],
      track: TestTrack(handler: "soun", sampleEntry: box("sowt", zeros(6), be16(1), zeros(20))),
      extends: trackExtends(duration: 1, flags: track))
    #expect(try served(sound).samples.map(\.isSync) == [true, true, true])
  }

  @Test func `an absolute base counts from the file's beginning`() throws {
    var bytes = testFileType + movie([TestTrack()], extras: box("mvex", trackExtends(duration: 1, size: 2)))
    let header = fullBox("tfhd", flags: 1, be32(1), be64(bytes.count + 8 + 16 + 8 + 24 + 20 + 8))
    bytes += box("moof", fullBox("mfhd", be32(1)), box("traf", header, fullBox("trun", flags: 1, be32(2), be32(1))))
    bytes += box("mdat", Bytes(1...9))
    #expect(try served(bytes).samples.map { Array($0.data) } == [[2, 3], [4, 5]])
  }

  @Test func `without a base the second track's data follows the first's`() throws {
    let moov = movie(
      [TestTrack(), TestTrack(id: 2)],
      extras: box("mvex", trackExtends(duration: 1, size: 2), trackExtends(2, duration: 1, size: 3)))
    let length = 8 + 16 + (8 + 16 + 20 + 16) + (8 + 16 + 16)
    let moof = box(
      "moof", fullBox("mfhd", be32(1)),
      box(
        "traf", fullBox("tfhd", be32(1)), fullBox("trun", flags: 1, be32(1), be32(length + 8)),
        fullBox("trun", be32(1))),
      box("traf", fullBox("tfhd", be32(2)), fullBox("trun", be32(1))))
    #expect(moof.count == length)
    let bytes = testFileType + moov + moof + box("mdat", Bytes(1...7))
    let tracks = try Demuxed(index(of: bytes).served(from: bytes)).tracks
    #expect(tracks[0].samples.map { Array($0.data) } == [[1, 2], [3, 4]])
    #expect(tracks[1].samples.map { Array($0.data) } == [[5, 6, 7]])
  }

  @Test func `samples that lie over one another end the recording before them`() throws {
    // Two runs of ten samples of one byte each, at the same ten bytes.
    let run = fullBox("trun", flags: 0x1, be32(10), be32(8 + 16 + 8 + 20 + 20 + 20 + 8))
    let greedy = Fragment(header: fullBox("tfhd", flags: 0x2_0010, be32(1), be32(1)), run: run + run, data: zeros(10))
    let before = Self.source([Self.fragment([(10, 3)], at: 0)])
    let (index, _, samples) = try served(before + greedy.bytes)
    #expect(index.isRecovered && samples.count == 1)
    #expect(index.notes.contains { $0.contains("has overlapping samples of 20 bytes in total") }, "\(index.notes)")
    let start = Self.source([]).count
    #expect(
      throws: MP4Error.malformed(
        BoxPlace("moof", at: UInt64(start)), "has overlapping samples of 20 bytes in total")
    ) { _ = try MovieIndex.make(of: MemoryByteSource(Self.source([greedy]))) }
  }

  @Test func `a gap makes the sample before it last longer, and an overlap shorter`() throws {
    let bytes = Self.source([
      Self.fragment([(10, 1), (10, 1)], at: 0), Self.fragment([(10, 1), (10, 1)], at: 50),
      Self.fragment([(10, 1)], at: 65), Self.fragment([(10, 1)], at: 75),
    ])
    let (index, _, samples) = try served(bytes)
    #expect(samples.map(\.dts) == [0, 10, 50, 60, 65, 75])
    #expect(index.notes.isEmpty)
  }

  @Test func `a run without samples leaves the fragment's time to the next one`() throws {
    let empty = fullBox("trun", be32(0))
    var second = Self.fragment([(10, 1)], at: 50)
    second.time += empty
    second.run = Self.run([(10, 1)], timeSize: second.time.count)
    let (_, _, samples) = try served(Self.source([Self.fragment([(10, 1)], at: 0), second]))
    #expect(samples.map(\.dts) == [0, 50])
  }

  @Test(arguments: [3, 5_000_000_000]) func `a clock that jumps leaves no hole and no time twice`(time: Int) throws {
    let bytes = Self.source([
      Self.fragment([(100, 1), (100, 1)], at: 0, version: 1),
      Self.fragment([(100, 1), (100, 1)], at: time, version: 1),
      Self.fragment([(100, 1)], at: time + 200, version: 1),
    ])
    let (index, _, samples) = try served(bytes)
    #expect(samples.map(\.dts) == [0, 100, 200, 300, 400])
    #expect(index.notes == ["its times jump; samples after a jump follow directly on those before it"])
  }

  /// Returns the edits of the served track as (duration, media time).
  private func edits(_ served: Bytes) -> [[Int]] {
    guard let elst = Demuxed.find(served, ["moov", "trak", "edts", "elst"], in: 0..<served.count) else { return [] }
    return (0..<Demuxed.number(served, elst.content + 4, 4)).map { index in
      let start = elst.content + 8 + 12 * index
      return [
        Demuxed.number(served, start, 4), Int(Int32(truncatingIfNeeded: Demuxed.number(served, start + 4, 4))),
      ]
    }
  }

  private func timescale(_ served: Bytes) -> Int {
    let mvhd = Demuxed.find(served, ["moov", "mvhd"], in: 0..<served.count)
    return Demuxed.number(served, (mvhd?.content ?? 0) + 12, 4)
  }

  @Test func `whatever time a recording begins with in the file, it is served from 0`() throws {
    let fragments = [Self.fragment([(1, 1), (1, 1)], at: 1)]
    let (index, bytes, samples) = try served(Self.source(fragments, track: TestTrack(timescale: 30)))
    #expect(timescale(bytes) == 1_000)
    #expect(edits(bytes) == [])
    #expect(samples.map(\.dts) == [0, 1])
    #expect(abs(index.movie.duration - 0.067) < 1e-9)
  }

  @Test(
    arguments: [
      // Edits of the source (movie's ticks, track's ticks), first time, edits that are served.
      ([(0, 20)], 0, [[80, 20]]), ([(0, 20)], 5, [[85, 15]]), ([(0, 20)], 50, []),
      ([(40, -1), (0, 0)], 0, []), ([(40, -1), (0, 20)], 0, [[80, 20]]), ([(40, -1), (60, 20)], 30, []),
      ([(500, 0)], 0, []),
      // An empty edit of more than a day.
      ([(86_400_001, -1), (40, -1), (0, 20)], 0, [[80, 20]]), ([(86_401_000, -1)], 0, []),
    ] as [([(Int, Int)], Int, [[Int]])])
  func `edit lists keep their meaning`(source: [(Int, Int)], start: Int, expected: [[Int]]) throws {
    let track = TestTrack(edits: source.map { (duration: $0.0, mediaTime: $0.1) })
    let bytes = Self.source([Self.fragment([(50, 1), (50, 1)], at: start)], track: track)
    #expect(try edits(served(bytes).bytes) == expected)
  }

  @Test func `a recorder that counts from its boot is shown from the first picture on`() throws {
    let bytes = Self.source([Self.fragment([(50, 1), (50, 1)], at: 3_600_250)])
    let (index, served, samples) = try served(bytes)
    #expect(edits(served) == [])
    #expect(samples.map(\.dts) == [0, 50])
    #expect(index.notes == ["times begin at 3600 s in the file, and at 0 in the served recording"])
    #expect(index.movie.duration == 0.1)
  }

  @Test(arguments: [(10, [0, 10, 20]), (0xFFFF_FFFE, [0, 1, 20]), (90_000_000, [0, 0, 20])])
  func `samples that moov holds already come first`(duration: Int, times: [Int]) throws {
    func start(_ offset: Int) -> Bytes {
      let tables = tables(sizes: [3, 4], duration: duration, perChunk: 2, offsets: [offset])
      return testFileType + movie([TestTrack(tables: tables)], extras: box("mvex", trackExtends()))
    }
    let length = start(0).count
    let fragment = Self.fragment([(10, 2)], at: 20).bytes
    let (index, _, samples) = try served(start(length + 8) + box("mdat", Bytes(1...7)) + fragment)
    #expect(samples.map { Array($0.data) } == [[1, 2, 3], [4, 5, 6, 7], [1, 1]])
    #expect(samples.map(\.dts) == times)
    #expect(
      index.notes == (duration == 10 ? [] : ["durations that are negative, or far longer than all others, are mended"]))
    #expect(index.body.map(\.lowerBound) == [UInt64(length)])
  }

  @Test func `boxes between fragments are dead, those around them are kept`() throws {
    var bytes = testFileType + box("uuid", ascii("before")) + movie([TestTrack()], extras: box("mvex", trackExtends()))
    bytes += box("sidx", zeros(24)) + Self.fragment([(10, 1)], at: 0).bytes
    bytes += box("styp", zeros(8)) + box("uuid", ascii("middle")) + Self.fragment([(10, 1)], at: 10).bytes
    bytes += box("mfra", zeros(8)) + box("uuid", ascii("after"))
    let (index, served, samples) = try served(bytes)
    #expect(samples.count == 2 && !index.isRecovered)
    #expect(Demuxed.boxes(served, 0..<served.count).map(\.type) == ["ftyp", "moov", "mdat", "uuid", "uuid"])
  }

  @Test func `the brand of fragments goes, and what a plain file is stays`() throws {
    let fileType = box("ftyp", ascii("iso6"), be32(1), ascii("iso6"), ascii("cmfc"), ascii("mp42"), ascii("avc1"))
    let bytes = fileType + Self.source([Self.fragment([(10, 1)], at: 0)]).dropFirst(testFileType.count)
    let served = try served(bytes).bytes
    #expect(
      Array(served.prefix(36))
        == box(
          "ftyp", ascii("isom"), be32(512), ascii("mp42"), ascii("avc1"), ascii("isom"), ascii("iso2"), ascii("mp41")))
  }

  static let faults: [(name: String, tail: Bytes)] = [
    ("half a header", [0, 0, 0]),
    ("half a moof", Bytes(fragment([(10, 1)], at: 10).bytes.prefix(50))),
    ("a moof without its mdat", Bytes(fragment([(10, 1)], at: 10).bytes.dropLast(9))),
    ("half an mdat", Bytes(fragment([(10, 4)], at: 10).bytes.dropLast(1))),
    ("zeros, as a file system leaves them", zeros(4_096)),
    ("a moof of zeros", be32(100) + ascii("moof") + zeros(92) + box("mdat", zeros(4))),
    ("a track that is not there", box("moof", fullBox("mfhd", be32(2)), box("traf", fullBox("tfhd", be32(9))))),
    ("no tfhd", box("moof", fullBox("mfhd", be32(2)), box("traf", fullBox("trun", be32(0))))),
    (
      "two tfhd", box("moof", fullBox("mfhd", be32(2)), box("traf", fullBox("tfhd", be32(1)), fullBox("tfhd", be32(1))))
    ),
    (
      "a run longer than its box",
      box(
        "moof", fullBox("mfhd", be32(2)), box("traf", fullBox("tfhd", be32(1)), fullBox("trun", flags: 0xF00, be32(50)))
      )
    ),
    (
      "samples of no size without end",
      box("moof", fullBox("mfhd", be32(2)), box("traf", fullBox("tfhd", be32(1)), fullBox("trun", be32(1 << 25))))
    ),
    (
      "data in its own moof",
      box(
        "moof", fullBox("mfhd", be32(2)),
        box("traf", fullBox("tfhd", flags: 0x2_0010, be32(1), be32(4)), fullBox("trun", flags: 1, be32(1), be32(4))))
        + box("mdat", zeros(9))
    ),
    (
      "data before the file",
      box(
        "moof", fullBox("mfhd", be32(2)),
        box(
          "traf", fullBox("tfhd", flags: 0x2_0010, be32(1), be32(4)), fullBox("trun", flags: 1, be32(1), be32(-100_000))
        )) + box("mdat", zeros(9))
    ),
    (
      "a base beyond all files",
      box(
        "moof", fullBox("mfhd", be32(2)),
        box(
          "traf", fullBox("tfhd", flags: 0x11, be32(1), be64(-8), be32(4)), fullBox("trun", flags: 1, be32(1), be32(4)))
      ) + box("mdat", zeros(9))
    ),
    (
      "a description that is not there",
      box(
        "moof", fullBox("mfhd", be32(2)),
        box("traf", fullBox("tfhd", flags: 2, be32(1), be32(2)), fullBox("trun", be32(0))))
    ),
    ("samples beyond their mdat", Fragment(run: run([(10, 9)]), data: zeros(4)).bytes + box("free", zeros(20))),
    ("a second moov", movie([])),
  ]

  @Test(arguments: faults.indices) func `what is broken at the end is left out and said`(fault: Int) throws {
    let good = Self.source([Self.fragment([(10, 3)], at: 0)])
    let (index, _, samples) = try served(good + Self.faults[fault].tail)
    #expect(index.isRecovered, "\(Self.faults[fault].name)")
    #expect(samples.map { Array($0.data) } == [[1, 1, 1]], "\(Self.faults[fault].name)")
    #expect(index.body.last?.upperBound == UInt64(good.count), "\(Self.faults[fault].name)")
    #expect(index.notes.count == 1)
    #expect(index.notes[0].hasPrefix("served up to byte \(good.count), where the last whole fragment ends: "))
  }

  @Test func `a recovered file that grew on is served whole`() throws {
    let first = Self.source([Self.fragment([(10, 3)], at: 0)])
    let whole = first + Self.fragment([(10, 2)], at: 10).bytes
    #expect(try served(Bytes(whole.dropLast(1))).index.isRecovered)
    let (index, _, samples) = try served(whole)
    #expect(!index.isRecovered && samples.count == 2)
  }
}
