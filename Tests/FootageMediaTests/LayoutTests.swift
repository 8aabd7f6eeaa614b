/// The possible places of boxes in a progressive file, and their places in the served bytes.

import Foundation
import FootageMedia
import Testing

@Suite struct LayoutTests {
  /// A part of a test file. The movie's samples are the 12 bytes 1…12, in chunks of 7 and 5 bytes.
  enum Part {
    case fileType
    /// An `mdat` with the first seven, the last five, or all sample bytes.
    case first, last, all
    /// An `mdat` with all sample bytes: with a 64-bit size, with the size 0, or with both.
    case longAll, endlessAll, longEndlessAll
    case movie, movieWithoutSize
    case other(String)
  }

  private static func file(_ parts: [Part], is64Bit: Bool = false, compact: Int? = nil) -> Bytes {
    func assemble(_ offsets: [Int]) -> (bytes: Bytes, offsets: [Int]) {
      var bytes: Bytes = []
      var found = [0, 0]
      for part in parts {
        switch part {
        case .fileType: bytes += testFileType
        case .first:
          found[0] = bytes.count + 8
          bytes += box("mdat", Bytes(1...7))
        case .last:
          found[1] = bytes.count + 8
          bytes += box("mdat", Bytes(8...12))
        case .all:
          found = [bytes.count + 8, bytes.count + 15]
          bytes += box("mdat", Bytes(1...12))
        case .longAll:
          found = [bytes.count + 16, bytes.count + 23]
          bytes += be32(1) + ascii("mdat") + be64(28) + Bytes(1...12)
        case .endlessAll:
          found = [bytes.count + 8, bytes.count + 15]
          bytes += be32(0) + ascii("mdat") + Bytes(1...12)
        case .longEndlessAll:
          found = [bytes.count + 16, bytes.count + 23]
          bytes += be32(1) + ascii("mdat") + be64(0) + Bytes(1...12)
        case .movie, .movieWithoutSize:
          var track = TestTrack(tables: tables(sizes: [3, 4, 5], perChunk: 2, offsets: offsets, is64Bit: is64Bit))
          if let compact {
            let sizes: Bytes =
              switch compact {
              case 4: [0x34, 0x50]
              case 8: [3, 4, 5]
              default: be16(3) + be16(4) + be16(5)
              }
            track.tables =
              table("stts", columns: 2, [3, 100]) + table("stsc", columns: 3, [1, 2, 1])
              + fullBox("stz2", be32(compact), be32(3), sizes) + table("stco", offsets)
          }
          let moov = FootageMediaTests.movie([track])
          if case .movie = part { bytes += moov } else { bytes += be32(0) + moov.dropFirst(4) }
        case .other(let type): bytes += box(type, ascii("kept"))
        }
      }
      return (bytes, found)
    }
    return assemble(assemble([0, 0]).offsets).bytes
  }

  /// Returns the types of the served top-level boxes.
  private static func types(_ bytes: Bytes) -> [String] { Demuxed.boxes(bytes, 0..<bytes.count).map(\.type) }

  static let layouts: [(parts: [Part], served: [String])] = [
    ([.fileType, .all, .movie], ["ftyp", "moov", "mdat"]),
    ([.fileType, .movie, .all], ["ftyp", "moov", "mdat"]),
    ([.fileType, .first, .movie, .last], ["ftyp", "moov", "mdat", "mdat"]),
    ([.fileType, .last, .movie, .first], ["ftyp", "moov", "mdat", "mdat"]),
    ([.fileType, .first, .last, .movie], ["ftyp", "moov", "mdat", "mdat"]),
    (
      [.fileType, .first, .other("free"), .last, .other("uuid"), .movie],
      ["ftyp", "moov", "mdat", "free", "mdat", "uuid"]
    ),
    ([.fileType, .other("wide"), .longAll, .movie, .other("udta")], ["ftyp", "moov", "wide", "mdat", "udta"]),
    ([.fileType, .movie, .endlessAll], ["ftyp", "moov", "mdat"]),
    ([.fileType, .movie, .longEndlessAll], ["ftyp", "moov", "mdat"]),
    ([.fileType, .other("mdat"), .movie, .endlessAll], ["ftyp", "moov", "mdat", "mdat"]),
    ([.all, .movie], ["moov", "mdat"]),
    ([.all, .movie, .fileType], ["ftyp", "moov", "mdat"]),
    ([.fileType, .all, .movieWithoutSize], ["ftyp", "moov", "mdat"]),
    ([.fileType, .other("sidx"), .movie, .all], ["ftyp", "moov", "mdat"]),
    ([.fileType, .movie, .all, .other("mfra")], ["ftyp", "moov", "mdat"]),
    ([.fileType, .other("skip"), .movie, .other("free"), .all], ["ftyp", "skip", "moov", "free", "mdat"]),
  ]

