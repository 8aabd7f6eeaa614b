/// The packets of a file with the times at which ffprobe shows them.

import FootageBase
import Foundation
import TestSupport
import Testing

@testable import FootageMedia

struct Presentation {
  struct Shown: Hashable {
    /// The time at which it is shown, in seconds.
    let time: Double
    let isKey: Bool
    /// True if an edit list hides it.
    let isHidden: Bool
    let hash: String
  }

  /// The pictures and the sound that are shown, by their times.
  let pictures, sound: [Shown]
  /// The number of hidden pictures.
  let hiddenPictures: Int

  init(of path: String) throws {
    let text = try Tool.run(
      "ffprobe",
      [
        "-v", "error", "-show_data_hash", "md5", "-show_entries",
        "stream=index,codec_type:packet=stream_index,codec_type,pts_time,flags,data_hash", "-of", "compact=p=0", path,
      ])
    var found: [String: [Int: [Shown]]] = [:]
    for line in text.split(separator: "\n") {
      var fields: [Substring: Substring] = [:]
      for field in line.split(separator: "|") {
        let parts = field.split(separator: "=", maxSplits: 1)
        if parts.count == 2 { fields[parts[0]] = parts[1] }
      }
      guard let stream = fields["stream_index"].flatMap({ Int($0) }), let type = fields["codec_type"],
        let time = fields["pts_time"].flatMap({ Double($0) })
      else { continue }
      let flags = fields["flags"] ?? ""
      found[String(type), default: [:]][stream, default: []].append(
        Shown(
          time: time, isKey: flags.hasPrefix("K"), isHidden: flags.contains("D"),
          hash: String(fields["data_hash"] ?? "")
        ))
    }
    func first(_ type: String) -> [Shown] {
      found[type]?.min { $0.key < $1.key }?.value.sorted { $0.time < $1.time } ?? []
    }
    pictures = first("video").filter { !$0.isHidden }
    hiddenPictures = first("video").count { $0.isHidden }
    sound = first("audio").filter { !$0.isHidden }
  }

  /// Returns the time of the first sound and the first picture that another file shows, in this one, and the number of
  /// that file's sounds that follow here without another one between them.
  func match(_ other: Presentation) throws -> (sound: Double, picture: Double, count: Int) {
    let start = try #require(sound.firstIndex { $0.hash == other.sound.first?.hash }, "its sound is not there")
    let picture = try #require(pictures.first { $0.hash == other.pictures.first?.hash }, "its pictures are not there")
    let count = zip(sound[start...], other.sound).prefix { $0.hash == $1.hash }.count
    return (sound[start].time, picture.time, count)
  }

  /// The time from the first sound to the first picture, in seconds.
  var lead: Double { (pictures.first?.time ?? 0) - (sound.first?.time ?? 0) }
}

/// A file of `Tests/Fixtures/Recordings`, and all that is made of it.
final class RecorderCase {
  let bytes: Bytes
  let index: MovieIndex
  let film: FilmSource
  private let folder: TemporaryFolder

  convenience init(_ name: String) throws {
    try self.init(try RecorderFiles.bytes(name))
  }

  init(_ bytes: Bytes) throws {
    self.bytes = bytes
    index = try FootageMediaTests.index(of: bytes)
    film = try FilmSource(bytes)
    folder = try TemporaryFolder()
  }

  var duration: Double { index.movie.duration }

  /// Writes the bytes into a file, and returns its path.
  func write(_ bytes: Bytes, _ name: String) throws -> String {
    let path = folder.path(name)
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    return path
  }

  func source() throws -> Presentation { try Presentation(of: write(bytes, "source.mp4")) }
  func served() throws -> Presentation { try Presentation(of: write(index.served(from: bytes), "served.mp4")) }
  func filmed() throws -> Presentation { try Presentation(of: write(film.film(), "film.mp4")) }

  /// Returns a clip between two times in seconds.
  func clip(_ start: Double, _ end: Double) throws -> Presentation { try Presentation(of: clipPath(start, end)) }

  func clipPath(_ start: Double, _ end: Double) throws -> String {
    let times = Int64(start * 1e9)..<Int64(end * 1e9)
    return try write(film.content(film.clip(times)), "clip.mp4")
  }

  /// Returns the pictures that ffmpeg decodes of the key frame at a time.
  func keyFrame(_ time: String) throws -> [String] {
    let frame = try KeyFrame(at: required(DecimalSeconds(time)), of: film.index, film.source)
    return try Self.decoded(write(film.content(frame.composition), "key.mp4"))
  }

  /// Returns the hashes of the decoded pictures.
  static func decoded(_ path: String, _ options: String...) throws -> [String] {
    let text = try Tool.run(
      "ffmpeg",
      ["-v", "error"] + options + ["-i", path, "-map", "0:v:0", "-fps_mode", "passthrough", "-f", "framemd5", "-"])
    return text.split(separator: "\n").filter { !$0.hasPrefix("#") }
      .compactMap { $0.split(separator: ",").last?.trimmingCharacters(in: .whitespaces) }
  }

  /// The media playlist of the film.
  func playlist() throws -> Playlist { Playlist(try film.playlists().media) }
}

extension Playlist {
  /// The sum of all durations in seconds.
  var seconds: Double { entries.reduce(0) { $0 + ($1.seconds ?? 0) } }
  var discontinuities: Int { tags.count { $0.name == "EXT-X-DISCONTINUITY" } }
}
