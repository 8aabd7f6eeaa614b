/// One picture of a recording as an MP4 of its own.

import Foundation
import FootageBase
import FootageMedia
import TestSupport
import Testing

@Suite struct KeyFrameTests {
  private static func bytes(_ composition: Composition, from source: Bytes) -> Bytes {
    composition.slices.flatMap { slice -> Bytes in
      switch slice {
      case .literal(let bytes): Array(bytes)
      case .range(_, let range): Array(source[Int(range.lowerBound)..<Int(range.upperBound)])
      }
    }
  }

  private static func keyFrame(at time: DecimalSeconds, of bytes: Bytes) throws -> KeyFrame {
    let source = MemoryByteSource(bytes)
    let made = try SampleIndex.make(of: try MovieTables.make(of: source), media: source)
    let index = MemoryByteSource(made.bytes)
    return try KeyFrame(at: time, of: try SampleIndex(index), index)
  }

  private static func seconds(_ text: String) throws -> DecimalSeconds { try #require(DecimalSeconds(text)) }

  /// Returns each frame of the first video track, in display order. One decoder handles several files, because it takes
  /// longer to start than to decode them.
  private static func frames(_ paths: [String]) throws -> [[String]] {
    let outputs = paths.map { $0 + ".frames" }
    let decoded = paths.indices.flatMap { index in
      ["-map", "\(index):v:0", "-fps_mode", "passthrough", "-f", "framemd5", "-y", outputs[index]]
    }
    _ = try Tool.run("ffmpeg", ["-v", "error"] + paths.flatMap { ["-i", $0] } + decoded)
    return try outputs.map { path in
      try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").filter { !$0.hasPrefix("#") }
        .compactMap { $0.split(separator: ",").last?.trimmingCharacters(in: .whitespaces) }
    }
  }

  /// Returns everything by which a player judges a picture.
  private static func description(_ path: String) throws -> String {
    try Tool.run(
      "ffprobe",
      [
        "-v", "error", "-select_streams", "v:0", "-show_data_hash", "md5", "-show_entries",
        "stream=codec_name,codec_tag_string,profile,level,width,height,pix_fmt,sample_aspect_ratio,color_range,"
          + "color_space,color_transfer,color_primaries,field_order,extradata_size,extradata_hash:stream_side_data",
        "-of", "default", path,
      ])
  }

  @Test func `each key frame decodes alone to the frame that the recording shows there`() throws {
    let folder = try TemporaryFolder()
    for name in try Zoo.made.get().names {
      let bytes = try Zoo.bytes(name)
      let index = try index(of: bytes)
      let tables = try MovieTables.make(of: MemoryByteSource(bytes))
      let track = try #require(tables.video, "\(name)")
      let served = folder.path("served-" + name)
      try Data(index.served(from: bytes)).write(to: URL(fileURLWithPath: served))
      // If the parameter sets are complete in the sample entry, its name says so.
      let description = try Self.description(served).replacing("avc3", with: "avc1").replacing("hev1", with: "hvc1")
      var seen: [Int: Bytes] = [:]
      var views: [(time: String, shown: Int64, path: String)] = []
      // The times include the middle of the recording and its end.
      for text in ["0", "\(index.movie.duration / 2)", "1000"] {
        let time = try Self.seconds(String(text.prefix(8)))
        let composition = try Self.keyFrame(at: time, of: bytes).composition
        let made = Self.bytes(composition, from: bytes)
        let sample = try #require(
          track.syncSample(atOrBefore: track.mediaTime(at: time)) ?? track.syncSample(after: track.mediaTime(at: time)))
        // In a short recording, several times have the same key frame, which is decoded once.
        if let same = seen.updateValue(made, forKey: sample) {
          #expect(same == made, "\(name) at \(text)")
          continue
        }
        let view = folder.path("keyframe-\(views.count).mp4")
        try Data(made).write(to: URL(fileURLWithPath: view))
        views.append((text, track.presentationTime(of: sample), view))
        #expect(try Self.description(view) == description, "\(name) at \(text)")
        let packets = try Packets(of: view)
        #expect(packets.streams.count == 1 && packets.streams[0]?.count == 1 && packets.streams[0]?[0].isKey == true)
        // About 780 bytes of boxes, and one range of the recorder's file.
        guard case .literal(let head) = composition.slices[0], composition.slices.count == 2,
          case .range(0, _) = composition.slices[1]
        else {
          Issue.record("\(name): \(composition.slices.count) slices")
          continue
        }
        #expect(head.count < 1_000 || name.hasSuffix(".mov") || name.contains("hevc"), "\(name): \(head.count) bytes")
      }
      let frames = try Self.frames([served] + views.map(\.path))
      let times = (0..<track.sampleCount).map { track.presentationTime(of: $0) }
      for (view, found) in zip(views, frames.dropFirst()) {
        guard view.shown >= 0 else {
          // A picture before the first edit is decoded and not shown, so there is no frame to compare with.
          #expect(found.count == 1, "\(name) at \(view.time)")
          continue
        }
        let place = times.count { $0 >= 0 && $0 < view.shown }
        #expect(found == [frames[0][place]], "\(name) at \(view.time)")
      }
    }
  }

