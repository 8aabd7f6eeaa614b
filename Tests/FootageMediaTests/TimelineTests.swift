/// Seconds and bytes, according to a recording's own tables.

import FootageBase
import FootageMedia
import Testing

@Suite struct TimelineTests {
  /// Returns 20 s of video with 2 samples per second and of sound with 1, interleaved second by second: 100 bytes of
  /// video, then 10 of sound.
  private static func recording(edits: [(duration: Int, mediaTime: Int)] = []) -> (bytes: Bytes, head: Int) {
    func head(_ base: Int) -> Bytes {
      let video = TestTrack(
        edits: edits,
        tables: tables(
          sizes: Array(repeating: 50, count: 40), duration: 500, perChunk: 2, offsets: (0..<20).map { base + 110 * $0 })
      )
      let sound = TestTrack(
        id: 2, handler: "soun",
        tables: tables(
          sizes: Array(repeating: 10, count: 20), duration: 1000, perChunk: 1,
          offsets: (0..<20).map { base + 100 + 110 * $0 }))
      return testFileType + movie([video, sound])
    }
    let length = head(0).count
    let head = head(length + 8)
    return (head + box("mdat", zeros(2200)), length)
  }

  private func timeline(_ bytes: Bytes) throws -> MovieTimeline {
    let outcome = MovieTimeline.read(MemoryByteSource(bytes), available: { _ in true }, limit: 1 << 20)
    guard case .ready(let timeline) = outcome else { throw EndOfBytes(offset: 0) }
    return timeline
  }

  @Test func `cached bytes are the seconds whose pictures and sound they hold`() throws {
    let (bytes, head) = Self.recording()
    let timeline = try timeline(bytes)
    let (start, end) = (UInt64(head) + 8, UInt64(bytes.count))
    #expect(timeline.duration == 20)
    #expect(timeline.seconds(of: RangeSet([0..<end])) == [0..<20])
    #expect(timeline.seconds(of: RangeSet([0..<(start + 330)])) == [0..<3])
    // The sound of the third second lacks its last byte.
    #expect(timeline.seconds(of: RangeSet([0..<(start + 329)])) == [0..<2])
    #expect(
      timeline.seconds(of: RangeSet([0..<start, (start + 1100)..<(start + 1430), (start + 2090)..<end])) == [
        10..<13, 19..<20,
      ])
    // Without the head nothing plays.
    #expect(timeline.seconds(of: RangeSet([5..<end])) == [])
    #expect(timeline.seconds(of: RangeSet()) == [])
  }

  @Test func `the first seconds need the head and their samples`() throws {
    let (bytes, head) = Self.recording()
    let timeline = try timeline(bytes)
    let start = UInt64(head) + 8
    #expect(timeline.end(ofFirst: 0) == UInt64(head))
    #expect(timeline.end(ofFirst: 1) == start + 110)
    #expect(timeline.end(ofFirst: 2.5) == start + 330)
    #expect(timeline.end(ofFirst: 1e9) == UInt64(bytes.count))
    #expect(timeline.end(ofFirst: -1) == UInt64(head))
  }

  @Test func `the next seconds are counted from what was read`() throws {
    let (bytes, head) = Self.recording()
    let timeline = try timeline(bytes)
    let start = UInt64(head) + 8
    // Up to the first byte of the media, the next seconds are the first seconds.
    #expect(timeline.end(ofNext: 1, after: 0) == start + 110)
    #expect(timeline.end(ofNext: 1, after: start) == start + 110)
    #expect(timeline.end(ofNext: 1, after: start + 109) == start + 110)
    #expect(timeline.end(ofNext: 1, after: start + 110) == start + 220)
    #expect(timeline.end(ofNext: 2, after: start + 330) == start + 550)
    #expect(timeline.end(ofNext: 1e9, after: start + 330) == UInt64(bytes.count))
    for offset in [UInt64(bytes.count), .max] { #expect(timeline.end(ofNext: 5, after: offset) == UInt64(bytes.count)) }
    for seconds in [0, -1, Double.nan] { #expect(timeline.end(ofNext: seconds, after: start) <= start + 110) }
  }

  @Test func `what an edit list skips is not counted`() throws {
    let (bytes, head) = Self.recording(edits: [(duration: 15_000, mediaTime: 5_000)])
    let timeline = try timeline(bytes)
    // Five seconds of pictures are skipped, but the sound has no edits, and both must be there.
    let needed = UInt64(head) + 8 + 110 * 5 + 100
    #expect(timeline.end(ofFirst: 1) == needed)
  }

  @Test func `it says what it needs next, and is read as soon as that is there`() throws {
    let (bytes, head) = Self.recording()
    var have: UInt64 = 0
    var steps: [Range<UInt64>] = []
    while steps.count < 10 {
      let known = have
      let outcome = MovieTimeline.read(
        MemoryByteSource(bytes), available: { $0.upperBound <= known }, limit: 1 << 20)
      guard case .needs(let range) = outcome else { break }
      #expect(range.upperBound > have)
      have = range.upperBound
      steps.append(range)
    }
    #expect(have == UInt64(head))
    #expect(steps.first == 0..<16)
  }

  @Test func `there is none where the index does not come first, is broken, or too large`() {
    let (bytes, head) = Self.recording()
    var broken = bytes
    // The first box in `moov` is its header; its type is damaged.
    broken[testFileType.count + 12] = 0x78
    let cases: [(Bytes, UInt64)] = [
      (testFileType + box("mdat", zeros(10)) + bytes, 1 << 20), (broken, 1 << 20), (bytes, UInt64(head - 1)),
      (zeros(100), 1 << 20), ([], 1 << 20), ([0, 0, 0], 1 << 20), (testFileType, 1 << 20),
    ]
    for (index, (bytes, limit)) in cases.enumerated() {
      let outcome = MovieTimeline.read(MemoryByteSource(bytes), available: { _ in true }, limit: limit)
      if case .none = outcome { continue }
      Issue.record("case \(index) has a time line")
    }
  }

  @Test func `no damage to the head makes it trap`() {
    let (bytes, head) = Self.recording()
    for index in 0..<head {
      for value in [UInt8(0), 1, 0x7F, 0xFF] {
        var damaged = bytes
        damaged[index] = value
        if case .ready(let timeline) = MovieTimeline.read(
          MemoryByteSource(damaged), available: { _ in true }, limit: 1 << 20)
        {
          #expect(timeline.end(ofFirst: 3) >= UInt64(head) - 8)
          _ = timeline.seconds(of: RangeSet([0..<UInt64(bytes.count)]))
        }
      }
    }
  }
}
