/// Edit lists of files with sample tables that players read differently, and as which they are served.

import FootageBase
import TestSupport
import Testing

@testable import FootageMedia

@Suite struct EditListRepairTests {
  /// Returns a file with its `moov` before the media: pictures of a tenth of a second, decoded in this order.
  ///
  /// - Parameters:
  ///   - offsets: the composition offsets in milliseconds.
  ///   - edits: the edit list of the pictures, in milliseconds, or in the movie's ticks and milliseconds.
  private static func file(
    _ offsets: [Int], edits: [(duration: Int, mediaTime: Int)], movieTimescale: Int = 1_000,
    soundEdits: [(duration: Int, mediaTime: Int)]? = nil
  ) -> Bytes {
    func moov(_ start: Int) -> Bytes {
      func samples(_ place: Int) -> Bytes {
        tables(sizes: Array(repeating: 4, count: offsets.count), perChunk: offsets.count, offsets: [place])
      }
      var pictures = samples(start)
      if offsets.contains(where: { $0 != 0 }) { pictures += table("ctts", columns: 2, offsets.flatMap { [1, $0] }) }
      var tracks = [TestTrack(edits: edits, tables: pictures)]
      if let soundEdits {
        let entry = box("Opus", zeros(6), be16(1), zeros(8), be16(1), be16(16), zeros(4), be32(48_000 << 16))
        tracks.append(
          TestTrack(
            id: 2, handler: "soun", edits: soundEdits, sampleEntry: entry,
            tables: samples(start + 4 * offsets.count)))
      }
      return movie(tracks, timescale: movieTimescale)
    }
    let start = testFileType.count + moov(0).count + 8
    return testFileType + moov(start) + box("mdat", zeros(8 * offsets.count))
  }

  /// Returns the times at which the pictures are shown, in milliseconds.
  private static func times(_ bytes: Bytes) throws -> [Int64] {
    let track = try MovieTables.make(of: MemoryByteSource(bytes)).tracks[0]
    return (0..<track.sampleCount).map { track.presentationTime(of: $0) }
  }

  /// Returns the first edit list that is served: durations and media times.
  private static func edits(_ bytes: Bytes) throws -> [[Int]] {
    let served = try index(of: bytes).served(from: bytes)
    let elst = try #require(Demuxed.find(served, ["moov", "trak", "edts", "elst"], in: 0..<served.count))
    return (0..<Demuxed.number(served, elst.content + 4, 4)).map { row in
      [0, 4].map { Demuxed.number(served, elst.content + 8 + 12 * row + $0, 4) }
    }
  }

  @Test func `an edit that begins with the first picture stays`() throws {
    let lists: [[(duration: Int, mediaTime: Int)]] = [[], [(800, 80)], [(1_000, -1), (800, 80)]]
    for edits in lists {
      #expect(try index(of: Self.file([80, 180, 30, 80], edits: edits, soundEdits: [(400, 0)])).preamble.isEmpty)
    }
    #expect(try index(of: Self.file([0, 0, 0, 0], edits: [(400, 0)])).preamble.isEmpty)
    #expect(try index(of: Self.file([0, 0, 0, 0], edits: [(200, 200)])).preamble.isEmpty)
  }

  /// FFmpeg shows the first picture where such an edit begins, and others 80 ms later.
  @Test func `an edit that begins before the first picture becomes one that begins with it`() throws {
    let lists: [(edits: [(duration: Int, mediaTime: Int)], served: [[Int]], first: Int)] = [
      ([(1_000, -1), (480, 0)], [[1_080, 0xFFFF_FFFF], [400, 80]], 1_080),
      ([(480, 0)], [[80, 0xFFFF_FFFF], [400, 80]], 80), ([(0, 30)], [[50, 0xFFFF_FFFF], [0, 80]], 50),
      ([(500, -1), (500, -1), (50, 0)], [[1_080, 0xFFFF_FFFF], [1, 80]], 1_080),
    ]
    for (edits, served, first) in lists {
      let bytes = Self.file([80, 180, 80, 80], edits: edits, soundEdits: [(400, 0)])
      let made = try index(of: bytes)
      #expect(!made.preamble.isEmpty && made.notes.isEmpty, "\(made.notes)")
      #expect(try Self.edits(bytes) == served)
      #expect(try Self.times(bytes)[0] == Int64(first))
      let film = try FilmSource(bytes)
      #expect(film.index.leading.timing.origin == Int64(80 - first))
    }
  }

  @Test func `the movie's ticks become short enough for such an edit`() throws {
    // Ten ticks a second: 80 ms are none of them.
    let bytes = Self.file(
      [80, 80, 80, 80], edits: [(10, -1), (4, 0)], movieTimescale: 10, soundEdits: [(10, -1), (4, 0)])
    #expect(try Self.edits(bytes) == [[40, 0xFFFF_FFFF], [160, 80]])
    #expect(try Self.times(bytes) == [80, 180, 280, 380])
    let made = try index(of: bytes)
    #expect(abs(made.movie.duration - 0.4) < 0.001, "\(made.movie.duration)")
    let tracks = try MovieTables.make(of: MemoryByteSource(bytes)).tracks
    #expect(tracks[1].presentationTime(of: 0) == 0)
  }

