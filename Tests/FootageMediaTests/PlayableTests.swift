/// The contents that make a file a recording: pictures or sound, and everything that a decoder needs.

import FootageBase
import FootageMedia
import Testing

@Suite struct PlayableTests {
  private static let mdat = box("mdat", Bytes(1...12))
  private static let one = tables(sizes: [3], perChunk: 1, offsets: [32])

  /// Returns the outcome as text; a permanent refusal begins with "!".
  private func words(_ bytes: Bytes) -> String {
    do {
      switch try MovieIndex.make(of: MemoryByteSource(bytes)) {
      case .ready(let index): return "ready \(index.notes)"
      case .incomplete(let error): return error.description
      }
    } catch { return "!\(error)" }
  }

  private static let soundEntry = box("sowt", zeros(6), be16(1), zeros(20))

  static let nothingToPlay: [(name: String, tracks: [TestTrack])] = [
    ("no track", []), ("no sample", [TestTrack()]), ("no sample in two tracks", [TestTrack(), TestTrack(id: 2)]),
    ("text alone", [TestTrack(handler: "sbtl", sampleEntry: box("tx3g", zeros(8)), tables: one)]),
    (
      "pictures without a sample beside text",
      [TestTrack(), TestTrack(id: 2, handler: "sbtl", sampleEntry: box("tx3g", zeros(8)), tables: one)]
    ),
  ]

  @Test(arguments: nothingToPlay.indices) func `a moov without a picture or a sound is not ready`(index: Int) {
    let (name, tracks) = Self.nothingToPlay[index]
    let expected =
      "box 'moov' at byte 44 describes neither pictures nor sound: the recorder stopped before the first of them, or"
      + " recorded neither; check the recorder"
    #expect(words(testFileType + Self.mdat + movie(tracks)) == expected, "\(name)")
  }

  @Test func `fragments without a picture or a sound are not ready`() {
    let track = TestTrack(handler: "sbtl", sampleEntry: box("tx3g", zeros(8)))
    let moov = movie([track, TestTrack(id: 2)], extras: box("mvex", trackExtends(duration: 1, size: 2)))
    let fragment = box(
      "moof", fullBox("mfhd", be32(1)),
      box("traf", fullBox("tfhd", flags: 0x2_0000, be32(1)), fullBox("trun", flags: 1, be32(1), be32(76))))
    let words = words(testFileType + moov + fragment + box("mdat", [1, 2]))
    #expect(words.hasPrefix("box 'moov' at byte 24 describes neither pictures nor sound"), "\(words)")
  }

  /// Tracks that are each broken in one way.
  static let broken: [(name: String, track: Bytes, error: String)] = [
    ("no stsd", without("stsd"), "has no 'stsd' box"), ("no stsz", without("stsz"), "has no 'stsz' box"),
    ("no mdia", box("trak", fullBox("tkhd", zeros(8), be32(1), zeros(68))), "has no 'mdia' box"),
    ("no tkhd", box("trak", Bytes(TestTrack(tables: one).trak.dropFirst(8 + 92))), "has no 'tkhd' box"),
    (
      "two stsz", TestTrack(tables: one + fullBox("stsz", be32(0), be32(0))).trak, "is a duplicate"
    ),
    (
      "a sample entry of four bytes", TestTrack(sampleEntry: box("avc1", zeros(4)), tables: one).trak,
      "is too short for its fields"
    ),
    (
      "samples without a description", TestTrack(sampleEntry: [], tables: one).trak,
      "claims 1 sample descriptions but holds 0"
    ),
    ("samples in ftyp", TestTrack(tables: tables(sizes: [3], perChunk: 1, offsets: [10])).trak, "are not media data"),
    ("a child longer than its parent", TestTrack(tables: one + be32(500) + ascii("sdtp")).trak, "claims 500 bytes"),
  ]

  /// Returns a track of pictures without one box of its sample table.
  private static func without(_ type: String) -> Bytes {
    var bytes = TestTrack(tables: one).trak
    guard let place = bytes.firstRange(of: ascii(type)) else { return [] }
    bytes.replaceSubrange(place, with: ascii("free"))
    return bytes
  }

