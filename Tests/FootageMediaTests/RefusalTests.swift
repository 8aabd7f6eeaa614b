/// Files that are refused or not ready, and the messages that say so.

import FootageBase
import Foundation
import FootageMedia
import Testing

@Suite struct RefusalTests {
  private static let mdat = box("mdat", Bytes(1...12))

  private static func file(_ track: TestTrack, extras: Bytes = []) -> Bytes {
    testFileType + mdat + movie([track], extras: extras)
  }

  private static func file(tables: Bytes) -> Bytes { file(TestTrack(tables: tables)) }

  /// Returns `stsz` and `stco` for one chunk of one sample.
  private static func one(size: Int = 3, offset: Int = 32) -> Bytes {
    tables(sizes: [size], perChunk: 1, offsets: [offset])
  }

  /// Returns the outcome as text; a permanent refusal begins with "!".
  private func words(_ bytes: Bytes) -> String {
    do {
      switch try MovieIndex.make(of: MemoryByteSource(bytes)) {
      case .ready: return "ready"
      case .incomplete(let error): return error.description
      }
    } catch { return "!\(error)" }
  }

  static let endings: [(name: String, bytes: Bytes, words: String)] = [
    ("nothing", [], "the file is empty: nothing was recorded, or the recorder has not begun to write"),
    (
      "a few bytes", [0, 0, 0],
      "the file ends at byte 3, inside the header of the box at byte 0: the recorder never finished this file, or a copy was cut short; stop the recorder cleanly, or copy the file again"
    ),
    (
      "text", ascii("This is my shopping list."),
      "!this is not an MP4 file: it begins with neither 'ftyp' nor any other MP4 box"
    ),
    (
      "text in binary", be32(12) + [1, 2, 3, 4] + zeros(20),
      "!this is not an MP4 file: it begins with neither 'ftyp' nor any other MP4 box"
    ),
    (
      "a small box", be32(7) + ascii("ftyp") + zeros(20),
      "!this is not an MP4 file: it begins with neither 'ftyp' nor any other MP4 box"
    ),
    (
      "a huge ftyp", be32(70_000) + ascii("ftyp") + zeros(20),
      "!this is not an MP4 file: its 'ftyp' claims 70000 bytes, but a few dozen would do"
    ),
    (
      "ftyp alone", testFileType,
      "the recorder never finished this file: its 24 bytes contain no 'moov' box, which says where the pictures are; stop the recorder cleanly, or have it write fragments"
    ),
    (
      "endless mdat", testFileType + be32(0) + ascii("mdat") + zeros(10),
      "the recorder never finished this file: its 42 bytes contain no 'moov' box, which says where the pictures are; stop the recorder cleanly, or have it write fragments"
    ),
    (
      "mdat cut", testFileType + be32(100) + ascii("mdat") + zeros(10),
      "box 'mdat' at byte 24 claims 100 bytes, but the file ends at byte 42: the recorder never finished this file, or a copy was cut short; stop the recorder cleanly, or copy the file again"
    ),
    (
      "moov cut", testFileType + mdat + Bytes(movie([]).prefix(100)),
      "box 'moov' at byte 44 claims 116 bytes, but the file ends at byte 144: the recorder never finished this file, or a copy was cut short; stop the recorder cleanly, or copy the file again"
    ),
    (
      "zeros behind mdat", testFileType + mdat + zeros(50),
      "the recorder never finished this file: its 94 bytes contain no 'moov' box, which says where the pictures are; stop the recorder cleanly, or have it write fragments"
    ),
    (
      "no fragment yet", testFileType + movie([TestTrack()], extras: box("mvex", trackExtends())),
      "the recorder never finished this file: its 596 bytes contain no whole fragment; have the recorder write shorter fragments"
    ),
    (
      "media missing", testFileType + movie([TestTrack(tables: one(offset: 5_000))]),
      "box 'moov/trak/mdia/minf/stbl/stco' at byte 564 refers to samples up to byte 5003, but the file ends at byte 584: it was cut short; copy it again"
    ),
  ]

  @Test(arguments: endings.indices) func `a file that cannot be served says why`(index: Int) {
    let (name, bytes, expected) = Self.endings[index]
    #expect(words(bytes) == expected, "\(name)")
  }

