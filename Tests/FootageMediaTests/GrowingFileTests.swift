/// A file that is examined repeatedly while it grows.

import FootageBase
import Foundation
import FootageMedia
import TestSupport
import Testing

@Suite struct GrowingFileTests {
  /// The first bytes of a file, with a count of the bytes that are read.
  private final class Counting: ByteSource {
    private let bytes: Bytes
    /// The number of bytes that exist.
    var length: UInt64 = 0
    private(set) var bytesRead: UInt64 = 0
    /// The number of reads that fail, beginning with the next one.
    var failures = 0

    init(_ bytes: Bytes) { self.bytes = bytes }

    func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws(EndOfBytes) {
      guard failures == 0, UInt64(buffer.count) <= length, offset <= length - UInt64(buffer.count) else {
        failures -= 1
        throw EndOfBytes(offset: length)
      }
      bytesRead += UInt64(buffer.count)
      bytes.withUnsafeBytes { buffer.copyMemory(from: .init(rebasing: $0[Int(offset)...].prefix(buffer.count))) }
    }
  }

  /// The result of a look: an index or an error.
  private enum Look: Equatable {
    case outcome(IndexOutcome)
    case refused(MP4Error)

    init(_ look: () throws(MP4Error) -> IndexOutcome) {
      do throws(MP4Error) { self = .outcome(try look()) } catch { self = .refused(error) }
    }
  }

  private static func random() -> (seed: UInt64, numbers: SeededGenerator) {
    let seed = TestRun.seed(of: "a growing file")
    return (seed, SeededGenerator(seed: seed))
  }

  @Test func `each look at a growing file gives what a first look gives`() throws {
    var (seed, random) = Self.random()
    var ready = 0
    for name in try Zoo.made.get().names {
      let bytes = try Zoo.bytes(name)
      var ends = (0..<8).map { _ in Int.random(in: 0...bytes.count, using: &random) }
      // Ends at the ends of boxes, and a little before and after them.
      let boxes = Demuxed.boxes(bytes, 0..<bytes.count)
      for _ in 0..<8 {
        guard let box = boxes.randomElement(using: &random) else { continue }
        ends.append(min(bytes.count, max(0, box.end + .random(in: -9...9, using: &random))))
      }
      ends += boxes.suffix(3).map(\.end) + [bytes.count]
      var indexer = MovieIndexer()
      for end in ends.sorted() {
        let source = MemoryByteSource(Array(bytes[..<end]))
        let look = Look { () throws(MP4Error) in try indexer.index(source) }
        let first = Look { () throws(MP4Error) in try MovieIndex.make(of: source) }
        #expect(look == first, "\(name), \(end) bytes, seed \(seed)")
        if case .outcome(.ready) = look { ready += 1 }
      }
    }
    #expect(ready > 100)
  }

  /// Returns a `moof` and its `mdat`, with one run of one-byte samples that each have duration, size and flags.
  private static func fragment(_ number: Int, samples: Int) -> Bytes {
    let length = 8 + 16 + (8 + 16 + 16 + 20 + 12 * samples)
    let run = fullBox(
      "trun", flags: 0x701, be32(samples), be32(length + 8),
      (0..<samples).flatMap { be32(40) + be32(1) + be32($0 == 0 ? 0 : 0x1_0000) })
    let traf = box(
      "traf", fullBox("tfhd", flags: 0x2_0000, be32(1)), fullBox("tfdt", be32(40 * samples * number)), run)
    return box("moof", fullBox("mfhd", be32(number)), traf) + box("mdat", zeros(samples))
  }

  private static func beginning(_ track: TestTrack = TestTrack()) -> Bytes {
    testFileType + movie([track], extras: box("mvex", trackExtends()))
  }

