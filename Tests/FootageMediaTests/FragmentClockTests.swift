/// The times of fragmented recordings: one clock for all tracks, whatever their timescales are.

import FootageBase
import FootageMedia
import Testing

@Suite struct FragmentClockTests {
  /// The samples of one track in a fragment. Times are in seconds.
  struct Run {
    var track: Int
    /// Nil if the fragment does not say it.
    var time: Double?
    var durations: [Double]
    var offsets: [Double] = []
  }

  /// Two tracks: pictures and sound.
  static let timescales = [90_000, 44_100]

  static func source(
    _ fragments: [[Run]], timescales: [Int] = timescales, edits: [[(duration: Int, mediaTime: Int)]] = [[], []],
    handler: String = "vide"
  ) -> Bytes {
    let sound = box("sowt", zeros(6), be16(1), zeros(8), be16(2), be16(16), zeros(4), be32(44_100 << 16))
    let tracks = [
      TestTrack(handler: handler, timescale: timescales[0], edits: edits[0]),
      TestTrack(id: 2, handler: "soun", timescale: timescales[1], edits: edits[1], sampleEntry: sound),
    ]
    var bytes = testFileType + movie(tracks, extras: box("mvex", trackExtends(), trackExtends(2)))
    for runs in fragments { bytes += fragment(runs, timescales) }
    return bytes
  }

  /// Each sample has one byte: the number of its track.
  static func fragment(_ runs: [Run], _ timescales: [Int]) -> Bytes {
    func boxes(_ start: Int) -> Bytes {
      var offset = start
      var trafs: Bytes = []
      for run in runs {
        let timescale = Double(timescales[run.track])
        func ticks(_ seconds: Double) -> Int { Int((seconds * timescale).rounded()) }
        let samples = run.durations.indices.flatMap { index -> Bytes in
          be32(ticks(run.durations[index])) + be32(1)
            + (run.offsets.isEmpty ? [] : be32(ticks(run.offsets[index])))
        }
        trafs += box(
          "traf", fullBox("tfhd", flags: 0x2_0000, be32(run.track + 1)),
          run.time.map { fullBox("tfdt", version: 1, be64(ticks($0))) } ?? [],
          fullBox(
            "trun", flags: 0x301 | (run.offsets.isEmpty ? 0 : 0x800), be32(run.durations.count), be32(offset), samples))
        offset += run.durations.count
      }
      return box("moof", fullBox("mfhd", be32(1)), trafs)
    }
    let moof = boxes(0)
    return boxes(moof.count + 8)
      + box("mdat", runs.flatMap { Bytes(repeating: UInt8($0.track), count: $0.durations.count) })
  }

  /// Returns the times at which the samples of each track are shown in what is served, in seconds.
  static func times(_ bytes: Bytes) throws -> (shown: [[Double]], duration: Double, notes: [String]) {
    let index = try index(of: bytes)
    let tables = try MovieTables.make(of: MemoryByteSource(bytes))
    let shown = tables.tracks.map { track in
      (0..<track.sampleCount).map { Double(track.presentationTime(of: $0)) / Double(track.timescale) }
    }
    return (shown, index.movie.duration, index.notes)
  }

