/// The list of samples, compared with ffprobe and with a plain walk.

import FootageBase
import Foundation
import FootageMedia
import TestSupport
import Testing

@Suite struct SampleListingTests {
  private struct Line: Hashable {
    let track, number, pts, dts, offset, size: Int
    let type: String?
    let isKey: Bool
    let text: String

    init(_ json: Substring) throws {
      let object = try #require(try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any], "\(json)")
      func number(_ name: String) throws -> Int { try #require(object[name] as? Int, "\(json)") }
      track = try number("track")
      self.number = try number("number")
      pts = try number("ptsTicks")
      dts = try number("dtsTicks")
      offset = try number("offset")
      size = try number("size")
      type = object["type"] as? String
      isKey = try #require(object["key"] as? Bool)
      text = String(json)
      // The seconds equal the ticks to a millionth.
      for (name, ticks) in [("pts", pts), ("dts", dts)] {
        let seconds = try #require(object[name] as? Double)
        let exact = Double(ticks) / Double(try number("timescale"))
        check(abs(seconds - exact) < 0.000_000_6, "\(json)")
      }
    }
  }

  private static func lines(
    of bytes: Bytes, keysOnly: Bool = false, page: Int = 1_000, isJSON: Bool = true
  ) throws -> [Substring] {
    let source = MemoryByteSource(bytes)
    var listing = try SampleListing(of: source, .init(isJSON: isJSON, hasKeysOnly: keysOnly))
    var text = ""
    while listing.position != nil { text += String(decoding: try listing.next(page, from: source), as: UTF8.self) }
    #expect(try listing.next(page, from: source) == [])
    return text.split(separator: "\n")
  }

  /// Returns the packets by their offsets in the file, which are all different.
  private static func packets(_ path: String) throws -> [Int: [String: Substring]] {
    let text = try Tool.run(
      "ffprobe",
      ["-v", "error", "-show_entries", "packet=stream_index,pts,dts,size,pos,flags", "-of", "compact=p=0", path])
    var packets: [Int: [String: Substring]] = [:]
    for line in text.split(separator: "\n") {
      var fields: [String: Substring] = [:]
      for field in line.split(separator: "|") {
        let parts = field.split(separator: "=", maxSplits: 1)
        if parts.count == 2 { fields[String(parts[0])] = parts[1] }
      }
      if let place = fields["pos"].flatMap({ Int($0) }) { packets[place] = fields }
    }
    return packets
  }

