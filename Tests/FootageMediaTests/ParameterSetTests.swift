/// Profile, level, size and rate, from the codecs' own parameter sets.

import FootageBase
import FootageMedia
import Testing

@Suite struct ParameterSetTests {
  /// - Parameter units: the units of the sample, each of which follows its length in bytes.
  private func video(
    _ type: String, _ configuration: Bytes, units: [Bytes] = [[0x67], [0x68]], lengthSize: Int = 4
  ) throws -> VideoFormat {
    var entry = testVideoEntry
    entry.replaceSubrange(4..<8, with: ascii(type))
    let sample = units.flatMap { be32($0.count).suffix(lengthSize) + $0 }
    let track = TestTrack(
      sampleEntry: be32(entry.count + configuration.count) + entry.dropFirst(4) + configuration,
      tables: tables(sizes: [sample.count], duration: 0, perChunk: 1, offsets: [32]))
    return try #require(index(of: testFileType + box("mdat", sample) + movie([track])).movie.video)
  }

  private func audio(_ type: String, rate: Int = 44_100, channels: Int = 2, _ extras: Bytes) throws -> AudioFormat {
    let entry = box(
      type, zeros(6), be16(1), zeros(8), be16(channels), be16(16), zeros(4), be32(rate << 16), extras)
    let track = TestTrack(
      handler: "soun", sampleEntry: entry, tables: tables(sizes: [3], perChunk: 1, offsets: [32]))
    return try #require(index(of: testFileType + box("mdat", [1, 2, 3]) + movie([track])).movie.audio)
  }

  private func avcC(_ parameters: Bytes) -> Bytes {
    box("avcC", [1], Bytes(parameters[1...3]), [0xFF, 0xE1], be16(parameters.count), parameters, [0])
  }

  /// Returns the bytes of bits that are written as text, with blanks between the fields, ended like a parameter set.
  private func bits(_ text: String) -> Bytes {
    var digits = text.filter { $0 != " " } + "1"
    while digits.count % 8 != 0 { digits += "0" }
    var bytes: Bytes = []
    var rest = Substring(digits)
    while let byte = UInt8(rest.prefix(8), radix: 2) {
      bytes.append(byte)
      rest = rest.dropFirst(8)
    }
    // Emulation prevention (ISO/IEC 14496-10 §7.4.1).
    var escaped: Bytes = []
    for byte in bytes {
      if escaped.suffix(2) == [0, 0], byte <= 3 { escaped.append(3) }
      escaped.append(byte)
    }
    return escaped
  }

  /// Returns the code ue(v).
  private func ue(_ value: Int) -> String {
    let digits = String(value + 1, radix: 2)
    return String(repeating: "0", count: digits.count - 1) + digits
  }

  private func fixed(_ value: Int, _ count: Int) -> String {
    let digits = String(value, radix: 2)
    return String(repeating: "0", count: count - digits.count) + digits
  }

  /// Returns a sequence parameter set of the baseline or the high profile.
  private func sps(
    profile: Int = 66, high: String = "", widthInMacroblocks: Int, heightInUnits: Int, framesOnly: Bool = true,
    crop: [Int] = [], timing: (units: Int, scale: Int)? = nil
  ) -> Bytes {
    var text = fixed(profile, 8) + fixed(0xC0, 8) + fixed(31, 8) + ue(0) + high
    // log2_max_frame_num, picture order count type 0, reference frames, no gaps
    text += ue(0) + ue(0) + ue(0) + ue(1) + "0" + ue(widthInMacroblocks - 1) + ue(heightInUnits - 1)
    text += framesOnly ? "1" : "00"
    text += "1" + (crop.isEmpty ? "0" : "1" + crop.map(ue).joined())
    if let timing {
      // Aspect ratio given in full, overscan, colors, chroma location: the reader must skip all of them.
      text += "1" + "1" + fixed(255, 8) + fixed(1, 16) + fixed(1, 16) + "11" + "1" + fixed(5, 3) + "0" + "1"
      text += fixed(1, 24) + "1" + ue(0) + ue(0) + "1" + fixed(timing.units, 32) + fixed(timing.scale, 32) + "1"
    } else {
      text += "0"
    }
    return [0x67] + bits(text)
  }

  @Test func `a cropped picture has the size that is shown`() throws {
    let video = try video(
      "avc1", avcC(sps(widthInMacroblocks: 120, heightInUnits: 68, crop: [0, 0, 0, 4], timing: (1, 60))))
    #expect(video == VideoFormat(codec: "avc1.42C01F", width: 1920, height: 1080, frameRate: 30))
  }

  @Test func `interlaced pictures are twice as high as their map units say`() throws {
    let video = try video(
      "avc3", avcC(sps(widthInMacroblocks: 45, heightInUnits: 18, framesOnly: false, timing: (1_001, 60_000))))
    #expect(video.codec == "avc3.42C01F" && video.width == 720 && video.height == 576)
    #expect(abs((video.frameRate ?? 0) - 29.97) < 0.001)
  }