  @Test func `rotation and colours stay`() throws {
    let folder = try TemporaryFolder()
    let (plain, rotated) = (folder.path("plain.mp4"), folder.path("rotated.mp4"))
    _ = try Tool.run(
      "ffmpeg",
      [
        "-v", "error", "-f", "lavfi", "-i", "testsrc2=size=320x180:rate=10:duration=2", "-vf", "setsar=4/3", "-c:v",
        "libx264", "-g", "5", "-color_primaries", "bt709", "-color_trc", "bt709", "-colorspace", "bt709",
        "-movflags", "+write_colr", plain,
      ])
    _ = try Tool.run(
      "ffmpeg", ["-v", "error", "-i", plain, "-c", "copy", "-metadata:s:v:0", "rotate=90", rotated])
    let bytes = Bytes(try Data(contentsOf: URL(fileURLWithPath: rotated)))
    let description = try Self.description(rotated)
    #expect(description.contains("rotation=") && description.contains("bt709") && description.contains("4:3"))
    let view = folder.path("view.mp4")
    let composition = try Self.keyFrame(at: Self.seconds("1.2"), of: bytes).composition
    try Data(Self.bytes(composition, from: bytes)).write(to: URL(fileURLWithPath: view))
    #expect(try Self.description(view) == description)
  }

  /// Returns a file of six samples of 100 ms, of which the first and the fourth are sync samples.
  private static func recording(
    sync: [Int] = [1, 4], handler: String = "vide", edits: [(duration: Int, mediaTime: Int)] = []
  ) -> Bytes {
    let entry = handler == "vide" ? testVideoEntry : box("sowt", zeros(6), be16(1), zeros(20))
    let track = TestTrack(
      handler: handler, edits: edits, sampleEntry: entry,
      tables: tables(sizes: [3, 4, 5, 6, 7, 8], perChunk: 6, offsets: [32]) + table("stss", sync))
    return testFileType + box("mdat", Bytes(1...33)) + movie([track])
  }

  private static func place(_ text: String, in bytes: Bytes) throws -> Range<UInt64>? {
    try keyFrame(at: seconds(text), of: bytes).composition.ranges().first
  }

  @Test(arguments: [
    ("0", 0), ("0.299999999", 0), ("0.3", 3), ("0.45", 3), ("0.6", 3), ("999999999.999999999", 3),
  ])
  func `it is the sync sample at or before the second`(time: String, expected: Int) throws {
    let first = UInt64(32)
    let places = [0: first..<(first + 3), 3: (first + 12)..<(first + 18)]
    #expect(try Self.place(time, in: Self.recording()) == places[expected])
  }

  @Test func `where all are later it is the first`() throws {
    #expect(try Self.place("0", in: Self.recording(sync: [4])) == 44..<50)
  }

  @Test func `what the edit list hides at the end is not the last one`() throws {
    // Only the first 200 ms are shown.
    #expect(try Self.place("50", in: Self.recording(edits: [(duration: 200, mediaTime: 0)])) == 32..<35)
    #expect(try Self.place("50", in: Self.recording(edits: [(duration: 301, mediaTime: 0)])) == 44..<50)
  }

  @Test func `without pictures, or without a sync sample, it says what to do`() throws {
    let sound = MemoryByteSource(Self.recording(handler: "soun"))
    let made = try SampleIndex.make(of: try MovieTables.make(of: sound), media: sound)
    #expect(made == SampleIndex.Made(notes: ["it has neither pictures nor sound for a film"]))
    #expect(throws: ViewError.noKeyFrame) { _ = try Self.place("0", in: Self.recording(sync: [])) }
    #expect(
      ViewError.noVideo.description
        == "this recording has no pictures: play it as it is, or request one that has a video track")
    #expect(
      ViewError.noKeyFrame.description
        == "this recording marks no picture as a key frame: play it as it is, and have the recorder write key frames")
  }

  @Test func `its bytes are pinned: whoever changes them must raise the view's version`() throws {
    let bytes = Self.recording()
    let composition = try Self.keyFrame(at: Self.seconds("0.5"), of: bytes).composition
    var track = TestTrack(
      timescale: 1000,
      tables: table("stts", columns: 2, [1, 100]) + table("stsc", columns: 3, [1, 1, 1])
        // One sample of 6 bytes; its offset is filled in below.
        + fullBox("stsz", be32(6), be32(1)) + table("stco", [0])
    ).trak
    // The durations in `tkhd` and `mdhd`.
    track.replaceSubrange(36..<40, with: be32(100))
    track.replaceSubrange(132..<136, with: be32(100))
    // Brands that every reader of plain files knows.
    var head = box("ftyp", ascii("isom"), be32(512), ascii("isom"), ascii("iso2"), ascii("mp41"))
    head += box("moov", movieHeader(timescale: 1000, duration: 100), track)
    let length = head.count + 8
    head.replaceSubrange((head.count - 4)..<head.count, with: be32(length))
    head += be32(8 + 6) + ascii("mdat")
    #expect(composition.slices == [.literal(head[...]), .range(source: 0, 44..<50)])
    #expect(try Self.keyFrame(at: Self.seconds("0.5"), of: bytes).composition == composition)
    #expect(KeyFrame.viewVersion == 2)
  }
}
