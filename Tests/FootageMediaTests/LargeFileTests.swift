/// Files beyond 4 GiB. They are sparse here, since only their headers are read.

import FootageBase
import Foundation
import FootageMedia
import FootageSystem
import TestSupport
import Testing

@Suite struct LargeFileTests {
  private static let gib = 1 << 30

  /// Writes the parts at their offsets into a sparse file of `length` bytes.
  private func sparse(_ length: Int, _ parts: [(at: Int, bytes: Bytes)], in folder: TemporaryFolder) throws -> String {
    let path = folder.path("large.mp4")
    _ = FileManager.default.createFile(atPath: path, contents: nil)
    let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
    try file.truncate(atOffset: UInt64(length))
    for part in parts {
      try file.seek(toOffset: UInt64(part.at))
      try file.write(contentsOf: Data(part.bytes))
    }
    try file.close()
    return path
  }

  private func served(_ path: String) throws -> (index: MovieIndex, bytes: BoundComposition) {
    let file = try RandomAccessFile(path: path)
    guard case .ready(let index) = try MovieIndex.make(of: file) else { throw CommandFailure(description: "not ready") }
    return (index, BoundComposition(index.composition, of: [file]))
  }

  /// Returns the chunk offsets of each track, and the type of the box that holds them.
  private func offsets(_ head: Bytes) throws -> [(type: String, offsets: [Int])] {
    let moov = try #require(Demuxed.find(head, ["moov"], in: 0..<head.count))
    return try Demuxed.boxes(head, moov.content..<moov.end).filter { $0.type == "trak" }.map { trak in
      let stbl = try #require(Demuxed.find(head, ["mdia", "minf", "stbl"], in: trak.content..<trak.end))
      let table = try #require(Demuxed.boxes(head, stbl.content..<stbl.end).last)
      let width = table.type == "co64" ? 8 : 4
      let count = Demuxed.number(head, table.content + 4, 4)
      return (table.type, (0..<count).map { Demuxed.number(head, table.content + 8 + width * $0, width) })
    }
  }

  @Test func `offsets that pass 4 GiB behind the head get 64 bits, and those that this pushes over as well`() throws {
    let limit = 4 * Self.gib
    func moov(_ first: Int, _ second: Int) -> Bytes {
      movie([
        TestTrack(tables: tables(sizes: [4], perChunk: 1, offsets: [second])),
        TestTrack(id: 2, tables: tables(sizes: [4, 4], perChunk: 1, offsets: [40, first])),
        TestTrack(id: 3, tables: tables(sizes: [4], perChunk: 1, offsets: [7 * Self.gib], is64Bit: true)),
        TestTrack(id: 4, tables: tables(sizes: [4], perChunk: 1, offsets: [limit / 2])),
      ])
    }
    let shift = moov(0, 0).count
    // The second track passes 4 GiB. Its table grows by 8 bytes, which pushes the first track over, too.
    let first = limit - shift
    let second = limit - shift - 8
    let moov = moov(first, second)
    let folder = try TemporaryFolder()
    let length = 8 * Self.gib
    let path = try sparse(
      length + moov.count,
      [
        (0, testFileType), (24, be32(1) + ascii("mdat") + be64(length - 24)), (40, ascii("aaaa")),
        (second, ascii("cccc")), (first, ascii("bbbb")), (7 * Self.gib, ascii("dddd")), (limit / 2, ascii("eeee")),
        (length, moov),
      ], in: folder)
    let (index, bytes) = try served(path)
    let found = try offsets(index.preamble)
    #expect(found.map(\.type) == ["co64", "co64", "co64", "stco"])
    #expect(index.preamble.count == testFileType.count + shift + 8 + 4)
    let data = try found.flatMap { try $0.offsets.map { try bytes.bytes(at: UInt64($0), count: 4) } }
    #expect(data.map { String(decoding: $0, as: UTF8.self) } == ["cccc", "aaaa", "bbbb", "dddd", "eeee"])
  }

  @Test func `offsets that stay below 4 GiB keep their 32 bits`() throws {
    let limit = 4 * Self.gib
    func moov(_ offset: Int) -> Bytes { movie([TestTrack(tables: tables(sizes: [4], perChunk: 1, offsets: [offset]))]) }
    let shift = moov(0).count
    let last = limit - shift - 1
    let folder = try TemporaryFolder()
    let path = try sparse(
      limit + shift,
      [
        (0, testFileType), (24, be32(1) + ascii("mdat") + be64(limit - 24)), (last, ascii("last")), (limit, moov(last)),
      ],
      in: folder)
    let (index, bytes) = try served(path)
    #expect(try offsets(index.preamble).map(\.type) == ["stco"])
    #expect(try offsets(index.preamble)[0].offsets == [limit - 1])
    #expect(try bytes.bytes(at: UInt64(limit - 1), count: 4) == ascii("last"))
  }

  @Test func `fragments beyond 4 GiB get 64-bit offsets`() throws {
    let moov = movie([TestTrack()], extras: box("mvex", trackExtends(duration: 10, size: 4)))
    func moof(_ number: Int) -> Bytes {
      box(
        "moof", fullBox("mfhd", be32(number)),
        box("traf", fullBox("tfhd", flags: 0x2_0000, be32(1)), fullBox("trun", flags: 1, be32(1), be32(16 + 60 + 16))))
    }
    let fragmentLength = 3 * Self.gib
    let media = be32(1) + ascii("mdat") + be64(fragmentLength - moof(1).count)
    var parts: [(at: Int, bytes: Bytes)] = [(0, testFileType + moov)]
    for number in 0..<3 {
      let start = testFileType.count + moov.count + number * fragmentLength
      parts.append((start, moof(number + 1) + media))
      parts.append((start + 92, ascii("pic\(number)")))
    }
    let folder = try TemporaryFolder()
    let path = try sparse(testFileType.count + moov.count + 3 * fragmentLength, parts, in: folder)
    let (index, bytes) = try served(path)
    let found = try offsets(index.preamble)
    #expect(found.map(\.type) == ["co64"])
    let data = try found[0].offsets.map { try bytes.bytes(at: UInt64($0), count: 4) }
    #expect(data.map { String(decoding: $0, as: UTF8.self) } == ["pic0", "pic1", "pic2"])
    #expect(index.body == [UInt64(testFileType.count + moov.count)..<UInt64(parts[1].at + 3 * fragmentLength)])
  }

  @Test func `an index reads headers and no media`() throws {
    /// A file that counts the bytes that are read.
    final class Counting: ByteSource {
      let file: RandomAccessFile
      var bytesRead = 0
      init(_ file: RandomAccessFile) { self.file = file }
      var length: UInt64 { file.length }
      func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws(StorageError) {
        bytesRead += buffer.count
        try file.read(at: offset, into: buffer)
      }
    }
    func bytesRead(_ length: Int) throws -> Int {
      let moov = movie([TestTrack(tables: tables(sizes: [4], perChunk: 1, offsets: [40], is64Bit: true))])
      let folder = try TemporaryFolder()
      let path = try sparse(
        length + moov.count,
        [(0, testFileType), (24, be32(1) + ascii("mdat") + be64(length - 24)), (length, moov)], in: folder)
      let source = Counting(try RandomAccessFile(path: path))
      _ = try MovieIndex.make(of: source)
      return source.bytesRead
    }
    let small = try bytesRead(100 << 20)
    #expect(small < 64 << 10)
    #expect(try bytesRead(8 * Self.gib) == small)
  }
}