  @Test func `the high profile's chroma format and scaling lists are passed over`() throws {
    // 4:2:2, 10 bits, and a scaling matrix with its first list of eight.
    let matrix = ue(2) + ue(2) + ue(2) + "0" + "1" + "1" + String(repeating: ue(0), count: 16) + "0000000"
    let video = try video(
      "avc1", avcC(sps(profile: 122, high: matrix, widthInMacroblocks: 20, heightInUnits: 12, crop: [0, 0, 0, 12])))
    #expect(video.codec == "avc1.7AC01F" && video.width == 320 && video.height == 180)
  }

  @Test func `a parameter set that ends early leaves the size of the sample entry`() throws {
    let whole = sps(widthInMacroblocks: 120, heightInUnits: 68, crop: [0, 0, 0, 4], timing: (1, 60))
    for count in 4..<8 {
      let video = try video("avc1", avcC(Bytes(whole.prefix(count))))
      #expect(video.codec == "avc1.42C01F" && video.width == 320 && video.height == 180, "\(count)")
    }
  }

  @Test(arguments: [
    ("avc1", [] as Bytes, "avc1"), ("mp4v", [], "mp4v"),
    ("hvc1", box("hvcC", [1, 1, 0x60, 0, 0, 0, 0xB0, 0, 0, 0, 0, 0, 93] + zeros(10)), "hvc1.1.6.L93.B0"),
    ("hev1", box("hvcC", [1, 0xA4, 0x10, 0, 0, 0, 0xB0, 0x23, 0, 0, 0, 0, 120] + zeros(10)), "hev1.B4.8.H120.B0.23"),
    ("av01", box("av1C", [0x81, 0x08, 0x4C, 0]), "av01.0.08M.10"),
    ("av01", box("av1C", [0x81, 0x4D, 0x8C, 0]), "av01.2.13H.08"),
    ("vp09", fullBox("vpcC", version: 1, [0, 31, 0x82, 2, 2, 2, 0, 0]), "vp09.00.31.08"),
    ("hvc1", box("hvcC", [1]), "hvc1"),
  ])
  func `codecs are named as their specifications say`(type: String, configuration: Bytes, codec: String) throws {
    let units: [Bytes] = type.hasPrefix("h") ? [[0x40], [0x42], [0x44]] : [[0x67], [0x68]]
    // The HEVC records here give a length size of 1 if they are long enough to give one.
    let lengthSize = type.hasPrefix("h") && configuration.count > 9 ? 1 : 4
    #expect(try video(type, configuration, units: units, lengthSize: lengthSize).codec == codec)
  }

  /// Returns an `esds` around this AudioSpecificConfig.
  private func esds(_ specific: Bytes, objectType: UInt8 = 0x40, longSizes: Bool = false) -> Bytes {
    func descriptor(_ tag: UInt8, _ body: Bytes) -> Bytes {
      [tag] + (longSizes ? [0x80, 0x80, 0x80] : []) + [UInt8(body.count)] + body
    }
    let decoder = descriptor(4, [objectType, 0x15] + zeros(11) + (specific.isEmpty ? [] : descriptor(5, specific)))
    return fullBox("esds", descriptor(3, be16(1) + [0] + decoder + descriptor(6, [2])))
  }

  @Test func `sound is described by its own configuration`() throws {
    // AAC-LC, 48 kHz, one channel, regardless of the sample entry.
    #expect(try audio("mp4a", esds([0x11, 0x88])) == AudioFormat(codec: "mp4a.40.2", sampleRate: 48_000, channels: 1))
    #expect(
      try audio("mp4a", esds([0x11, 0x90], longSizes: true))
        == AudioFormat(codec: "mp4a.40.2", sampleRate: 48_000, channels: 2))
    // HE-AAC: the core runs at 24 kHz, the output at 48 kHz.
    #expect(try audio("mp4a", esds([0x2B, 0x11, 0x88, 0x00])).codec == "mp4a.40.5")
    #expect(try audio("mp4a", esds([0x2B, 0x11, 0x88, 0x00])).sampleRate == 48_000)
    // A rate in 24 bits instead of an index: 44,100 Hz.
    #expect(try audio("mp4a", esds([0x17, 0x80, 0x56, 0x22, 0x10])).sampleRate == 44_100)
    #expect(
      try audio("mp4a", esds([], objectType: 0x6B)) == AudioFormat(codec: "mp4a.6B", sampleRate: 44_100, channels: 2))
    #expect(try audio("mp4a", []) == AudioFormat(codec: "mp4a", sampleRate: 44_100, channels: 2))
    #expect(
      try audio("Opus", rate: 24_000, box("dOps", [0, 6] + zeros(9)))
        == AudioFormat(codec: "Opus", sampleRate: 48_000, channels: 6))
  }

  @Test func `the creation time is counted from 1970, whichever epoch the recorder used`() throws {
    func created(_ value: Int) throws -> Int64? {
      let track = TestTrack(tables: tables(sizes: [3], perChunk: 1, offsets: [32]))
      let moov = box("moov", movieHeader(creation: value), track.trak)
      return try index(of: testFileType + box("mdat", [1, 2, 3]) + moov).movie.creationTime
    }
    #expect(try created(0) == nil)
    #expect(try created(2_082_844_800 + 1_700_000_000) == 1_700_000_000)
    #expect(try created(1_700_000_000) == 1_700_000_000)
  }
}
