/// Files that would cost time or memory without containing a recording.

import Foundation
import FootageMedia
import FootageSystem
import TestSupport
import Testing

@Suite struct LimitTests {
  private static let start =
    testFileType + movie([TestTrack()], extras: box("mvex", trackExtends(duration: 10, size: 4)))

  private static func fragment(_ number: Int) -> Bytes {
    let moof = box(
      "moof", fullBox("mfhd", be32(number)),
      box("traf", fullBox("tfhd", flags: 0x2_0000, be32(1)), fullBox("trun", flags: 1, be32(1), be32(76))))
    return moof + box("mdat", be32(number))
  }

  private static func repeated(_ bytes: Bytes, _ count: Int) -> Bytes {
    var all: Bytes = []
    all.reserveCapacity(bytes.count * count)
    for _ in 0..<count { all += bytes }
    return all
  }

  @Test(arguments: [box("mdat"), box("free"), box("moof", fullBox("mfhd", be32(1)))])
  func `boxes without samples are walked up to a limit`(filler: Bytes) throws {
    let good = Self.start + Self.fragment(1)
    let few = good + Self.repeated(filler, 100)
    #expect(throws: Never.self) { _ = try index(of: few) }
    let error = #expect(throws: MP4Error.self) {
      _ = try index(of: good + Self.repeated(filler, (1 << 18) + 100))
    }
    #expect(error?.description.contains("has more than 262144 boxes before it that hold no samples") == true)
  }

  @Test func `fragments bring the boxes that recorders put around them`() throws {
    var bytes = Self.start
    let count = 40_000
    let beside = box("styp", zeros(8)) + box("sidx", zeros(8)) + box("prft") + box("emsg") + box("free") + box("free")
    bytes.reserveCapacity(count * 200)
    for number in 0..<count { bytes += beside + Self.fragment(number) }
    // More boxes than are allowed without samples.
    #expect(8 * count > 1 << 18)
    let found = try index(of: bytes)
    #expect(found.movie.duration == Double(10 * count) / 1000 && !found.isRecovered)
  }

  @Test func `samples without bytes are counted over all fragments`() throws {
    func fragment(_ count: Int) -> Bytes {
      box(
        "moof", fullBox("mfhd", be32(1)),
        box(
          "traf", fullBox("tfhd", flags: 0x2_0000, be32(1)),
          fullBox("trun", flags: 0x200, be32(count), zeros(4 * count)))) + box("mdat")
    }
    #expect(throws: Never.self) { _ = try index(of: Self.start + Self.fragment(1) + fragment(1000)) }
    let many = Self.start + Self.fragment(1) + fragment(1 << 19) + fragment(1 << 19) + fragment(1)
    let error = #expect(throws: MP4Error.self) { _ = try index(of: many) }
    #expect(error?.description.contains("more than 1048576 samples without bytes") == true)
  }

  @Test(.disabled(if: isSanitized), .enabled(if: PeakMemory.isCounted))
  func `a moov of zeros takes no memory`() async throws {
    // A process of its own, whose peak nothing else raises.
    await #expect(processExitsWith: .success) {
      for (type, size) in [("free", 120 << 20), ("free", 170 << 20), ("free", 255 << 20)] {
        let folder = try TemporaryFolder()
        let path = folder.path("sparse.mp4")
        let track = TestTrack(tables: tables(sizes: [3], perChunk: 1, offsets: [32]))
        var moov = movie([track])
        moov.replaceSubrange(0..<4, with: be32(moov.count + size))
        let bytes = testFileType + box("mdat", [1, 2, 3, 4]) + moov + be32(size) + ascii(type)
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        #expect(truncate(path, bytes.count - 8 + size) == 0)
        let source = try RandomAccessFile(path: path)
        let before = try PeakMemory.restart()
        let error = #expect(throws: MP4Error.self) { _ = try MovieIndex.make(of: source) }
        let grown = try PeakMemory.bytes() - before
        #expect(error?.description.contains("bytes") == true, "\(error?.description ?? "")")
        #expect(grown < 32 << 20, "\(grown >> 20) MiB")
        _ = try PeakMemory.restart()
        _ = Inspection.of(source)
        #expect(try PeakMemory.bytes() < 220 << 20)
      }
    }
  }

  @Test func `a large moov of tables is served`() throws {
    // Two million overlapping samples of 4 bytes, each with an offset of its own: 40 MiB of tables.
    let count = 2_200_000
    var times: Bytes = []
    var offsets: Bytes = []
    var sizes: Bytes = []
    for number in 0..<count {
      times += be32(1) + be32(1 + number % 7)
      offsets += be32(32)
      sizes += be32(1 + number % 8)
    }
    let tables =
      fullBox("stts", be32(count), times) + table("stsc", columns: 3, [1, 1, 1])
      + fullBox("stsz", be32(0), be32(count), sizes) + fullBox("stco", be32(count), offsets)
    let bytes = testFileType + box("mdat", Bytes(1...8)) + movie([TestTrack(tables: tables)])
    #expect(bytes.count > 33 << 20)
    let found = try index(of: bytes)
    #expect(found.preamble.count > 33 << 20 && found.notes.isEmpty)
  }
}
