/// A long preamble that gets shorter: sound in chunks of one sample each.

import FootageMedia
import Testing

@Suite struct SoundChunkTests {
  private static let count = 300

  /// Returns a movie of pictures and sound, with 1 and 2 frames per chunk in turn, one media box before it and one
  /// after it.
  private func file(
    handler: String = "soun", padding: Int, otherTables: Bytes = [], is64Bit: Bool = false, perChunk: [Int] = [1, 2]
  ) -> Bytes {
    let sizes = (0..<Self.count).map { 1 + $0 * 7 % 11 }
    func moov(at start: Int, then second: Int) -> Bytes {
      var offsets: [Int] = []
      var runs: [Int] = []
      var (sample, position) = (0, start)
      while sample < sizes.count {
        let here = min(perChunk[offsets.count % perChunk.count], sizes.count - sample)
        if runs.isEmpty || runs[runs.count - 2] != here { runs += [offsets.count + 1, here, 1] }
        // The second half lies after the movie.
        if sample * 2 >= sizes.count, position < second { position = second }
        offsets.append(position)
        position += sizes[sample..<(sample + here)].reduce(0, +)
        sample += here
      }
      let sound = TestTrack(
        id: 2, handler: handler,
        sampleEntry: handler == "soun" ? box("mp4a", zeros(6), be16(1), zeros(20)) : testVideoEntry,
        tables: table("stts", columns: 2, [sizes.count, 20]) + table("stsc", columns: 3, runs)
          + fullBox("stsz", be32(0), be32(sizes.count), sizes.flatMap(be32)) + otherTables
          + (is64Bit ? fullBox("co64", be32(offsets.count), offsets.flatMap(be64)) : table("stco", offsets)))
      let picture = TestTrack(tables: tables(sizes: [3, 4, 5], perChunk: 2, offsets: [start, start + 7]))
      return movie([picture, sound], extras: box("udta", box("free", zeros(padding))))
    }
    // More bytes than either half needs.
    let media = box("mdat", Bytes((0..<1600).map { UInt8($0 & 255) }))
    let start = testFileType.count + 8
    let second = testFileType.count + media.count + moov(at: 0, then: 0).count + 8
    return testFileType + media + moov(at: start, then: second) + media
  }

  private func chunks(_ bytes: Bytes, track: Int) throws -> (stsc: Int, offsets: Int) {
    let moov = try #require(Demuxed.find(bytes, ["moov"], in: 0..<bytes.count))
    let trak = Demuxed.boxes(bytes, moov.content..<moov.end).filter { $0.type == "trak" }[track]
    let stbl = try #require(Demuxed.find(bytes, ["mdia", "minf", "stbl"], in: trak.content..<trak.end))
    let boxes = Demuxed.boxes(bytes, stbl.content..<stbl.end)
    func count(_ types: Set<String>) throws -> Int {
      Demuxed.number(bytes, try #require(boxes.first { types.contains($0.type) }).content + 4, 4)
    }
    return (try count(["stsc"]), try count(["stco", "co64"]))
  }

  private static let long = 16 << 20

  /// Returns the times of each sample, followed by its data.
  private func samples(_ bytes: Bytes) throws -> [[[Int]]] {
    try Demuxed(bytes).tracks.map { $0.samples.map { [$0.dts, $0.pts] + $0.data.map(Int.init) } }
  }

  @Test(arguments: [false, true])
  func `sound of a long preamble has a sample a chunk, and the same samples`(is64Bit: Bool) throws {
    let file = file(padding: Self.long, is64Bit: is64Bit)
    let index = try index(of: file)
    let served = index.served(from: file)
    let before = try chunks(file, track: 1)
    let after = try chunks(served, track: 1)
    #expect(before == (stsc: 200, offsets: 200))
    #expect(after == (stsc: 1, offsets: Self.count))
    let isEqual = try samples(served) == samples(file)
    #expect(isEqual)
    #expect(try Demuxed(served).tracks[1].samples.count == Self.count)
    // Pictures stay unchanged, and the preamble is shorter by exactly the tables' difference.
    #expect(try chunks(served, track: 0) == (stsc: 1, offsets: 2))
    let saved = 12 * 199 - 100 * (is64Bit ? 8 : 4)
    let head = try #require(Demuxed.find(file, ["moov"], in: 0..<file.count))
    #expect(index.preamble.count == testFileType.count + head.end - head.start - saved)
  }

  @Test func `a preamble of 16 MiB stays as it is`() throws {
    let bare = file(padding: 0)
    let head = try #require(Demuxed.find(bare, ["moov"], in: 0..<bare.count))
    let rest = testFileType.count + head.end - head.start
    for (padding, isSplit) in [(Self.long - rest, false), (Self.long - rest + 1, true)] {
      let index = try index(of: file(padding: padding))
      #expect(try chunks(index.preamble, track: 1).offsets == (isSplit ? Self.count : 200))
      #expect((index.preamble.count == Self.long) == !isSplit)
    }
  }

  @Test(
    arguments: [
      ("pictures", "vide", [1, 2], []),
      ("what gets no shorter", "soun", [50], []),
      ("places by chunk", "soun", [1, 2], fullBox("saio", be32(1), be32(32))),
    ] as [(String, String, [Int], Bytes)])
  func `other chunks stay`(_ what: String, handler: String, perChunk: [Int], otherTables: Bytes) throws {
    let file = file(handler: handler, padding: Self.long, otherTables: otherTables, perChunk: perChunk)
    let served = try index(of: file).served(from: file)
    #expect(try chunks(served, track: 1) == chunks(file, track: 1), "\(what)")
  }
}
