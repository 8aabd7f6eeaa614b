/// Builders of boxes for tests, field by field.

typealias Bytes = [UInt8]

func ascii(_ text: String) -> Bytes { Bytes(text.utf8) }
func be16(_ value: Int) -> Bytes { [UInt8(value >> 8 & 255), UInt8(value & 255)] }
func be32(_ value: Int) -> Bytes { be16(value >> 16) + be16(value) }
func be64(_ value: Int) -> Bytes { be32(value >> 32) + be32(value) }
func zeros(_ count: Int) -> Bytes { Bytes(repeating: 0, count: count) }

func box(_ type: String, _ parts: Bytes...) -> Bytes {
  let content = parts.flatMap { $0 }
  return be32(8 + content.count) + ascii(type) + content
}

func fullBox(_ type: String, version: Int = 0, flags: Int = 0, _ parts: Bytes...) -> Bytes {
  box(type, be32(version << 24 | flags), parts.flatMap { $0 })
}

/// Returns a table of 32-bit numbers after its count.
func table(_ type: String, version: Int = 0, columns: Int = 1, _ numbers: [Int]) -> Bytes {
  fullBox(type, version: version, be32(numbers.count / columns), numbers.flatMap(be32))
}

/// A track for tests, with samples that may be in fragments.
struct TestTrack {
  var id = 1
  var handler = "vide"
  var timescale = 1000
  /// The matrix: nine 32-bit numbers.
  var matrix = zeros(36)
  var edits: [(duration: Int, mediaTime: Int)] = []
  var sampleEntry = testVideoEntry
  /// The boxes from `stts` to `stco` or `co64`.
  var tables: Bytes = emptyTables
  var trackExtras: Bytes = []
  var dataReference = fullBox("url ", flags: 1)

  static let emptyTables = table("stts", []) + table("stsc", []) + fullBox("stsz", be32(0), be32(0)) + table("stco", [])

  var trak: Bytes {
    var edts: Bytes = []
    if !edits.isEmpty {
      edts = box(
        "edts",
        fullBox(
          "elst", be32(edits.count),
          edits.flatMap { be32($0.duration) + be32($0.mediaTime) + be32(0x1_0000) }))
    }
    return box(
      "trak",
      fullBox("tkhd", flags: 3, zeros(8), be32(id), zeros(4), be32(0), zeros(16), matrix, zeros(8)), edts, trackExtras,
      box(
        "mdia",
        fullBox("mdhd", zeros(8), be32(timescale), be32(0), be16(0x55C4), be16(0)),
        fullBox("hdlr", zeros(4), ascii(handler), zeros(12), ascii("x\0")),
        box(
          "minf", fullBox("vmhd", flags: 1, zeros(8)), box("dinf", fullBox("dref", be32(1), dataReference)),
          box("stbl", fullBox("stsd", be32(1), sampleEntry), tables))))
  }
}

/// A sample entry of 320×180 for a codec that needs no parameter sets.
let testVideoEntry = box(
  "mp4v", zeros(6), be16(1), zeros(16), be16(320), be16(180), be32(0x48_0000), be32(0x48_0000), zeros(4), be16(1),
  zeros(32), be16(24), be16(0xFFFF))

let testFileType = box("ftyp", ascii("isom"), be32(512), ascii("isom"), ascii("avc1"))

func movieHeader(timescale: Int = 1000, creation: Int = 0, duration: Int = 0, matrix: Bytes? = nil) -> Bytes {
  fullBox(
    "mvhd", be32(creation), be32(0), be32(timescale), be32(duration), be32(0x1_0000), be16(0x100), zeros(10),
    matrix ?? [1, 0, 0, 0x40].flatMap { be32($0) } + zeros(20), zeros(24), be32(2))
}

func movie(_ tracks: [TestTrack], timescale: Int = 1000, matrix: Bytes? = nil, extras: Bytes = []) -> Bytes {
  box("moov", movieHeader(timescale: timescale, matrix: matrix), tracks.flatMap(\.trak), extras)
}

/// Returns a `trex` with the defaults that most recorders write.
func trackExtends(_ id: Int = 1, duration: Int = 0, size: Int = 0, flags: Int = 0) -> Bytes {
  fullBox("trex", be32(id), be32(1), be32(duration), be32(size), be32(flags))
}

/// Returns `stts` to `stco` for samples of these sizes, `duration` each, in chunks at these offsets.
func tables(sizes: [Int], duration: Int = 100, perChunk: Int, offsets: [Int], is64Bit: Bool = false) -> Bytes {
  table("stts", columns: 2, [sizes.count, duration]) + table("stsc", columns: 3, [1, perChunk, 1])
    + fullBox("stsz", be32(0), be32(sizes.count), sizes.flatMap(be32))
    + (is64Bit
      ? fullBox("co64", be32(offsets.count), offsets.flatMap(be64)) : table("stco", offsets))
}
