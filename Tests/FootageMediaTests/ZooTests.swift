/// Every kind of file that recorders write, as ffmpeg sees it before and after serving.

import FootageBase
import Foundation
import FootageMedia
import TestSupport
import Testing

@Suite struct ZooTests {
  @Test func `what is served demuxes to the packets of the source`() throws {
    let zoo = try Zoo.made.get()
    let folder = try TemporaryFolder()
    for name in zoo.names {
      let bytes = try Zoo.bytes(name)
      let index = try index(of: bytes)
      let served = folder.path("served-" + name)
      try Data(index.served(from: bytes)).write(to: URL(fileURLWithPath: served))
      let differences = try Zoo.differences(name, served: Packets(of: served))
      #expect(differences == [])
      #expect(!index.isRecovered && index.notes.isEmpty, "\(name): \(index.notes)")
      try #expect(MovieIndex.make(of: MemoryByteSource(bytes)) == .ready(index), "\(name): a second time")
    }
  }

  @Test func `a fragmented recording with negative offsets shows its pictures when its progressive twin does`() throws {
    let folder = try TemporaryFolder()
    let bytes = try Zoo.bytes("frag-negative-cts.mp4")
    let served = folder.path("served.mp4")
    try Data(try index(of: bytes).served(from: bytes)).write(to: URL(fileURLWithPath: served))
    let twin = try Packets(of: try Zoo.path("negative-cts.mp4"))
    let result = try Packets(of: served)
    #expect(twin.withoutDurations.relative.streams[0] == result.withoutDurations.relative.streams[0])
    #expect(result.streams[0]?.first?.pts == "0")
    // ffmpeg marks the first packet of sound differently, because the edit begins after it.
    #expect(twin.withoutDurations.streams[1]?.map(\.hash) == result.withoutDurations.streams[1]?.map(\.hash))
  }

  @Test func `what is served decodes to the frames of the source`() throws {
    let folder = try TemporaryFolder()
    for name in ["moov-last.mp4", "frag-keyframe.mp4", "frag-dash.mp4", "gst-fragmented.mp4", "frag-hybrid.mp4"] {
      let bytes = try Zoo.bytes(name)
      let served = folder.path("served.mp4")
      try Data(try index(of: bytes).served(from: bytes)).write(to: URL(fileURLWithPath: served))
      func frames(_ path: String) throws -> String {
        try Tool.run("ffmpeg", ["-v", "error", "-i", path, "-map", "0:v", "-f", "framemd5", "-"])
      }
      #expect(try frames(served) == frames(try Zoo.path(name)), "\(name)")
    }
  }

  @Test func `what is served has its moov before its media and no fragments`() throws {
    for name in try Zoo.made.get().names {
      let bytes = try Zoo.bytes(name)
      let served = try index(of: bytes).served(from: bytes)
      let types = Demuxed.boxes(served, 0..<served.count).map(\.type)
      let moov = try #require(types.firstIndex(of: "moov"), "\(name)")
      #expect(moov < types.firstIndex(of: "mdat") ?? .max, "\(name)")
      #expect(!types.contains("moof") && !types.contains("sidx") && !types.contains("mfra"), "\(name)")
    }
  }

  @Test(arguments: [
    ("moov-last.mp4", "avc1.64000D", "mp4a.40.2", 1), ("avc3.mp4", "avc3.64000D", "mp4a.40.2", 1),
    ("hevc.mp4", "hvc1.1.6.L60.90", nil, 0), ("av1.mp4", "av01.0.00M.08", nil, 0),
    ("opus.mp4", "avc1.64000D", "Opus", 1), ("pcm.mov", "avc1.64000D", "sowt", 1),
    ("frag-opus.mp4", "avc1.64000D", "Opus", 1), ("gst-fragmented.mp4", "avc1.640014", "mp4a.40.2", 2),
    ("gst-qtmux.mov", "avc1.640014", "mp4a.40.2", 2), ("frag-hevc.mp4", "hvc1.1.6.L60.90", nil, 0),
  ])
  func `formats are told as RFC 6381 writes them`(name: String, video: String, audio: String?, channels: Int) throws {
    let movie = try index(of: try Zoo.bytes(name)).movie
    #expect(movie.video?.codec == video)
    #expect(movie.video?.width == (name == "av1.mp4" ? 160 : 320))
    #expect(movie.video?.height == (name == "av1.mp4" ? 90 : 180))
    #expect(movie.video?.frameRate == (name == "av1.mp4" ? 10 : 30))
    #expect(movie.audio?.codec == audio)
    #expect(movie.audio?.channels ?? 0 == channels)
    #expect(movie.audio?.sampleRate ?? 48_000 == 48_000)
  }

  @Test func `a recording lasts until its last picture or sound ends`() throws {
    let folder = try TemporaryFolder()
    for name in try Zoo.made.get().names {
      let bytes = try Zoo.bytes(name)
      let index = try index(of: bytes)
      let served = folder.path("served")
      try Data(index.served(from: bytes)).write(to: URL(fileURLWithPath: served))
      let text = try Tool.run(
        "ffprobe",
        ["-v", "error", "-show_entries", "packet=codec_type,pts_time,duration_time", "-of", "csv=p=0", served])
      let packets = text.split(separator: "\n").compactMap { line -> (isVideo: Bool, start: Double, end: Double)? in
        let fields = line.split(separator: ",")
        guard fields.count == 3, fields[0] == "video" || fields[0] == "audio", let start = Double(fields[1]) else {
          return nil
        }
        return (fields[0] == "video", start, start + (Double(fields[2]) ?? 0))
      }
      let end = try #require(packets.map(\.end).max(), "\(name)")
      // The time for which the last picture stays follows from its place in decoding order, which ffprobe considers or
      // not. The result is right to within a frame, the longest one if their lengths vary. ffprobe also moves pictures
      // that begin after their edit by up to two frames.
      let pictures = packets.filter(\.isVideo).map(\.start).sorted()
      let frame = try #require(zip(pictures, pictures.dropFirst()).map { $1 - $0 }.max(), "\(name)")
      #expect(abs(index.movie.duration - end) < max(0.1, frame + 0.002), "\(name): \(index.movie.duration), \(end)")
    }
  }
}

extension Bytes {
  var isFragmented: Bool { Demuxed.boxes(self, 0..<count).contains { $0.type == "moof" } }
}
