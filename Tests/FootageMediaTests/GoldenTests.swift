/// The exact bytes of preambles. A change to them requires a higher layout version, which changes every entity tag.

import FootageDigest
import FootageBase
import FootageMedia
import Testing

@Suite struct GoldenTests {
  private func digest(_ bytes: Bytes) -> String { Hexadecimal.encode(SHA256.hash(bytes)) }

  @Test func `the head of a recording whose moov is last`() throws {
    // ftyp at 0, 24 bytes; mdat at 24: samples of 3, 4 and 5 bytes at 32, 35 and, in a chunk of its own, 39.
    let mdat = box("mdat", Bytes(1...12))
    func moov(_ offsets: [Int]) -> Bytes {
      movie([TestTrack(tables: tables(sizes: [3, 4, 5], perChunk: 2, offsets: offsets))])
    }
    let index = try index(of: testFileType + mdat + moov([32, 39]))

    let moovLength = 572
    #expect(moov([0, 0]).count == moovLength)
    // The box at 24 moves after ftyp and moov, so everything moves by the length of moov.
    let head =
      be32(24) + ascii("ftyp") + ascii("isom") + be32(512) + ascii("isom") + ascii("avc1")
      + moov([32 + moovLength, 39 + moovLength])
    #expect(index.preamble == head)
    #expect(index.body == [24..<44])
    let digest = digest(index.preamble)
    #expect(digest == "72a0da60cff489cee0e4b5bc3f42e8169b7588c99e9b95ac1f2e4005dbac21b6")
    #expect(MovieIndex.layoutVersion == 1)
  }

  @Test func `the head of a recording in fragments`() throws {
    let moov = movie([TestTrack(timescale: 600)], extras: box("mvex", trackExtends(duration: 20)))
    func fragment(time: Int, sizes: [Int], at offset: Int) -> Bytes {
      let runs = fullBox(
        "trun", flags: 0xA01, be32(sizes.count), be32(offset), sizes.flatMap { be32($0) + be32(10) })
      return box(
        "moof", fullBox("mfhd", be32(1)),
        box("traf", fullBox("tfhd", flags: 0x2_0000, be32(1)), fullBox("tfdt", be32(time)), runs))
        + box("mdat", Bytes(repeating: 7, count: sizes.reduce(0, +)))
    }
    // A moof of two samples is 100 bytes long, its data 8 bytes further; a moof of one sample is 92 bytes long.
    let first = fragment(time: 0, sizes: [5, 6], at: 108)
    let second = fragment(time: 40, sizes: [7], at: 100)
    let start = testFileType.count + moov.count
    let index = try index(of: testFileType + moov + first + second)
    #expect(index.body == [UInt64(start)..<UInt64(start + first.count + second.count)])
    #expect(first.count == 100 + 8 + 11)

    func expected(_ headLength: Int) -> Bytes {
      // Brands: those of the source, and those that every reader of plain files knows.
      let fileType = box(
        "ftyp", ascii("isom"), be32(512), ascii("isom"), ascii("avc1"), ascii("iso2"), ascii("mp41"))
      let sampleTables =
        // 3 samples of 20 ticks
        table("stts", columns: 2, [3, 20])
        // each sample is shown 10 ticks after it is decoded
        + table("ctts", columns: 2, [3, 10])
        // chunk 1 has two samples, chunk 2 one
        + table("stsc", columns: 3, [1, 2, 1, 2, 1, 1])
        + fullBox("stsz", be32(0), be32(3), be32(5), be32(6), be32(7))
        // the offset of the first moof's data, and of the second's
        + table("stco", [headLength + 108, headLength + first.count + 100])
      // 70 ticks of 600 are 117 of 1,000, rounded up. Nothing is hidden, so there is no edit list.
      var track = TestTrack(timescale: 600, tables: sampleTables).trak
      track.replaceSubrange(36..<40, with: be32(117))
      let mdhd = 8 + 92 + 8
      track.replaceSubrange((mdhd + 24)..<(mdhd + 28), with: be32(60))
      return fileType + box("moov", movieHeader(duration: 117), track)
        // one mdat around all fragments, its size in 64 bits
        + be32(1) + ascii("mdat") + be64(16 + first.count + second.count)
    }
    #expect(index.preamble == expected(expected(0).count))
    let digest = digest(index.preamble)
    #expect(digest == "908d27f4bfe94b61e7b335ed339b379c8dbd7a98ea2fb8dec0ace66e87988f13")
    #expect(MovieIndex.layoutVersion == 1)
  }
}