  static func expectEqual(_ times: [Double], _ expected: [Double], tolerance: Double = 0.001) {
    #expect(times.count == expected.count)
    for (time, expected) in zip(times, expected) { #expect(abs(time - expected) <= tolerance, "\(times)") }
  }

  /// A second of pictures and of sound that begins at these times.
  static func second(_ time: Double, sound: Double? = nil, pictures: Int = 4) -> [Run] {
    [
      Run(track: 0, time: time, durations: [Double](repeating: 1 / Double(pictures), count: pictures)),
      Run(track: 1, time: sound ?? time, durations: [0.5, 0.5]),
    ]
  }

  @Test(
    arguments: [3, 30, 3_600, 28_800, 86_000],
    [[90_000, 44_100], [1_000_000, 48_000], [1_000_000_000, 1_000_000_000], [1_000, 600]])
  func `a gap of up to a day stays on both tracks`(gap: Double, timescales: [Int]) throws {
    let bytes = Self.source([Self.second(0), Self.second(1), Self.second(2 + gap)], timescales: timescales)
    let (shown, duration, notes) = try Self.times(bytes)
    Self.expectEqual(shown[0], [0, 0.25, 0.5, 0.75, 1, 1.25, 1.5, 1.75] + [2, 2.25, 2.5, 2.75].map { $0 + gap })
    Self.expectEqual(shown[1], [0, 0.5, 1, 1.5, 2 + gap, 2.5 + gap])
    #expect(abs(duration - (3 + gap)) < 0.002)
    #expect(notes.isEmpty)
  }

  @Test(arguments: [-0.5, -1.9, -3_600, 86_500, 400_000_000], [0, 0.02])
  func `a clock that was set moves both tracks by the same time`(jump: Double, sound: Double) throws {
    let base = 1_000_000_000.0
    let bytes = Self.source([
      Self.second(base, sound: base + sound), Self.second(base + 1, sound: base + 1 + sound),
      Self.second(base + 2 + jump, sound: base + 2 + jump + sound),
      Self.second(base + 3 + jump, sound: base + 3 + jump + sound),
    ])
    let (shown, _, notes) = try Self.times(bytes)
    Self.expectEqual(shown[0], (0..<16).map { Double($0) / 4 }, tolerance: 0.03)
    for (number, time) in shown[1].enumerated() {
      #expect(abs(time - shown[0][number * 2] - sound) < 0.001, "\(shown)")
    }
    #expect(notes.contains("its times jump; samples after a jump follow directly on those before it"))
  }

  /// A time of today in ticks of a nanosecond does not fit into the 60 bits in which recordings are counted.
  @Test(
    arguments: [1_795_169_730.0, 9_000_000_000, -3_600, -0.5], [[90_000, 1_000_000_000], [1_000_000_000, 44_100]])
  func `a clock may begin anywhere`(start: Double, timescales: [Int]) throws {
    let (shown, duration, notes) = try Self.times(
      Self.source(
        (0..<3).map { Self.second(start + Double($0), sound: start + Double($0) + 0.02) }, timescales: timescales))
    Self.expectEqual(shown[0], (0..<12).map { Double($0) / 4 })
    Self.expectEqual(shown[1], (0..<6).map { Double($0) / 2 + 0.02 })
    #expect(abs(duration - 3.02) < 0.001)
    let seconds = Int(start)
    #expect(
      notes == (seconds == 0 ? [] : ["times begin at \(seconds) s in the file, and at 0 in the served recording"]))
  }

  @Test func `a track may begin later than such a clock`() throws {
    let start = 1_795_169_730.0
    let (shown, _, _) = try Self.times(
      Self.source(
        [[Self.second(start)[0]], [Self.second(start + 1)[0]], Self.second(start + 2)],
        timescales: [90_000, 1_000_000_000]))
    Self.expectEqual(shown[0], (0..<12).map { Double($0) / 4 })
    Self.expectEqual(shown[1], [2, 2.5])
  }

  @Test(arguments: [1_500_000_000.0, 7_000_000_000, -900_000_000, 86_500])
  func `a clock with short ticks may be set to any time`(jump: Double) throws {
    let base = 1_000_000_000.0
    let times = [base, base + 1, base + 2 + jump, base + 3 + jump]
    let (shown, duration, _) = try Self.times(
      Self.source(times.map { Self.second($0) }, timescales: [1_000_000_000, 1_000_000_000]))
    Self.expectEqual(shown[0], (0..<16).map { Double($0) / 4 })
    Self.expectEqual(shown[1], (0..<8).map { Double($0) / 2 })
    #expect(abs(duration - 4) < 0.002)
  }