  @Test(arguments: broken.indices) func `a broken track is left out where another one plays`(index: Int) throws {
    let (name, track, error) = Self.broken[index]
    let sound = TestTrack(id: 2, handler: "soun", sampleEntry: Self.soundEntry, tables: Self.one).trak
    let alone = words(testFileType + Self.mdat + box("moov", movieHeader(), track))
    #expect(alone.hasPrefix("!") && alone.contains(error), "\(name): \(alone)")
    // A track that never gets a sample does not play.
    let silent = TestTrack(id: 2, handler: "soun", sampleEntry: Self.soundEntry).trak
    let beside = words(testFileType + Self.mdat + box("moov", movieHeader(), track, silent))
    #expect(beside.hasPrefix("!") && beside.contains(error), "\(name): \(beside)")

    for tracks in [track + sound, sound + track] {
      let bytes = testFileType + Self.mdat + box("moov", movieHeader(), tracks)
      let found = try FootageMediaTests.index(of: bytes)
      #expect(found.notes.count == 1 && found.notes[0].contains(error), "\(name): \(found.notes)")
      #expect(found.movie.video == nil && found.movie.audio?.codec == "sowt")
      let served = try Demuxed(found.served(from: bytes)).tracks
      #expect(served.map(\.id) == [2] && served[0].samples.map { Array($0.data) } == [[1, 2, 3]], "\(name)")
    }
  }

  @Test func `fragments of a broken track are passed over, and what follows them is found`() throws {
    let sound = TestTrack(id: 2, handler: "soun", sampleEntry: Self.soundEntry).trak
    let extends = box("mvex", trackExtends(duration: 1, size: 2), trackExtends(2, duration: 1, size: 3))
    let moov = box("moov", movieHeader(), Self.without("stsd"), sound, extends)
    // Without a base of its own, the second track's data follows the first's.
    let moof = box(
      "moof", fullBox("mfhd", be32(1)),
      box("traf", fullBox("tfhd", be32(1)), fullBox("trun", flags: 1, be32(2), be32(8 + 16 + 44 + 40 + 8 + 8))),
      box("traf", fullBox("tfhd", be32(2)), fullBox("trun", be32(1))))
    let length = 8 + 16 + (8 + 16 + 20) + (8 + 16 + 16)
    #expect(moof.count == length)
    var fragment = moof
    fragment.replaceSubrange((8 + 16 + 8 + 16 + 16)..<(8 + 16 + 8 + 16 + 20), with: be32(length + 8))
    let bytes = testFileType + moov + fragment + box("mdat", Bytes(1...7))
    let found = try index(of: bytes)
    #expect(found.notes.count == 1 && !found.isRecovered, "\(found.notes)")
    let served = try Demuxed(found.served(from: bytes)).tracks
    #expect(served.map(\.id) == [2] && served[0].samples.map { Array($0.data) } == [[5, 6, 7]])
  }

  @Test func `an empty chunk may point anywhere`() throws {
    // The samples of moov: a chunk of samples without bytes, and a chunk with its data.
    for (offset, is64Bit) in [(0, false), (0xFFFF_FFFF, false), (0, true), (-1, true), (Int.max, true)] {
      func start(_ dataOffset: Int) -> Bytes {
        let tables = tables(sizes: [0, 3], duration: 10, perChunk: 1, offsets: [offset, dataOffset], is64Bit: is64Bit)
        return testFileType
          + movie([TestTrack(tables: tables)], extras: box("mvex", trackExtends(duration: 10, size: 2)))
      }
      let head = start(0).count
      let moof = box(
        "moof", fullBox("mfhd", be32(1)),
        box("traf", fullBox("tfhd", flags: 0x2_0000, be32(1)), fullBox("trun", flags: 1, be32(1), be32(76))))
      let bytes = start(head + 8) + box("mdat", [1, 2, 3]) + moof + box("mdat", [4, 5])
      let served = try Demuxed(try index(of: bytes).served(from: bytes)).tracks
      #expect(served[0].samples.map { Array($0.data) } == [[], [1, 2, 3], [4, 5]], "\(offset)")
      #expect(served[0].samples.map(\.dts) == [0, 10, 20])
      // The same tables in a plain file.
      let plain = start(head + 8) + box("mdat", [1, 2, 3])
      #expect(try Demuxed(index(of: plain).served(from: plain)).tracks[0].samples.map(\.data.count) == [0, 3])
    }
  }
}