  @Test func `the list says of each packet what ffprobe says of the recorder's file`() throws {
    for name in try Zoo.made.get().names {
      let bytes = try Zoo.bytes(name)
      let lines = try Self.lines(of: bytes).map { try Line($0) }
      let packets = try Self.packets(try Zoo.path(name))
      #expect(packets.count >= 10, "\(name)")
      let byPlace = Dictionary(uniqueKeysWithValues: lines.map { ($0.offset, $0) })
      var shifts: [String: Set<Int>] = [:]
      var streams: [Int: Substring] = [:]
      for (place, packet) in packets {
        let line = try #require(byPlace[place], "\(name): nothing is listed at \(place)")
        let stream = try #require(packet["stream_index"])
        check(streams.updateValue(stream, forKey: line.track) ?? stream == stream, "\(name), track \(line.track)")
        // The picture that an edit cuts begins with it here, and is not shown at all there.
        let isCut = name == "trimmed.mp4" && stream == "0" && line.pts == 0
        if let pts = packet["pts"].flatMap({ Int($0) }), !isCut {
          shifts["\(stream) pts", default: []].insert(line.pts - pts)
        }
        if let dts = packet["dts"].flatMap({ Int($0) }) { shifts["\(stream) dts", default: []].insert(line.dts - dts) }
        // ffprobe makes larger packets of sound that has a sample for each audio frame.
        guard !name.hasSuffix("pcm.mov") || stream == "0" else { continue }
        let isKey = packet["flags"]?.hasPrefix("K")
        check(Int(packet["size"] ?? "") == line.size && isKey == line.isKey, "\(name): \(packet), \(line.text)")
      }
      // Each sample of a track is listed, whereas ffprobe omits sound that an edit list hides.
      let pictures = lines.filter { streams[$0.track] == "0" }
      #expect(pictures.count == packets.values.count { $0["stream_index"] == "0" }, "\(name)")
      // If an edit begins between two pictures, or offsets are negative, ffprobe shifts the whole track, or has it
      // decoded earlier.
      for (times, shifts) in shifts { #expect(shifts.count == 1, "\(name), stream \(times): \(shifts.sorted())") }
      if !name.hasPrefix("frag"), !name.hasPrefix("gst"), name != "trimmed.mp4" {
        let pictures = shifts.filter { $0.key != "0 dts" || name != "negative-cts.mp4" }
        #expect(pictures.values.allSatisfy { $0 == [0] }, "\(name): \(shifts)")
      }
    }
  }

  @Test func `pictures are of the type that ffprobe decodes`() throws {
    for name in ["moov-last.mp4", "no-b-frames.mp4", "avc3.mp4", "frag-keyframe.mp4", "hevc.mp4", "frag-hevc.mp4"] {
      let text = try Tool.run(
        "ffprobe",
        [
          "-v", "error", "-select_streams", "v:0", "-show_entries", "frame=pict_type,pkt_pos", "-of", "compact=p=0",
          try Zoo.path(name),
        ])
      let types = Dictionary(
        uniqueKeysWithValues: text.split(separator: "\n").compactMap { line -> (Int, String)? in
          let fields = line.split(separator: "|").map { $0.split(separator: "=") }
          guard let place = fields.first(where: { $0.first == "pkt_pos" })?.last.flatMap({ Int($0) }),
            let type = fields.first(where: { $0.first == "pict_type" })?.last
          else { return nil }
          return (place, String(type))
        })
      #expect(Set(types.values).count > 1, "\(name)")
      let lines = try Self.lines(of: try Zoo.bytes(name)).map { try Line($0) }.filter { $0.track == 1 }
      #expect(lines.count == types.count, "\(name)")
      for line in lines { check(line.type == types[line.offset], "\(name): \(line.text)") }
    }
  }

  @Test func `a list of any tables is what a plain walk finds`() throws {
    let seed = TestRun.seed(of: "random tables")
    for round in 0..<60 {
      var random = SeededGenerator(seed: seed &+ UInt64(round))
      let bytes = RandomTrack(using: &random).file
      let samples = try Demuxed(bytes).tracks[0].samples
      let page = Int.random(in: 1...200, using: &random)
      let lines = try Self.lines(of: bytes, page: page).map { try Line($0) }
      #expect(lines.count == samples.count, "seed \(seed), round \(round)")
      for (index, (line, sample)) in zip(lines, samples).enumerated() {
        check(
          line.number == index + 1 && line.dts == sample.dts && line.pts == sample.pts && line.isKey == sample.isSync
            && (line.offset == sample.offset || line.size == 0) && line.size == sample.data.count
            && line.type == (sample.isSync ? "I" : nil),
          "seed \(seed), round \(round): \(line.text), \(sample)")
      }
      let keys = try Self.lines(of: bytes, keysOnly: true, page: page)
      #expect(keys == lines.filter(\.isKey).map { Substring($0.text) }, "seed \(seed), round \(round)")
    }
  }

  @Test func `another listing goes on where one stopped`() throws {
    let bytes = try Zoo.bytes("frag-delayed-sound.mp4")
    let source = MemoryByteSource(bytes)
    for form in [SampleListing.Form(isJSON: false, hasKeysOnly: false), .init(isJSON: true, hasKeysOnly: true)] {
      var position: SampleListing.Position? = .start
      var lines: [Substring] = []
      while let next = position {
        var listing = try SampleListing(of: source, form, from: next)
        #expect(listing.position == next)
        lines += String(decoding: try listing.next(37, from: source), as: UTF8.self).split(separator: "\n")
        position = listing.position
      }
      #expect(try lines == Self.lines(of: bytes, keysOnly: form.hasKeysOnly, isJSON: form.isJSON))
    }
  }

  @Test func `text has columns of one width, below their names, and fits a terminal`() throws {
    for name in ["moov-last.mp4", "frag-keyframe.mp4", "trimmed.mp4", "pcm.mov"] {
      let lines = try Self.lines(of: try Zoo.bytes(name), isJSON: false)
      #expect(lines.first?.split(separator: " ") == ["track", "number", "type", "dts", "pts", "offset", "size"])
      #expect(Set(lines.map(\.count)).count == 1 && lines[0].count <= 80, "\(name)")
      #expect(lines.dropFirst().filter { $0.contains(" I key ") }.count >= 3, "\(name)")
    }
  }

  @Test func `what is not served has no list`() throws {
    let source = MemoryByteSource(ascii("Dear diary, today"))
    #expect(throws: MP4Error.self) { try SampleListing(of: source, .init(isJSON: true, hasKeysOnly: false)) }
  }

  @Test func `a file that ends before its samples do is an error, and no short list`() throws {
    let bytes = try Zoo.bytes("moov-first.mp4")
    var listing = try SampleListing(of: MemoryByteSource(bytes), .init(isJSON: true, hasKeysOnly: false))
    // Models a file that was cut meanwhile.
    #expect(throws: MP4Error.self) {
      try listing.next(200, from: MemoryByteSource(Array(bytes.prefix(bytes.count - 60_000))))
    }
  }
}
