/// The values that `footage inspect` reads from parameter sets, compared with ffprobe for encoders' sets, and tested on
/// broken sets.

import FootageBase
import Foundation
import FootageMedia
import FootageSystem
import TestSupport
import Testing

@Suite struct VideoCodingTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let codec: String
    let parameters: String
    var format = "yuv420p"
    var options: [String] = []
    let expected: VideoCoding
    var testDescription: String { "\(codec) \(parameters) \(format)" }
  }

  private static let bt709 = ["-colorspace", "bt709", "-color_primaries", "bt709", "-color_trc", "bt709"]

  private static func avc(
    _ profile: String, level: String = "1.0", references: Int, scan: VideoCoding.Scan = .progressive,
    _ coding: VideoCoding.EntropyCoding = .cabac, _ chroma: String = "4:2:0", depth: Int = 8
  ) -> VideoCoding {
    VideoCoding(
      profile: profile, level: level, referenceFrames: references, scan: scan, entropyCoding: coding,
      chromaFormat: chroma, lumaDepth: depth, chromaDepth: depth)
  }

  static let cases = [
    Case(
      codec: "libx264", parameters: "ref=2", options: ["-profile:v", "baseline", "-level", "3.1"],
      expected: avc("Constrained Baseline", level: "3.1", references: 2, .cavlc)),
    Case(codec: "libx264", parameters: "ref=4", expected: avc("High", references: 4)),
    Case(
      codec: "libx264", parameters: "ref=1:bframes=0:cabac=0:8x8dct=0", expected: avc("Main", references: 1, .cavlc)),
    Case(
      codec: "libx264", parameters: "ref=4:cabac=0:interlaced=1", options: ["-level", "2.1"],
      expected: avc("High", level: "2.1", references: 4, scan: .interlaced, .cavlc)),
    Case(
      codec: "libx264", parameters: "ref=4:cqm=jvt", format: "yuv444p",
      expected: avc("High 4:4:4 Predictive", references: 4, .cabac, "4:4:4")),
    Case(
      codec: "libx264", parameters: "ref=16:bframes=8", format: "gray",
      expected: avc("High", references: 16, .cabac, "4:0:0")),
    Case(
      codec: "libx264", parameters: "ref=4", format: "yuv422p10le", options: bt709 + ["-color_range", "pc"],
      expected: avc("High 4:2:2", references: 4, .cabac, "4:2:2", depth: 10)),
    Case(
      codec: "libx265", parameters: "ref=3:bframes=0",
      expected: VideoCoding(
        profile: "Main", level: "1.0", tier: "Main", referenceFrames: 3, scan: .progressive, entropyCoding: .cabac,
        chromaFormat: "4:2:0", lumaDepth: 8, chromaDepth: 8)),
    Case(
      codec: "libx265",
      parameters: "ref=3:bframes=0:scaling-list=default:colorprim=bt2020:transfer=smpte2084:colormatrix=bt2020nc",
      format: "yuv420p10le",
      expected: VideoCoding(
        profile: "Main 10", level: "1.0", tier: "Main", referenceFrames: 3, scan: .progressive, entropyCoding: .cabac,
        chromaFormat: "4:2:0", lumaDepth: 10, chromaDepth: 10)),
    Case(
      codec: "libx265", parameters: "ref=3:bframes=0:interlace=tff", format: "yuv422p",
      expected: VideoCoding(
        profile: "Range Extensions", level: "1.0", tier: "Main", referenceFrames: 3, scan: .interlaced,
        entropyCoding: .cabac, chromaFormat: "4:2:2", lumaDepth: 8, chromaDepth: 8)),
  ]

  private static func make(_ wanted: Case, in folder: TemporaryFolder) throws -> String {
    let path = folder.path("coded.mp4")
    let isAVC = wanted.codec == "libx264"
    _ = try Tool.run(
      "ffmpeg",
      [
        "-v", "error", "-f", "lavfi", "-i", "testsrc2=size=64x48:rate=10:duration=0.8", "-c:v", wanted.codec,
        "-pix_fmt", wanted.format, isAVC ? "-x264-params" : "-x265-params",
        wanted.parameters + (isAVC ? "" : ":log-level=none:pools=1"),
      ] + wanted.options + [path])
    return path
  }

  private static func coding(_ bytes: Bytes) throws -> VideoCoding {
    try #require(Inspection.of(MemoryByteSource(bytes)).tracks.first?.coding)
  }

  @Test(arguments: cases) func `parameter sets say what the encoder was told`(wanted: Case) throws {
    let folder = try TemporaryFolder()
    let path = try Self.make(wanted, in: folder)
    var found = try Self.coding(Array(try Data(contentsOf: URL(fileURLWithPath: path))))
    let text = try Tool.run(
      "ffprobe",
      [
        "-v", "error", "-select_streams", "v:0", "-show_entries",
        "stream=color_range,color_space,color_transfer,color_primaries,has_b_frames", "-of", "default=nk=0:nw=1", path,
      ])
    let probed = Dictionary(
      uniqueKeysWithValues: text.split(separator: "\n").map { line in
        let parts = line.split(separator: "=")
        return (String(parts[0]), parts.last ?? "")
      })
    let range = ["tv": false, "pc": true][probed["color_range"] ?? ""]
    #expect(found.colour?.isFullRange == range, "\(probed)")
    let primaries: [Substring: UInt8] = ["bt709": 1, "bt2020": 9]
    let transfers: [Substring: UInt8] = ["bt709": 1, "smpte2084": 16]
    let matrices: [Substring: UInt8] = ["bt709": 1, "bt2020nc": 9]
    if let colour = found.colour {
      #expect(colour.primaries == primaries[probed["color_primaries"] ?? ""] ?? 2)
      #expect(colour.transfer == transfers[probed["color_transfer"] ?? ""] ?? 2)
      #expect(colour.matrix == matrices[probed["color_space"] ?? ""] ?? 2)
    }
    found.colour = nil
    #expect(found == wanted.expected)
    let depth = Inspection.of(MemoryByteSource(Array(try Data(contentsOf: URL(fileURLWithPath: path))))).tracks.first?
      .statistics?.reorderDepth
    #expect(depth == probed["has_b_frames"].flatMap { Int($0) })
  }

  @Test func `colours have the names that people know`() throws {
    let folder = try TemporaryFolder()
    func colour(_ index: Int) throws -> String? {
      let path = try Self.make(Self.cases[index], in: folder)
      defer { try? FileManager.default.removeItem(atPath: path) }
      return try Self.coding(Array(try Data(contentsOf: URL(fileURLWithPath: path)))).colour?.description
    }
    #expect(try colour(6) == "BT.709, full range")
    #expect(try colour(8) == "BT.2020/PQ/BT.2020, limited range")
    #expect(try colour(1) == nil)
  }

  @Test(arguments: [nil, 90, 180, 270]) func `how players turn the pictures is said`(degrees: Int?) throws {
    let folder = try TemporaryFolder()
    let path = folder.path("turned.mp4")
    // ffmpeg 5.1 counts in the other direction: what it decodes from such a file is rotated accordingly.
    let turn = "rotate=\((360 - (degrees ?? 0)) % 360)"
    let source = try Zoo.path("moov-last.mp4")
    _ = try Tool.run("ffmpeg", ["-v", "error", "-i", source, "-c", "copy", "-metadata:s:v", turn, path])
    let inspection = Inspection.of(try RandomAccessFile(path: path))
    #expect(inspection.tracks.map(\.rotation) == [degrees, nil])
    #expect(inspection.text.contains("\n     rotation      \(degrees ?? 0)° clockwise\n") == (degrees != nil))
    var json = JSONWriter()
    inspection.write(json: &json)
    #expect(json.text.contains("\"rotation\":\(degrees ?? 0),") == (degrees != nil))
  }

  @Test func `parameter sets that only the samples hold are found there`() throws {
    // The `avcC` of avc3 whose sets were replaced with units that mean nothing.
    var bytes = Samples.parameterSetsOnce
    let whole = try Self.coding(Samples.moovLast)
    let box = try #require(bytes.indices.last { bytes[$0...].starts(with: ascii("avcC")) })
    let length = Int(bytes[box + 10]) << 8 | Int(bytes[box + 11])
    bytes[box + 12] &= 0xE0
    bytes[box + 12 + length + 3] &= 0xE0
    #expect(try Self.coding(bytes) == whole)
    #expect(whole.entropyCoding == .cavlc && whole.referenceFrames == 1)
  }

  @Test(arguments: [3, 4, 6, 8, 9]) func `broken parameter sets end nothing, and say less`(index: Int) throws {
    let folder = try TemporaryFolder()
    let path = try Self.make(Self.cases[index], in: folder)
    let bytes = Array(try Data(contentsOf: URL(fileURLWithPath: path)))
    let isAVC = Self.cases[index].codec == "libx264"
    let box = try #require(bytes.indices.last { bytes[$0...].starts(with: ascii(isAVC ? "avcC" : "hvcC")) })
    let end = box - 4 + Demuxed.number(bytes, box - 4, 4)
    let whole = try Self.coding(bytes)
    var random = SeededGenerator(seed: TestRun.seed(of: "parameter sets"))
    var others: Set<VideoCoding> = []
    for round in 0..<1_500 {
      var changed = bytes
      for _ in 0...(round % 4) {
        changed[Int.random(in: (box + 4)..<end, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      // The test also removes the end: all following bits are ones or zeros, which form the longest codes.
      if round % 5 == 0 {
        let cut = Int.random(in: (box + 4)..<end, using: &random)
        for place in cut..<end { changed[place] = round % 2 == 0 ? 0 : 255 }
      }
      let inspection = Inspection.of(MemoryByteSource(changed))
      _ = inspection.text
      guard let found = inspection.tracks.first?.coding else { continue }
      check((found.referenceFrames ?? 0) <= 16 && (8...16).contains(found.lumaDepth ?? 8), "\(found)")
      others.insert(found)
    }
    #expect(others.contains(whole) || others.count > 10)
  }
}