  @Test(arguments: layouts.indices, [false, true])
  func `moov is served before the media, and every sample is found`(layout: Int, is64Bit: Bool) throws {
    let bytes = Self.file(Self.layouts[layout].parts, is64Bit: is64Bit)
    let served = try index(of: bytes).served(from: bytes)
    #expect(Self.types(served) == Self.layouts[layout].served)
    let samples = try Demuxed(served).tracks[0].samples
    #expect(samples.map { Array($0.data) } == [[1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11, 12]])
    #expect(samples.map(\.dts) == [0, 100, 200])
  }

  @Test(arguments: [4, 8, 16]) func `compact sizes are read`(bits: Int) throws {
    let bytes = Self.file([.fileType, .first, .movie, .last], compact: bits)
    let samples = try Demuxed(index(of: bytes).served(from: bytes)).tracks[0].samples
    #expect(samples.map { Array($0.data) } == [[1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11, 12]])
  }

  /// The third size is in the high half of its byte; the low half is unused.
  @Test(arguments: [(4, [0x34, 0x60]), (8, [3, 4, 6]), (16, [0, 3, 0, 4, 0, 6])] as [(Int, Bytes)])
  func `compact sizes are added up`(bits: Int, sizes: Bytes) throws {
    let tables =
      table("stts", columns: 2, [3, 100]) + table("stsc", columns: 3, [1, 2, 1])
      + fullBox("stz2", be32(bits), be32(3), sizes) + table("stco", [32, 39])
    let bytes = testFileType + box("mdat", Bytes(1...12)) + movie([TestTrack(tables: tables)])
    #expect(
      performing: {
        _ = try index(of: bytes)
      },
      throws: { error in
        guard case MP4Error.samplesOutside(_, 39..<45) = error else { return false }
        return true
      })
  }

  @Test func `a file with moov first is served as it is`() throws {
    let bytes = Self.file([.fileType, .other("skip"), .movie, .other("free"), .all])
    let index = try index(of: bytes)
    #expect(index.preamble.isEmpty)
    #expect(index.body == [0..<UInt64(bytes.count)])
    #expect(index.notes.isEmpty)
  }

  @Test func `ranges that adjoin are one`() throws {
    let bytes = Self.file([.fileType, .first, .other("free"), .last, .movie])
    #expect(try index(of: bytes).body.count == 1)
    #expect(try index(of: Self.file([.fileType, .first, .movie, .last])).body.count == 2)
  }

  @Test func `bytes behind the last box are left out with a note`() throws {
    let bytes = Self.file([.fileType, .movie, .all])
    let index = try index(of: bytes + zeros(100))
    #expect(Self.types(index.served(from: bytes)) == ["ftyp", "moov", "mdat"])
    #expect(index.notes == ["the 100 bytes from byte \(bytes.count) on are not boxes and are left out"])
    #expect(index.body == [UInt64(bytes.count - 20)..<UInt64(bytes.count)])
  }

  @Test(arguments: ["sbtl", "soun"])
  func `a broken track is left out, and the pictures are served`(handler: String) throws {
    let good = TestTrack(tables: tables(sizes: [3, 4, 5], perChunk: 2, offsets: [32, 39]))
    var bad = TestTrack(id: 2, handler: handler, tables: tables(sizes: [9], perChunk: 1, offsets: [4]))
    bad.sampleEntry = box("tx3g", zeros(28))
    let bytes = testFileType + box("mdat", Bytes(1...12)) + movie([bad, good])
    let index = try index(of: bytes)
    let served = try Demuxed(index.served(from: bytes))
    #expect(served.tracks.map(\.id) == [1])
    #expect(served.tracks[0].samples.map { $0.data.count } == [3, 4, 5])
    #expect(index.notes.count == 1 && index.notes[0].hasPrefix("a track of type '\(handler)' is left out: box"))
  }

  @Test func `offsets of encryption data move with it`() throws {
    let saio = fullBox("saio", be32(1), be32(36))
    let tables = tables(sizes: [3, 4, 5], perChunk: 2, offsets: [32, 39]) + saio
    let bytes = testFileType + box("mdat", Bytes(1...12)) + movie([TestTrack(tables: tables)])
    let index = try index(of: bytes)
    let served = index.served(from: bytes)
    let path = ["moov", "trak", "mdia", "minf", "stbl", "saio"]
    let moved = try #require(Demuxed.find(served, path, in: 0..<served.count))
    #expect(served[Demuxed.number(served, moved.content + 8, 4)] == bytes[36])
  }

  @Test func `the same samples at two places in the file make for two shifts`() throws {
    let bytes = Self.file([.fileType, .first, .movie, .last])
    let before = try Demuxed(bytes).tracks[0].samples
    let after = try Demuxed(index(of: bytes).served(from: bytes)).tracks[0].samples
    #expect(after[0].offset - before[0].offset > 0)
    #expect(after[2].offset == before[2].offset)
  }
}
