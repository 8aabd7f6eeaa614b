/// Small recordings of every kind, made once by ffmpeg.

import Foundation

package enum Samples {
  /// Two seconds of H.264 and AAC with `moov` last, which is what most recorders write.
  package static let moovLast = make("moov-last.mp4", [])
  package static let moovFirst = make("moov-first.mp4", ["-movflags", "+faststart"])
  package static let fragmented = make("fragmented.mp4", ["-movflags", "frag_keyframe+empty_moov+default_base_moof"])
  package static let quickTime = make("quicktime.mov", [])
  package static let dated = make("dated.mp4", ["-metadata", "creation_time=2024-02-03T04:05:06Z"])

  /// A recording of the kind of `moovLast` with different content.
  package static let other = make("other.mp4", [], colour: "blue")

  /// A recording with a key frame every half second, of which only the first carries the parameter sets that all need.
  package static let parameterSetsOnce = keepingFirstParameterSets(
    make("parameter-sets-once.mp4", ["-x264-params", "repeat-headers=1"]))

  /// Replaces all parameter sets but the first of each kind with units that mean nothing (ISO/IEC 14496-10 table 7-1:
  /// type 0): those before later key frames, and those in `avcC`.
  private static func keepingFirstParameterSets(_ bytes: [UInt8]) -> [UInt8] {
    guard let box = bytes.indices.last(where: { bytes[$0...].starts(with: "avcC".utf8) }) else {
      fatalError("there is no avcC")
    }
    // ISO/IEC 14496-15 §5.3.3.1.2: one set of each kind, preceded by its length; five bytes and a count precede the
    // first.
    var changed = bytes
    var place = box + 4 + 6
    for _ in 0..<2 {
      let length = Int(bytes[place]) << 8 | Int(bytes[place + 1])
      let unit = bytes[(place + 2)..<(place + 2 + length)]
      let places = bytes.indices.filter { bytes[$0...].starts(with: unit) }
      for place in places.dropFirst() { changed[place] &= 0xE0 }
      place += 2 + length + 1
    }
    return changed
  }

  private static func make(_ name: String, _ options: [String], colour: String = "red") -> [UInt8] {
    do {
      let path = try SharedFiles.path("sample-" + name) { path in
        _ = try Command(
          "ffmpeg",
          arguments: [
            "-v", "error", "-f", "lavfi", "-i", "color=\(colour):size=64x48:rate=10:duration=2", "-f", "lavfi", "-i",
            "sine=frequency=440:sample_rate=48000:duration=2", "-c:v", "libx264", "-preset", "ultrafast", "-g", "5",
            "-pix_fmt", "yuv420p", "-c:a", "aac", "-b:a", "32k", "-shortest",
          ] + options + [path]
        ).successfulOutput()
      }
      return Array(try Data(contentsOf: URL(fileURLWithPath: path)))
    } catch {
      fatalError("ffmpeg could not make \(name): \(error)")
    }
  }
}