  static let broken: [(name: String, bytes: Bytes, error: String)] = [
    ("two moov", file(tables: one()) + movie([]), "box 'moov' at byte 604 is a duplicate"),
    ("two ftyp", testFileType + testFileType + file(tables: one()), "box 'ftyp' at byte 24 is a duplicate"),
    (
      "two stsz", file(tables: one() + fullBox("stsz", be32(0), be32(0))),
      "stbl/stsz' at byte 604 is a duplicate"
    ),
    (
      "stsz and stz2", file(tables: one() + fullBox("stz2", be32(8), be32(0))),
      "stbl/stz2' at byte 604 is a duplicate"
    ),
    ("stco and co64", file(tables: one() + fullBox("co64", be32(0))), "stbl/co64' at byte 604 is a duplicate"),
    (
      "no mvhd", testFileType + mdat + box("moov", TestTrack(tables: one()).trak),
      "box 'moov' at byte 44 has no 'mvhd' box"
    ),
    ("no stbl tables", file(tables: table("stts", [])), "has no 'stsz' box"),
    ("compressed", testFileType + mdat + box("moov", box("cmov", zeros(20))), "is a compressed 'moov'"),
    (
      "external", file(TestTrack(tables: one(), dataReference: fullBox("url ", ascii("http://x/\0")))),
      "refers to media data in another file"
    ),
    ("timescale 0", testFileType + mdat + movie([TestTrack(tables: one())], timescale: 0), "has a timescale of 0"),
    ("track timescale 0", file(TestTrack(timescale: 0, tables: one())), "has a timescale of 0"),
    ("track 0", file(TestTrack(id: 0, tables: one())), "has the track ID 0"),
    (
      "same track twice", testFileType + mdat + movie([TestTrack(tables: one()), TestTrack(tables: one())]),
      "has the same track ID 1 as another track"
    ),
    (
      "child too long", file(tables: one() + be32(500) + ascii("sdtp")),
      "claims 500 bytes, but its parent ends at byte 612"
    ),
    ("child too short", file(tables: one() + be32(4) + ascii("sdtp")), "claims to be 4 bytes long"),
    (
      "too many sizes",
      file(
        tables: table("stts", columns: 2, [1, 1]) + table("stsc", columns: 3, [1, 1, 1])
          + fullBox("stsz", be32(0), be32(1000)) + table("stco", [32])), "claims 1000 entries but has room for 0"
    ),
    (
      "too many samples, all of one size",
      file(
        tables: table("stts", []) + table("stsc", columns: 3, [1, 60_000_000, 1])
          + fullBox("stsz", be32(1), be32(60_000_000)) + table("stco", [32])), "has more than 50000000 samples"
    ),
    (
      "no room for samples",
      file(
        tables: table("stts", []) + table("stsc", columns: 3, [1, 1, 1]) + fullBox("stsz", be32(1), be32(5))
          + table("stco", [32])), "has room for 1 of 5 samples"
    ),
    (
      "chunks downwards",
      file(
        tables: table("stts", []) + table("stsc", columns: 3, [1, 1, 1, 1, 2, 1]) + fullBox("stsz", be32(1), be32(1))
          + table("stco", [32])), "does not number its chunks in ascending order from 1"
    ),
    (
      "description missing",
      file(
        tables: table("stts", []) + table("stsc", columns: 3, [1, 1, 7]) + fullBox("stsz", be32(1), be32(1))
          + table("stco", [32])), "refers to sample description 7, but there are 1"
    ),
    (
      "time overflow",
      file(
        tables: table("stts", columns: 2, [0xFFFF_FFFF, 0xFFFF_FFFF]) + table("stsc", columns: 3, [1, 1, 1])
          + fullBox("stsz", be32(1), be32(1)) + table("stco", [32])), "has a total duration that is out of range"
    ),
    ("samples in ftyp", file(tables: one(offset: 10)), "refers to samples in bytes 10 to 13, which are not media data"),
    (
      "samples in moov", file(tables: one(offset: 100)),
      "refers to samples in bytes 100 to 103, which are not media data"
    ),
    (
      "samples over the edge", file(tables: one(size: 13)),
      "refers to samples in bytes 32 to 45, which are not media data"
    ),
    (
      "offset overflow", file(tables: tables(sizes: [3], perChunk: 1, offsets: [-1], is64Bit: true)),
      "which is out of range"
    ),
    (
      "items by file offset",
      file(
        TestTrack(tables: one()),
        extras: fullBox("meta", fullBox("iloc", be16(0x4400), be16(1), be16(1), be16(0), be16(1), be32(32), be32(3)))),
      "contains file offsets that cannot be adjusted"
    ),
    (
      "items beside moov",
      testFileType
        + fullBox("meta", fullBox("iloc", be16(0x4400), be16(1), be16(1), be16(0), be16(1), be32(32), be32(3)))
        + box("mdat", Bytes(1...12)) + movie([TestTrack(tables: one(offset: 80))]),
      "contains file offsets that cannot be adjusted"
    ),
    (
      "encryption data elsewhere", file(tables: one() + fullBox("saio", be32(1), be32(10))),
      "contains file offsets that cannot be adjusted"
    ),
    ("too many tracks", testFileType + mdat + movie((1...257).map { TestTrack(id: $0) }), "has more than 256 tracks"),
    (
      "fragment alone", box("styp", zeros(8)) + box("moof", zeros(8)),
      "is a fragment without the 'moov' that describes it"
    ),
    (
      "encrypted fragments",
      testFileType + movie([TestTrack(sampleEntry: box("encv", zeros(78)))], extras: box("mvex", trackExtends()))
        + box("moof", fullBox("mfhd", be32(1))), "describes encrypted samples in fragments"
    ),
  ]

  @Test(arguments: broken.indices) func `a broken file is refused for good`(index: Int) {
    let (name, bytes, error) = Self.broken[index]
    let words = words(bytes)
    #expect(words.hasPrefix("!") && words.contains(error), "\(name): \(words)")
  }

  @Test func `a moov beyond the limit is not read`() throws {
    /// A file of only a header, which fails if more of it is read.
    struct Huge: ByteSource {
      let header: Bytes
      let length: UInt64
      func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws(EndOfBytes) {
        guard offset == 0, buffer.count <= 1 << 16 else { throw EndOfBytes(offset: 0) }
        for index in 0..<buffer.count { buffer[index] = index < header.count ? header[index] : 0 }
      }
    }
    let source = Huge(header: be32(300 << 20) + ascii("moov"), length: 300 << 20)
    #expect(throws: MP4Error.tooMuch(BoxPlace("moov", at: 0), of: "bytes", limit: 176 << 20)) {
      _ = try MovieIndex.make(of: source)
    }
  }
}
