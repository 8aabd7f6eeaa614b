/// What ffprobe finds in a file, track by track.

import Foundation
import ISOMedia
import Storage

struct Packet: Hashable, CustomStringConvertible {
  let pts: String
  let dts: String
  let duration: String
  let size: String
  /// Whether it is a key frame; that an edit list hides a packet is told apart.
  let isKey: Bool
  let hash: String

  func with(pts: String? = nil, dts: String? = nil, duration: String? = nil) -> Packet {
    Packet(
      pts: pts ?? self.pts, dts: dts ?? self.dts, duration: duration ?? self.duration, size: size, isKey: isKey,
      hash: hash)
  }

  var description: String {
    "pts \(pts) dts \(dts) duration \(duration) size \(size) \(isKey ? "key " : "")\(hash.prefix(8))"
  }
}

struct Packets: Equatable {
  /// By stream index, in demuxing order.
  let streams: [Int: [Packet]]

  init(streams: [Int: [Packet]]) { self.streams = streams }

  init(of path: String, options: [String] = []) throws {
    let text = try Tool.run(
      "ffprobe",
      ["-v", "error"] + options + [
        "-show_packets", "-show_data_hash", "md5", "-show_entries",
        "packet=stream_index,pts,dts,duration,size,flags,data_hash", "-of", "compact=p=0", path,
      ])
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

extension MovieIndex {
  /// All bytes that are served, from the source's bytes.
  func served(from source: [UInt8]) -> [UInt8] {
    var bytes = head
    for range in body { bytes += source[Int(range.lowerBound)..<Int(range.upperBound)] }
    return bytes
  }
}

/// The index of a file that has to be served.
func index(of bytes: [UInt8]) throws -> MovieIndex {
  switch try MovieIndex.make(of: MemoryByteSource(bytes)) {
  case .ready(let index): return index
  case .incomplete(let error): throw error
  }
}
