/// The files that recorders write, made once by `scripts/make-zoo.sh`.

import Foundation

package struct Zoo: Sendable {
  /// The zoo, made at first use. If the script fails, so does every test that asks for it.
  package static let made: Result<Zoo, any Error> = Result { try Zoo() }

  package let folder: URL
  /// The names of the files, sorted.
  package let names: [String]

  private init() throws {
    let script = Checkout.folder.appendingPathComponent("scripts/make-zoo.sh")
    folder = Checkout.folder.appendingPathComponent(".build/zoo")
    // A finished zoo contains a copy of the script that made it. If the script has changed, the zoo is made again.
    let stamp = folder.appendingPathComponent(".script")
    let wanted = try Data(contentsOf: script)
    let path = folder
    try SharedFiles.locked(path.path + ".lock") {
      guard (try? Data(contentsOf: stamp)) != wanted else { return }
      try? FileManager.default.removeItem(at: path)
      _ = try Command(script.path, path.path).successfulOutput()
      try wanted.write(to: stamp)
    }
    names = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { !$0.hasPrefix(".") }.sorted()
  }

  /// Returns the absolute path of a file.
  package static func path(_ name: String) throws -> String {
    try made.get().folder.appendingPathComponent(name).path
  }

  /// Returns all bytes of a file.
  package static func bytes(_ name: String) throws -> [UInt8] {
    Array(try Data(contentsOf: URL(fileURLWithPath: try path(name))))
  }
}

extension Zoo {
  /// The fragmented files with negative composition offsets. For fragments alone, ffmpeg 5.1 adds the largest offset to
  /// all times. The pictures of these files are compared by their distances.
  private static let shifted: Set<String> = [
    "frag-cmaf.mp4", "frag-cmaf-delay.mp4", "frag-negative-cts.mp4", "frag-isml.mp4", "gst-split.mp4",
  ]

  /// The file whose edit begins between two pictures. The picture that it cuts is served so that it begins with the
  /// edit. In the source, ffmpeg shows the next one there, and the others too early.
  private static let cut = "trimmed.mp4"

  /// Returns the differences between the packets of a served file and those of its source, one sentence per stream;
  /// empty if there are none.
  package static func differences(_ name: String, served: Packets) throws -> [String] {
    var source = try Packets(of: path(name))
    var served = served
    // A fragment gives ffmpeg no duration to show, or one that contradicts the time of the next fragment.
    if try bytes(name).firstRange(of: Array("moof".utf8)) != nil {
      source = source.withoutDurations
      served = served.withoutDurations
    }
    if shifted.contains(name) {
      // The sound of this one begins with the second tick of the file, and with the first one in what is served.
      let streams: Set = name == "gst-split.mp4" ? [0, 1] : [0]
      source = source.relative(streams)
      served = served.relative(streams)
    }
    if name == cut, let place = served.streams[0]?.firstIndex(where: { $0.pts == "0" }) {
      source = source.without(place, ofStream: 0).relative
      served = served.without(place, ofStream: 0).relative
    }
    guard !source.streams.isEmpty, source.streams.keys == served.streams.keys else {
      return ["\(name) has the streams \(source.streams.keys.sorted()), served are \(served.streams.keys.sorted())"]
    }
    return source.streams.keys.sorted().compactMap { stream in
      let (packets, others) = (source.streams[stream] ?? [], served.streams[stream] ?? [])
      if packets.count != others.count {
        return "\(name), stream \(stream): \(packets.count) packets, served are \(others.count)"
      }
      return zip(packets, others).first { $0 != $1 }.map { "\(name), stream \(stream): \($0), served is \($1)" }
    }
  }
}
