/// The packets that ffprobe finds in a file, track by track.

import Foundation

package struct Packet: Hashable, CustomStringConvertible {
  package let pts: String
  package let dts: String
  package let duration: String
  package let size: String
  /// True for a key frame, even if an edit list hides the packet.
  package let isKey: Bool
  package let hash: String

  package func with(pts: String? = nil, dts: String? = nil, duration: String? = nil) -> Packet {
    Packet(
      pts: pts ?? self.pts, dts: dts ?? self.dts, duration: duration ?? self.duration, size: size, isKey: isKey,
      hash: hash)
  }

  package var description: String {
    "pts \(pts) dts \(dts) duration \(duration) size \(size) \(isKey ? "key " : "")\(hash.prefix(8))"
  }
}

package struct Packets: Equatable {
  /// The packets by stream index, in demuxing order.
  package let streams: [Int: [Packet]]

  package init(streams: [Int: [Packet]]) { self.streams = streams }

  package init(of path: String, options: [String] = []) throws {
    let text = try Command(
      "ffprobe",
      arguments: ["-v", "error"] + options + [
        "-show_packets", "-show_data_hash", "md5", "-show_entries",
        "packet=stream_index,pts,dts,duration,size,flags,data_hash", "-of", "compact=p=0", path,
      ]
    ).successfulOutput()
    var streams: [Int: [Packet]] = [:]
    for line in text.split(separator: "\n") {
      var fields: [Substring: Substring] = [:]
      for field in line.split(separator: "|") {
        let parts = field.split(separator: "=", maxSplits: 1)
        if parts.count == 2, fields[parts[0]] == nil { fields[parts[0]] = parts[1] }
      }
      guard let stream = fields["stream_index"].flatMap({ Int($0) }) else { continue }
      func field(_ name: Substring) -> String { String(fields[name] ?? "?") }
      streams[stream, default: []].append(
        Packet(
          pts: field("pts"), dts: field("dts"), duration: field("duration"), size: field("size"),
          isKey: field("flags").hasPrefix("K"), hash: field("data_hash")))
    }
    self.streams = streams
  }
}

extension Packets {
  package var withoutDurations: Packets {
    Packets(streams: streams.mapValues { $0.map { $0.with(duration: "") } })
  }

  /// The packets, with the times of stream 0 counted from its first packet.
  package var relative: Packets { relative([0]) }

  /// Returns the packets without one, by its place in the stream.
  package func without(_ place: Int, ofStream number: Int) -> Packets {
    var streams = streams
    if streams[number]?.indices.contains(place) == true { streams[number]?.remove(at: place) }
    return Packets(streams: streams)
  }

  /// Returns the packets, with the times of some streams counted from the first packet of each.
  package func relative(_ numbers: Set<Int>) -> Packets {
    Packets(
      streams: streams.merging(streams.filter { numbers.contains($0.key) }) { packets, _ in
        guard let first = packets.first, let firstPts = Int(first.pts), let firstDts = Int(first.dts) else {
          return packets
        }
        return packets.map {
          $0.with(pts: String((Int($0.pts) ?? 0) - firstPts), dts: String((Int($0.dts) ?? 0) - firstDts))
        }
      })
  }
}
