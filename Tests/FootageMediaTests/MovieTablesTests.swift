/// A movie's tables, compared with a plain walk over its samples and with ffprobe.

import Foundation
import FootageBase
import FootageMedia
import TestSupport
import Testing

@Suite struct MovieTablesTests {
  @Test func `tables find what a plain walk finds, for any tables`() throws {
    let seed = TestRun.seed(of: "random tables")
    for round in 0..<80 {
      var random = SeededGenerator(seed: seed &+ UInt64(round))
      let bytes = RandomTrack(using: &random).file
      let place = "seed \(seed), round \(round)"
      let samples = try Demuxed(bytes).tracks[0].samples
      let tables = try MovieTables(
        served: MemoryByteSource(bytes), of: Composition(then: [0..<UInt64(bytes.count)]))
      let track = try #require(tables.tracks.first)
      check(track.sampleCount == samples.count, "\(place)")
      for (index, sample) in samples.enumerated() {
        let found = track.place(of: index)?.bytes
        let isRight =
          track.decodingTime(of: index) == sample.dts && track.mediaTime(of: index) == sample.pts
          && track.isSync(index) == sample.isSync
          && found == UInt64(sample.offset)..<UInt64(sample.offset + sample.data.count)
        check(isRight, "\(place), sample \(index): \(String(describing: found)), \(sample)")
      }
      var times = samples.indices.map { samples[$0].pts }.shuffled(using: &random).prefix(60).flatMap { [$0 - 1, $0] }
      times += [-100_000, 1_000_000, .min, .max]
      for time in times {
        func found(_ sample: Int?) -> Int? { sample.map { samples[$0].pts } }
        let shown = samples.filter { $0.pts <= time }.map(\.pts).max()
        check(found(track.sample(shownAt: Int64(time))) == shown, "\(place), time \(time)")
        let before = samples.filter { $0.isSync && $0.pts <= time }.map(\.pts).max()
        let sync = track.syncSample(atOrBefore: Int64(time))
        check(found(sync) == before && sync.map { samples[$0].isSync } ?? true, "\(place), sync before \(time)")
        let after = samples.filter { $0.isSync && $0.pts > time }.map(\.pts).min()
        let next = track.syncSample(after: Int64(time))
        check(found(next) == after && next.map { samples[$0].isSync } ?? true, "\(place), sync after \(time)")
      }
      for index in [-1, samples.count, .max] {
        check(track.place(of: index) == nil && !track.isSync(index), "\(place), sample \(index)")
      }
    }
  }

  /// A packet as ffprobe sees it in the served bytes.
  private struct Probed {
    let stream, pts, dts, size, offset: Int
    let isKey: Bool
  }

  private static func probe(_ path: String) throws -> [Probed] {
    let text = try Tool.run(
      "ffprobe",
      ["-v", "error", "-show_entries", "packet=stream_index,pts,dts,size,pos,flags", "-of", "csv=p=0", path])
    return text.split(separator: "\n").compactMap { line in
      let fields = line.split(separator: ",", omittingEmptySubsequences: false)
      let numbers = fields.prefix(5).compactMap { Int($0) }
      guard fields.count >= 6, numbers.count == 5 else { return nil }
      return Probed(
        stream: numbers[0], pts: numbers[1], dts: numbers[2], size: numbers[3], offset: numbers[4],
        isKey: fields[5].hasPrefix("K"))
    }
  }

