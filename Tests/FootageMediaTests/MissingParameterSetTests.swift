/// Video whose parameter sets are in one of several places, and video without any.

import FootageBase
import FootageMedia
import Testing

@Suite struct MissingParameterSetTests {
  private static let avcUnits: [Bytes] = [[0x67, 1], [0x68, 1]]
  private static let hevcUnits: [Bytes] = [[0x40, 1, 1], [0x42, 1, 1], [0x44, 1, 1]]
  private static let avcPicture: Bytes = [0x65, 9, 9]
  private static let hevcPicture: Bytes = [0x26, 9, 9]

  private static func entry(_ type: String, _ configuration: Bytes) -> Bytes {
    let fields = testVideoEntry.dropFirst(8)
    return box(type, Bytes(fields), configuration)
  }

  private static func avcC(_ sequences: [Bytes], _ pictures: [Bytes], lengthSize: Int = 4) -> Bytes {
    func units(_ units: [Bytes]) -> Bytes { units.flatMap { be16($0.count) + $0 } }
    return box(
      "avcC", [1, 66, 0, 31, 0xFC | UInt8(lengthSize - 1), 0xE0 | UInt8(sequences.count)], units(sequences),
      [UInt8(pictures.count)], units(pictures))
  }

  private static func hvcC(_ sets: [Bytes], lengthSize: Int = 4) -> Bytes {
    box(
      "hvcC", [1], zeros(20), [0xFC | UInt8(lengthSize - 1), UInt8(sets.count)],
      sets.flatMap { [$0[0] >> 1] + be16(1) + be16($0.count) + $0 })
  }

  private static func sample(_ units: [Bytes], lengthSize: Int = 4) -> Bytes {
    units.flatMap { be32($0.count).suffix(lengthSize) + $0 }
  }

  private static func byteStream(_ units: [Bytes]) -> Bytes { units.flatMap { [0, 0, 0, 1] + $0 } }

  struct Case: Sendable {
    var name: String
    var entry: Bytes
    var samples: [Bytes]
    /// The numbers of the sync samples, from 1; nil for all.
    var sync: [Int]?
    var missing: String?
  }

  static let cases: [Case] = {
    let (sps, pps) = (avcUnits[0], avcUnits[1])
    let picture = sample([avcPicture])
    let inBand = sample(avcUnits + [avcPicture])
    let hevcPictureSample = sample([hevcPicture])
    return [
      Case(name: "all in avcC", entry: entry("avc1", avcC([sps], [pps])), samples: [picture]),
      Case(name: "avc3 in band", entry: entry("avc3", avcC([], [])), samples: [inBand, picture]),
      Case(name: "avc1 in band", entry: entry("avc1", avcC([], [])), samples: [inBand]),
      Case(name: "one here, one there", entry: entry("avc1", avcC([sps], [])), samples: [sample([pps, avcPicture])]),
      Case(
        name: "short lengths", entry: entry("avc3", avcC([], [], lengthSize: 2)),
        samples: [sample(avcUnits + [avcPicture], lengthSize: 2)]),
      Case(
        name: "in the first key frame", entry: entry("avc3", avcC([], [])), samples: [picture, inBand], sync: [2]),
      Case(
        name: "in front of the first key frame", entry: entry("avc3", avcC([], [])),
        samples: [sample(avcUnits), picture], sync: [2]),
      Case(name: "a byte stream", entry: entry("avc1", []), samples: [byteStream(avcUnits + [avcPicture])]),
      Case(name: "no configuration", entry: entry("avc1", []), samples: [inBand]),
      Case(name: "no SPS", entry: entry("avc1", avcC([], [pps])), samples: [picture], missing: "SPS"),
      Case(name: "no PPS", entry: entry("avc1", avcC([sps], [])), samples: [picture], missing: "PPS"),
      Case(name: "neither", entry: entry("avc3", avcC([], [])), samples: [picture], missing: "SPS and no PPS"),
      Case(name: "empty sets", entry: entry("avc1", avcC([[]], [[]])), samples: [picture], missing: "SPS and no PPS"),
      Case(
        name: "only in a later picture", entry: entry("avc3", avcC([], [])), samples: [picture, inBand],
        missing: "SPS and no PPS"),
      Case(
        name: "a cut record", entry: entry("avc1", Bytes(avcC([sps], [pps]).prefix(8 + 9))).map { $0 },
        samples: [picture], missing: "SPS and no PPS"),
      Case(
        name: "a byte stream without", entry: entry("avc1", []), samples: [byteStream([avcPicture])],
        missing: "SPS and no PPS"),
      Case(
        name: "a unit longer than its sample", entry: entry("avc3", avcC([], [])), samples: [be32(900) + [0x67, 1]],
        missing: "SPS and no PPS"),
      Case(name: "all in hvcC", entry: entry("hvc1", hvcC(hevcUnits)), samples: [hevcPictureSample]),
      Case(name: "hev1 in band", entry: entry("hev1", hvcC([])), samples: [sample(hevcUnits + [hevcPicture])]),
      Case(
        name: "no VPS", entry: entry("hvc1", hvcC([hevcUnits[1], hevcUnits[2]])), samples: [hevcPictureSample],
        missing: "VPS"),
      Case(
        name: "no PPS in HEVC", entry: entry("hev1", hvcC([hevcUnits[0], hevcUnits[1]])),
        samples: [hevcPictureSample], missing: "PPS"),
      Case(name: "encrypted", entry: entry("encv", []), samples: [picture]),
      Case(name: "another codec", entry: entry("av01", []), samples: [picture]),
    ]
  }()