  @Test func `a file that is looked at after each fragment is read once in all`() throws {
    var bytes = Self.beginning()
    var ends = [bytes.count]
    // Some fragments are longer than one read, so the count shows if a fragment is read again.
    for number in 0..<60 {
      bytes += Self.fragment(number, samples: number % 3 == 0 ? 20 : 2_000)
      ends.append(bytes.count)
    }
    let once = Counting(bytes)
    once.length = UInt64(bytes.count)
    let whole = try MovieIndex.make(of: once)
    let growing = Counting(bytes)
    var indexer = MovieIndexer()
    var last: IndexOutcome?
    for end in ends {
      growing.length = UInt64(end)
      let before = growing.bytesRead
      last = try indexer.index(growing)
      // A look at unchanged bytes reads no more than `repeatedBytes` again.
      let first = growing.bytesRead
      #expect(try indexer.index(growing) == last)
      #expect(growing.bytesRead - first <= MovieIndexer.repeatedBytes, "\(end), \(first - before) at first")
    }
    #expect(last == whole)
    #expect(growing.bytesRead <= once.bytesRead + UInt64(2 * ends.count) * MovieIndexer.repeatedBytes)
    // Reading everything at each look would take thirty times as much.
    #expect(growing.bytesRead < 3 * once.bytesRead)
  }

  @Test(arguments: ["mdat", "moof", "free", "moov", "ftyp"])
  func `a box without an end goes on with the file`(type: String) throws {
    for beginning in [Self.beginning(), Self.beginning() + Self.fragment(0, samples: 10)] {
      let bytes = beginning + be32(0) + ascii(type) + Self.fragment(1, samples: 10)
      var indexer = MovieIndexer()
      for end in stride(from: beginning.count - 4, through: bytes.count, by: 4) {
        let source = MemoryByteSource(Array(bytes[..<end]))
        let first = Look { () throws(MP4Error) in try MovieIndex.make(of: source) }
        #expect(Look { () throws(MP4Error) in try indexer.index(source) } == first, "\(end) bytes")
      }
    }
  }

  @Test func `a broken fragment is read once, whatever follows it`() throws {
    var bytes = Self.beginning() + Self.fragment(0, samples: 10)
    // A fragment for a track that does not exist, longer than one read.
    let broken = box(
      "moof", fullBox("mfhd", be32(2)), box("traf", fullBox("tfhd", be32(7))), box("free", zeros(200_000)))
    bytes += broken
    let source = Counting(bytes + zeros(1_000))
    var indexer = MovieIndexer()
    for extra in [0, 10, 1_000] {
      source.length = UInt64(bytes.count + extra)
      let before = source.bytesRead
      let first = Look { () throws(MP4Error) in
        try MovieIndex.make(of: MemoryByteSource(bytes + zeros(extra)))
      }
      #expect(Look { () throws(MP4Error) in try indexer.index(source) } == first)
      if extra > 0 { #expect(source.bytesRead - before <= MovieIndexer.repeatedBytes) }
    }
  }

  @Test func `a read that fails is made up for by the next look`() throws {
    var bytes = Self.beginning()
    for number in 0..<5 { bytes += Self.fragment(number, samples: 3_000) }
    let whole = try MovieIndex.make(of: MemoryByteSource(bytes))
    for failing in 0..<12 {
      let source = Counting(bytes)
      var indexer = MovieIndexer()
      source.length = UInt64(bytes.count * failing / 12)
      _ = try? indexer.index(source)
      source.length = UInt64(bytes.count)
      source.failures = 1
      #expect(throws: MP4Error.unreadable(ReadFailure(EndOfBytes(offset: source.length)))) {
        try indexer.index(source)
      }
      #expect(try indexer.index(source) == whole)
    }
  }

  @Test func `a file that has shrunk is read anew`() throws {
    let (long, short) = (try Zoo.bytes("frag-keyframe.mp4"), try Zoo.bytes("moov-last.mp4").prefix(5_000))
    var indexer = MovieIndexer()
    _ = try indexer.index(MemoryByteSource(long))
    let source = MemoryByteSource(Array(short))
    #expect(try indexer.index(source) == MovieIndex.make(of: source))
  }
}