  @Test func `a picture that the edit cuts begins with it`() throws {
    for (offsets, time, expected) in [
      ([0, 0, 0, 0], 130, [-130, 0, 70, 170]), ([100, 200, 0, 100], 250, [-150, 50, 0, 150]),
      ([0, 0, 0, 0], 101, [-101, 0, 99, 199]), ([100, 200, 0, 100], 500, [-400, -200, -300, 0]),
    ] {
      let bytes = Self.file(offsets, edits: [(100, time)], soundEdits: [(100, time)])
      #expect(!(try index(of: bytes)).preamble.isEmpty)
      #expect(try Self.times(bytes) == expected.map { Int64($0) }, "\(offsets) from \(time) on")
      #expect(try Self.edits(bytes) == [[100, time]])
    }
  }

  @Test func `a recording begins with its first picture or sound`() throws {
    let lists: [(edits: [[(duration: Int, mediaTime: Int)]], served: [[Int]], times: [Int64])] = [
      ([[(6_000, -1), (400, 0)], [(6_000, -1), (400, 0)]], [[400, 0]], [0, 0]),
      ([[(2_000, -1), (400, 0)], [(5_000, -1), (400, 0)]], [[400, 0]], [0, 3_000]),
      ([[(500, -1), (500, -1), (400, 0)], [(600, -1), (400, 0)]], [[400, 0xFFFF_FFFF], [400, 0]], [400, 0]),
      ([[(500, -1), (100, 0), (100, 200)], [(500, -1), (400, 0)]], [[100, 0], [100, 200]], [0, 0]),
    ]
    for (edits, served, times) in lists {
      let bytes = Self.file([0, 0, 0, 0], edits: edits[0], soundEdits: edits[1])
      #expect(try Self.edits(bytes) == served)
      let tracks = try MovieTables.make(of: MemoryByteSource(bytes)).tracks
      #expect(tracks.map { $0.presentationTime(of: 0) } == times)
      let made = try index(of: bytes)
      let length = edits.map { $0.map(\.duration).reduce(0, +) }.max() ?? 0
      let wait = edits.map { $0.prefix { $0.mediaTime < 0 }.map(\.duration).reduce(0, +) }.min() ?? 0
      #expect(abs(made.movie.duration - Double(length - wait) / 1_000) < 0.001)
      let seconds = wait / 1_000
      #expect(
        made.notes
          == (seconds == 0 ? [] : ["times begin at \(seconds) s in the file, and at 0 in the served recording"]))
    }
    // Pictures alone.
    #expect(try Self.edits(Self.file([0, 0, 0, 0], edits: [(86_400_000, -1), (400, 0)])) == [[400, 0]])
  }

  @Test func `an empty edit of more than a day is left out`() throws {
    let day = 86_400_000
    let lists: [(edits: [(duration: Int, mediaTime: Int)], served: [[Int]], first: Int64)] = [
      ([(day, -1), (200, 0)], [[day, 0xFFFF_FFFF], [200, 0]], Int64(day)),
      ([(day + 1_000, -1), (200, 0)], [[200, 0]], 0),
      ([(2_000, -1), (0xFFFF_FFFF, -1), (200, 0)], [[2_000, 0xFFFF_FFFF], [200, 0]], 2_000),
      ([(200, 0), (0xFFFF_FFFF, -1), (200, 200)], [[200, 0], [200, 200]], 0),
      ([(day, -1), (1, -1), (200, 0)], [[day, 0xFFFF_FFFF], [200, 0]], Int64(day)),
    ]
    for (edits, served, first) in lists {
      let bytes = Self.file([0, 0, 0, 0], edits: edits, soundEdits: [(400, 0)])
      #expect(try Self.edits(bytes) == served)
      #expect(try Self.times(bytes)[0] == first)
      let isMended = edits.map(\.duration) != served.map { $0[0] }
      let notes = try index(of: bytes).notes
      #expect(notes == (isMended ? ["track 1: empty edits of more than a day are left out"] : []))
    }
    // Nothing else in the list: the track is shown as if it had none.
    let made = try index(of: Self.file([0, 0, 0, 0], edits: [(0xFFFF_FFFF, -1)]))
    #expect(made.movie.duration == 0.4)
  }

  @Test func `a first picture that is shown days late begins a day after the sound, and stays there`() throws {
    let late = Int(Int32.max)
    for (edits, sound) in [([(400, 0)], [(400, 0)]), ([(400, 0)], [(128, -1), (400, 0)])] {
      let bytes = Self.file([late, late, late, late], edits: edits, soundEdits: sound)
      let wait = sound.count > 1 ? 128 : 0
      #expect(try Self.edits(bytes) == [[86_400_000 - wait, 0xFFFF_FFFF], [1, late]])
      #expect(try index(of: index(of: bytes).served(from: bytes)).preamble.isEmpty)
    }
  }

  @Test func `several edits stay as they are`() throws {
    #expect(try index(of: Self.file([80, 80, 80, 80], edits: [(100, 0), (100, 150)])).preamble.isEmpty)
  }
}