  private func plain(_ item: Case, beside others: [TestTrack] = []) -> Bytes {
    var tables = table("stts", columns: 2, [item.samples.count, 100])
    tables += table("stsc", columns: 3, [1, item.samples.count, 1])
    tables += fullBox("stsz", be32(0), be32(item.samples.count), item.samples.flatMap { be32($0.count) })
    tables += table("stco", [32])
    if let sync = item.sync { tables += table("stss", sync) }
    return testFileType + box("mdat", item.samples.flatMap { $0 })
      + movie([TestTrack(sampleEntry: item.entry, tables: tables)] + others)
  }

  private func fragmented(_ item: Case) -> Bytes {
    var bytes = testFileType + movie([TestTrack(sampleEntry: item.entry)], extras: box("mvex", trackExtends()))
    for (index, sample) in item.samples.enumerated() {
      let isSync = item.sync?.contains(index + 1) ?? true
      bytes += box(
        "moof", fullBox("mfhd", be32(index + 1)),
        box(
          "traf", fullBox("tfhd", flags: 0x2_0000, be32(1)),
          fullBox(
            "trun", flags: 0x701, be32(1), be32(88), be32(100), be32(sample.count), be32(isSync ? 0 : 0x1_0000))))
      bytes += box("mdat", sample)
    }
    return bytes
  }

  @Test(arguments: cases.indices) func `without its parameter sets a video is refused`(index: Int) throws {
    let item = Self.cases[index]
    // Encrypted fragments are refused for that reason.
    for bytes in [plain(item)] + (item.name == "encrypted" ? [] : [fragmented(item)]) {
      guard let missing = item.missing else {
        #expect(throws: Never.self, "\(item.name)") { _ = try FootageMediaTests.index(of: bytes) }
        continue
      }
      let error = #expect(throws: MP4Error.self, "\(item.name)") { _ = try FootageMediaTests.index(of: bytes) }
      let words = error?.description ?? ""
      #expect(
        words.hasSuffix(
          " has no \(missing), and the first key frame of the video track has none either, so no player can decode it:"
            + " have the recorder store its parameter sets, or repeat them before each key frame"),
        "\(item.name): \(words)")
    }
  }

  /// The first picture is shown for 100 ms, and carries the sets that the other one needs.
  @Test func `a key frame whose sets only an earlier picture brings cannot be shown alone`() throws {
    let first = Self.sample(Self.avcUnits + [Self.avcPicture])
    let item = Case(
      name: "", entry: Self.entry("avc3", Self.avcC([], [])), samples: [first, Self.sample([Self.avcPicture])])
    for bytes in [plain(item), fragmented(item)] {
      let source = MemoryByteSource(bytes)
      let tables = try MovieTables.make(of: source)
      func keyFrame(_ seconds: String) throws -> KeyFrame {
        let made = MemoryByteSource(try SampleIndex.make(of: tables, media: source).bytes)
        return try KeyFrame(at: try #require(DecimalSeconds(seconds)), of: try SampleIndex(made), made)
      }
      let shown = try #require(try keyFrame("0.099").composition.ranges().first)
      #expect(Bytes(bytes[Int(shown.lowerBound)..<Int(shown.upperBound)]) == first)
      let error = ViewError.noParameterSets(missing: "SPS and no PPS")
      #expect(throws: error) { _ = try keyFrame("0.1") }
      #expect(
        error.description
          == "this picture has no SPS and no PPS, which only an earlier picture has: play the recording as it is, and"
          + " have the recorder repeat its parameter sets before every key frame")
    }
  }

  @Test func `sound does not make up for a picture that nothing can decode, another camera does`() throws {
    let item = Case(name: "", entry: Self.entry("avc1", Self.avcC([], [])), samples: [Self.sample([Self.avcPicture])])
    let good = tables(sizes: [3], perChunk: 1, offsets: [32])
    let sound = TestTrack(
      id: 2, handler: "soun", sampleEntry: box("sowt", zeros(6), be16(1), zeros(20)), tables: good)
    #expect(throws: MP4Error.self) { _ = try index(of: plain(item, beside: [sound])) }
    let bytes = plain(item, beside: [TestTrack(id: 2, tables: good)])
    let found = try index(of: bytes)
    #expect(
      found.notes.count == 1 && found.notes[0].contains("has no SPS and no PPS, and the first key frame"),
      "\(found.notes)")
    #expect(try Demuxed(found.served(from: bytes)).tracks.map(\.id) == [2])
  }

  @Test func `a file with its sets in the configuration costs no read of its media`() throws {
    // Far more than the scanner's window, so that reading the sample would be a read of its own.
    let media = Self.avcUnits + [[0x65] + zeros(100_000)]
    let inBand = Case(name: "", entry: Self.entry("avc3", Self.avcC([], [])), samples: [Self.sample(media)])
    let stored = Case(
      name: "", entry: Self.entry("avc1", Self.avcC([media[0]], [media[1]])), samples: [Self.sample(media)])
    final class Counter: ByteSource {
      let bytes: MemoryByteSource
      var reads = 0
      init(_ bytes: Bytes) { self.bytes = MemoryByteSource(bytes) }
      var length: UInt64 { bytes.length }
      func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws(EndOfBytes) {
        reads += 1
        try bytes.read(at: offset, into: buffer)
      }
    }
    let (first, second) = (Counter(plain(stored)), Counter(plain(inBand)))
    _ = try MovieIndex.make(of: first)
    _ = try MovieIndex.make(of: second)
    #expect(first.reads == 3, "the beginning, moov, and the beginning again for ftyp")
    #expect(second.reads == 4, "and the first key frame's beginning")
  }
}