  @Test(arguments: [86_401.0, 1_000_000, 4_294_967])
  func `a duration of more than a day counts as the one before it`(duration: Double) throws {
    var first = Self.second(0)
    first[0].durations[1] = duration
    first[1].durations[1] = duration
    let (shown, length, _) = try Self.times(Self.source([first, Self.second(1)], timescales: [1_000, 1_000]))
    Self.expectEqual(shown[0], (0..<8).map { Double($0) / 4 })
    Self.expectEqual(shown[1], [0, 0.5, 1, 1.5])
    #expect(abs(length - 2) < 0.01)
  }

  /// Some players leave out a picture that an edit cuts, and others show the rest of it.
  @Test func `a picture that the edit cuts begins with it`() throws {
    let bytes = Self.source(
      [Self.second(0), Self.second(1)], edits: [[(0, 99_000)], [(0, 48_510)]])
    let (shown, duration, _) = try Self.times(bytes)
    Self.expectEqual(shown[0], [-1.1, -0.85, -0.6, -0.35, 0, 0.15, 0.4, 0.65])
    Self.expectEqual(shown[1], [-1.1, -0.6, -0.1, 0.4])
    #expect(abs(duration - 0.9) < 0.001)
  }

  @Test func `an edit that begins before the first picture begins with it`() throws {
    let pictures = Run(track: 0, time: 0, durations: [0.25, 0.25], offsets: [0.08, 0.08])
    let bytes = Self.source(
      [[pictures, Run(track: 1, time: 0, durations: [0.5])]], edits: [[(0, 3_600)], []])
    let served = try index(of: bytes).served(from: bytes)
    let elst = try #require(Demuxed.find(served, ["moov", "trak", "edts", "elst"], in: 0..<served.count))
    #expect((0..<2).map { Demuxed.number(served, elst.content + 12 + 12 * $0, 4) } == [0xFFFF_FFFF, 7_200])
    Self.expectEqual(try Self.times(bytes).shown[0], [0.04, 0.29])
  }

  @Test func `tracks in fragments of their own move together, too`() throws {
    var fragments: [[Run]] = []
    for (index, time) in [100.0, 101, 50, 51, 3_000_000].enumerated() {
      let runs = Self.second(time)
      // The sound comes a fragment later than its pictures.
      fragments.append([runs[0]])
      if index == 2 { fragments.insert([runs[1]], at: fragments.count) } else { fragments.append([runs[1]]) }
    }
    let (shown, _, _) = try Self.times(Self.source(fragments))
    for (number, time) in shown[1].enumerated() { #expect(abs(time - shown[0][number * 2]) < 0.04, "\(shown)") }
  }

  @Test(arguments: [0.0, 5.5, 9.9, 9.98, 12.5, 100.9, 400_000.3])
  func `a recording begins with its first picture or sound`(start: Double) throws {
    let picture = Run(track: 0, time: start, durations: [0.25, 0.25, 0.25, 0.25], offsets: [0.08, 0.16, 0, 0.08])
    let (shown, duration, _) = try Self.times(
      Self.source([[picture, Run(track: 1, time: start + 0.5, durations: [0.5, 0.5])]]))
    Self.expectEqual(shown[0], [0.08, 0.41, 0.5, 0.83])
    Self.expectEqual(shown[1], [0.5, 1])
    #expect(abs(duration - 1.5) < 0.001)
  }

  @Test(arguments: [0.0, 0.3, 1, 100])
  func `a text that begins before the first sound keeps its distance`(start: Double) throws {
    let text = Run(track: 0, time: start, durations: [0.5, 0.5, 0.5, 0.5])
    let (shown, _, _) = try Self.times(
      Self.source([[text, Run(track: 1, time: start + 0.75, durations: [0.5, 0.5])]], handler: "text"))
    Self.expectEqual(shown[0], [-0.75, -0.25, 0.25, 0.75])
    Self.expectEqual(shown[1], [0, 0.5])
  }

  @Test(arguments: [-50.0, 86_000, 90_000, 400_000_000])
  func `a second track fragment that is far away follows the first, or is noted`(jump: Double) throws {
    let runs = Self.second(100) + [Run(track: 0, time: 101 + jump, durations: [0.25, 0.25])]
    let (shown, _, notes) = try Self.times(Self.source([runs]))
    let isGap = jump == 86_000
    let next = isGap ? 1 + jump : 1
    Self.expectEqual(shown[0], [0, 0.25, 0.5, 0.75, next, next + 0.25])
    #expect(notes.contains { $0.hasPrefix("its times jump") } == !isGap, "\(notes)")
  }

  @Test(arguments: [(3_600.0, 3_600.0), (86_000, 86_000), (86_500, 0), (1_795_169_730, 0)])
  func `a track without a time begins at 0, or with the others if that is far away`(time: Double, first: Double) throws
  {
    var runs = Self.second(time)
    runs[1].time = nil
    let (shown, _, notes) = try Self.times(Self.source([runs]))
    Self.expectEqual(shown[0], [0, 0.25, 0.5, 0.75].map { $0 + first })
    Self.expectEqual(shown[1], [0, 0.5])
    #expect(
      notes
        == (first > 0 ? [] : ["track 1 claims to begin more than a day after the others, and begins with them"]))
  }