  @Test func `tables say of each packet what ffprobe says`() throws {
    let folder = try TemporaryFolder()
    for name in try Zoo.made.get().names {
      let bytes = try Zoo.bytes(name)
      let tables = try MovieTables.make(of: MemoryByteSource(bytes))
      let served = folder.path("served-" + name)
      try Data(try index(of: bytes).served(from: bytes)).write(to: URL(fileURLWithPath: served))
      let packets = try Self.probe(served)
      #expect(packets.count >= 10, "\(name)")
      for (stream, track) in tables.tracks.enumerated() where ["vide", "soun"].contains(track.handler) {
        // The number of each sample, by its offset.
        var samples: [Int: Int] = [:]
        for sample in 0..<track.sampleCount {
          samples[Int(try #require(track.place(of: sample)).bytes.lowerBound)] = sample
        }
        var shifts: Set<Int64> = []
        for packet in packets where packet.stream == stream {
          let sample = try #require(samples[packet.offset], "\(name), stream \(stream) at \(packet.offset)")
          shifts.insert(track.presentationTime(of: sample) - Int64(packet.pts))
          guard track.handler == "vide" else { continue }
          let bytes = try #require(track.place(of: sample)).bytes
          check(bytes.count == packet.size && track.isSync(sample) == packet.isKey, "\(name), sample \(sample)")
        }
        // If an edit begins between two pictures, or offsets are negative, ffprobe shifts the whole track.
        let isMoved = track.handler == "vide" && ["trimmed.mp4", "gst-split.mp4"].contains(name)
        #expect(isMoved ? shifts.count == 1 : shifts == [0], "\(name), stream \(stream): \(shifts.sorted().prefix(5))")
      }
    }
  }

  @Test func `what is served and the recorder's file have the same samples`() throws {
    for name in ["moov-last.mp4", "frag-keyframe.mp4", "moov-first.mp4", "gst-fragmented.mp4"] {
      let bytes = try Zoo.bytes(name)
      let index = try index(of: bytes)
      let served = index.served(from: bytes)
      let tables = try MovieTables.make(of: MemoryByteSource(bytes))
      #expect(tables.composition == index.composition)
      for track in tables.tracks {
        for sample in 0..<track.sampleCount {
          let range = try #require(track.place(of: sample)).bytes
          let source = tables.composition.slice(in: range).slices.flatMap { slice -> Bytes in
            guard case .range(0, let range) = slice else { return [] }
            return Array(bytes[Int(range.lowerBound)..<Int(range.upperBound)])
          }
          check(
            source.elementsEqual(served[Int(range.lowerBound)..<Int(range.upperBound)]), "\(name), sample \(sample)")
        }
      }
    }
  }

  /// Returns a track of ten samples of 100 ticks, in a movie with the given timescale.
  private static func track(edits: [(duration: Int, mediaTime: Int)], movieTimescale: Int = 1000) throws -> TrackTables
  {
    let track = TestTrack(
      edits: edits, tables: tables(sizes: Array(repeating: 1, count: 10), perChunk: 10, offsets: [0]))
    let bytes = testFileType + movie([track], timescale: movieTimescale)
    let tables = try MovieTables(
      served: MemoryByteSource(bytes), of: Composition(then: [0..<UInt64(bytes.count)]))
    return try #require(tables.tracks.first)
  }

  typealias Edits = [(duration: Int, mediaTime: Int)]
  /// The media is shown from 250 to the end.
  private static let cut: Edits = [(750, 250)]
  /// Nothing is shown for the first second.
  private static let late: Edits = [(1000, -1), (500, 200)]
  /// Three parts are shown, and the second one is empty.
  private static let parts: Edits = [(200, 600), (100, -1), (300, 0)]
  /// A duration of 0 at the end means: until the media ends.
  private static let open: Edits = [(0, 100)]
  /// The movie has nine ticks per second. A third of a second is not a whole number of the track's ticks.
  private static let third: Edits = [(3, -1), (30, 0)]
  private static let nothing: Edits = [(1000, -1)]

  static let shown: [(edits: Edits, movieTimescale: Int, time: String, expected: Int64)] = [
    ([], 1000, "0", 0), ([], 1000, "0.099999999", 99), ([], 1000, "0.1", 100), ([], 1000, "99", 99_000),
    (cut, 1000, "0", 250), (cut, 1000, "0.5", 750), (cut, 1000, "5", 999),
    (late, 1000, "0.9", 200), (late, 1000, "1.25", 450),
    (parts, 1000, "0.1", 700), (parts, 1000, "0.25", 799), (parts, 1000, "0.3", 0),
    (open, 1000, "0.5", 600), (open, 1000, "50", 50_100),
    (third, 9, "0.333333333", 0), (third, 9, "0.334333334", 1), (third, 9, "0.434333333", 100),
    // Nothing is ever shown, which is treated as if there were no list.
    (nothing, 1000, "0.5", 500),
  ]

  @Test(arguments: shown.indices) func `the edit list says what is shown when`(index: Int) throws {
    let (edits, movieTimescale, time, expected) = Self.shown[index]
    let track = try Self.track(edits: edits, movieTimescale: movieTimescale)
    #expect(track.mediaTime(at: try #require(DecimalSeconds(time))) == expected, "\(edits) at \(time)")
  }

  @Test func `no edit list, however large its numbers, makes it trap`() throws {
    let largest = Int(Int32.max)
    for duration in [0, 1, largest] {
      for mediaTime in [-1, 0, largest] {
        for timescale in [1, largest] {
          let track = try Self.track(
            edits: Array(repeating: (duration: duration, mediaTime: mediaTime), count: 3), movieTimescale: timescale)
          for time in ["0", "0.000000001", "999999999.999999999"] {
            _ = track.mediaTime(at: try #require(DecimalSeconds(time)))
          }
          _ = track.presentationTime(of: 9)
        }
      }
    }
  }

  @Test func `no damage to a moov makes its tables trap`() throws {
    let seed = TestRun.seed(of: "damage to random tables")
    var random = SeededGenerator(seed: seed)
    var read = 0
    for _ in 0..<15 {
      let bytes = RandomTrack(using: &random).file
      let head = try #require(bytes.firstRange(of: ascii("mdat"))).lowerBound - 4
      for _ in 0..<100 {
        var damaged = bytes
        let position = Int.random(in: 24..<head, using: &random)
        damaged[position] = [0, 1, 0x7F, 0x80, 0xFF].randomElement(using: &random) ?? 0
        guard
          let tables = try? MovieTables(
            served: MemoryByteSource(damaged), of: Composition(then: [0..<UInt64(bytes.count)]))
        else { continue }
        read += 1
        for track in tables.tracks {
          for sample in Set([0, 1, track.sampleCount / 2, track.sampleCount - 1]) where sample >= 0 {
            _ = track.place(of: sample)
            _ = track.mediaTime(of: sample)
          }
          for time in [Int64.min, -1, 0, 12_345, .max] {
            _ = track.sample(shownAt: time)
            _ = track.syncSample(atOrBefore: time)
            _ = track.syncSample(after: time)
          }
        }
        guard let made = try? SampleIndex.make(of: tables, media: MemoryByteSource(damaged)), !made.bytes.isEmpty else {
          continue
        }
        let source = MemoryByteSource(made.bytes)
        let index = try SampleIndex(source)
        for time in ["0", "3.3", "999999999"] {
          _ = try? KeyFrame(at: #require(DecimalSeconds(time)), of: index, source)
        }
      }
    }
    #expect(read > 100, "seed \(seed)")
  }

  @Test func `ten hours are looked through as a minute is`() throws {
    // 30 pictures per second in groups of 60, with B-frames, one sample per chunk.
    let count = 1_080_000
    let track = TestTrack(
      timescale: 90_000,
      tables: table("stts", columns: 2, [count, 3000])
        + table("ctts", columns: 2, (0..<count).flatMap { [1, [6000, 9000, 3000][$0 % 3]] })
        + table("stss", Array(stride(from: 1, through: count, by: 60)))
        + table("stsc", columns: 3, [1, 1, 1])
        + fullBox("stsz", be32(0), be32(count), (0..<count).flatMap { be32(1000 + $0 % 7) })
        + table("stco", (0..<count).map { 40 + 1010 * $0 }))
    let bytes = testFileType + movie([track])
    let tables = try MovieTables(
      served: MemoryByteSource(bytes), of: Composition(then: [0..<UInt64(bytes.count)]))
    let found = try #require(tables.tracks.first)
    for second in [1, 2, 17_999, 35_999] {
      let time = try #require(DecimalSeconds("\(second).05"))
      let sync = try #require(found.syncSample(atOrBefore: found.mediaTime(at: time)))
      // Key frames are shown two pictures after they are decoded.
      #expect(sync == (second * 90_000 + 4_500 - 6_000) / 180_000 * 60, "second \(second)")
      #expect(found.place(of: sync)?.bytes.lowerBound == UInt64(40 + 1010 * sync))
    }
  }

  /// A walk over the empty entries for each lookup would take many minutes.
  @Test(.timeLimit(.minutes(2))) func `a hundred thousand entries without samples cost a look-up nothing`() throws {
    let empty = 100_000
    var numbers = [10, 100] + Array(repeating: 0, count: 2 * empty) + [10, 100]
    numbers += Array(repeating: 0, count: 2 * empty)
    let tables =
      table("stts", columns: 2, numbers) + table("stsc", columns: 3, [1, 20, 1])
      + fullBox("stsz", be32(1), be32(20)) + table("stco", [0])
    let bytes = testFileType + movie([TestTrack(tables: tables)])
    let movie = try MovieTables(served: MemoryByteSource(bytes), of: Composition(bytes, then: []))
    let track = try #require(movie.video)
    for _ in 0..<20_000 {
      for (time, sample) in [(0, 0), (99, 0), (950, 9), (1_000, 10), (1_950, 19), (5_000, 19)] as [(Int64, Int)] {
        #expect(track.sample(shownAt: time) == sample)
      }
    }
  }
}