  @Test func `a track that begins late has no empty edit before a composition offset`() throws {
    let bytes = Self.source([
      [
        Run(track: 0, time: 2, durations: [0.25, 0.25], offsets: [0.08, 0.08]),
        Run(track: 1, time: 1, durations: [0.5, 0.5]),
      ]
    ])
    let served = try index(of: bytes).served(from: bytes)
    let elst = try #require(Demuxed.find(served, ["moov", "trak", "edts", "elst"], in: 0..<served.count))
    #expect((0..<2).map { Demuxed.number(served, elst.content + 12 + 12 * $0, 4) } == [0xFFFF_FFFF, 7_200])
    Self.expectEqual(try Self.times(bytes).shown[0], [1.08, 1.33])
  }

  @Test(arguments: [12.0, 3_600, 23_863.9], [false, true])
  func `a wild duration changes neither length nor times`(duration: Double, isLast: Bool) throws {
    var second = Self.second(1)
    second[0].durations[3] = duration
    var fragments = [Self.second(0), second]
    if !isLast { fragments.append(Self.second(2)) }
    let (shown, length, notes) = try Self.times(Self.source(fragments))
    Self.expectEqual(shown[0], (0..<(isLast ? 8 : 12)).map { Double($0) / 4 })
    #expect(abs(length - (isLast ? 2 : 3)) < 0.001)
    #expect(notes.isEmpty)
  }

  @Test func `the last picture stays for as long as there is sound`() throws {
    var second = Self.second(1)
    second[0].durations[3] = 3_600
    second[1].durations = [Double](repeating: 0.5, count: 60)
    let (_, length, _) = try Self.times(Self.source([Self.second(0), second]))
    #expect(abs(length - 31) < 0.001)
  }

  @Test func `an overlap by less than a picture moves nothing else`() throws {
    var fragments: [[Run]] = []
    for number in 0..<20 {
      var runs = Self.second(Double(number), pictures: 25)
      runs[1].durations = [Double](repeating: 0.0205, count: 50)
      fragments.append(runs)
    }
    let (shown, length, _) = try Self.times(Self.source(fragments))
    Self.expectEqual(shown[0], (0..<500).map { Double($0) / 25 })
    for (number, time) in shown[1].enumerated() {
      #expect(abs(time - Double(number / 50) - Double(number % 50) * 0.0205) < 0.04)
    }
    #expect(abs(length - 20.025) < 0.001)
  }
}
