/// The rotation that a player applies to the pictures (ISO/IEC 14496-12 §8.3.2).

import FootageBase
import FootageMedia
import FootageSystem
import TestSupport
import Testing

@Suite struct RotationTests {
  private static let one = 0x1_0000
  private static let minusOne = 0xFFFF_0000
  private static let upright = [one, 0, 0, one]
  private static let quarter = [0, one, minusOne, 0]
  private static let half = [minusOne, 0, 0, minusOne]
  private static let threeQuarters = [0, minusOne, one, 0]

  /// Returns {a, b, u, c, d, v, x, y, w}. The translation has no effect on the rotation.
  private static func matrix(_ turn: [Int], u: Int = 0, v: Int = 0) -> Bytes {
    [turn[0], turn[1], u, turn[2], turn[3], v, 320 << 16, 0, 0x4000_0000].flatMap { be32($0) }
  }

  private static func rotation(track: Bytes, movie header: Bytes = matrix(upright)) throws -> Int? {
    let track = TestTrack(matrix: track, tables: tables(sizes: [3], perChunk: 1, offsets: [32]))
    return try #require(
      index(of: testFileType + box("mdat", [1, 2, 3]) + movie([track], matrix: header)).movie.video
    ).rotation
  }

  @Test(
    arguments: [(upright, nil), (quarter, 90), (half, 180), (threeQuarters, 270)] as [([Int], Int?)])
  func `a matrix that turns by quarters says by how many degrees, clockwise`(turn: [Int], degrees: Int?) throws {
    #expect(try Self.rotation(track: Self.matrix(turn)) == degrees)
    #expect(try Self.rotation(track: Self.matrix(Self.upright), movie: Self.matrix(turn)) == degrees)
  }

  @Test(arguments: [
    matrix([minusOne, 0, 0, one]), matrix([one, 0, 0, minusOne]), matrix([0, one, one, 0]),
    matrix([0, 2 * one, minusOne, 0]), matrix([46_341, 46_341, -46_341, 46_341]), matrix(quarter, u: 1),
    matrix(quarter, v: 1), zeros(36),
  ])
  func `one that mirrors, scales, shears or turns by less says nothing`(matrix: Bytes) throws {
    #expect(try Self.rotation(track: matrix) == nil)
    #expect(try Self.rotation(track: Self.matrix(Self.quarter), movie: matrix) == nil)
  }

  @Test(
    arguments: [
      (quarter, quarter, 180), (quarter, threeQuarters, nil), (threeQuarters, half, 90), (half, half, nil),
    ] as [([Int], [Int], Int?)])
  func `the movie's matrix turns what the track's has turned`(track: [Int], movie: [Int], degrees: Int?) throws {
    #expect(try Self.rotation(track: Self.matrix(track), movie: Self.matrix(movie)) == degrees)
  }

  private static func ffmpeg(_ arguments: String...) throws -> String {
    try Tool.run("ffmpeg", ["-nostdin", "-loglevel", "error"] + arguments)
  }

  /// Returns the first picture as a player shows it.
  private static func picture(_ file: String, _ filter: String) throws -> String {
    try #require(
      try ffmpeg("-i", file, "-vf", filter, "-frames:v", "1", "-f", "framemd5", "-").split(separator: "\n").last
        .map(String.init))
  }

  /// The ffmpeg filters that rotate pictures without rotation metadata.
  private static let filters = [nil: "null", 90: "transpose=clock", 180: "hflip,vflip", 270: "transpose=cclock"]

  @Test(arguments: ["", "frag_keyframe"])
  func `it is what ffmpeg writes, what ffprobe reads, and how players turn pictures`(flags: String) throws {
    let folder = try TemporaryFolder()
    let plain = folder.path("plain.mp4")
    _ = try Self.ffmpeg("-f", "lavfi", "-i", "testsrc2=size=64x48:rate=10:duration=1", plain)
    var seen: Set<Int?> = []
    for angle in ["0", "90", "180", "270"] {
      let turned = folder.path("\(angle).mp4")
      _ = try Self.ffmpeg(
        "-i", plain, "-c", "copy", "-metadata:s:v", "rotate=\(angle)", "-movflags", flags.isEmpty ? "0" : flags, turned)
      guard case .ready(let index) = try MovieIndex.make(of: try RandomAccessFile(path: turned)) else {
        Issue.record("it is not whole")
        return
      }
      let video = try #require(index.movie.video)
      seen.insert(video.rotation)
      #expect(video.width == 64 && video.height == 48)
      // ffprobe counts counterclockwise, from -180 to 180.
      let probed = try Tool.run(
        "ffprobe", ["-loglevel", "error", "-show_entries", "stream_side_data=rotation", "-of", "csv=p=0", turned])
      let counterclockwise = Int(probed.split { !"-0123456789".contains($0) }.first ?? "") ?? 0
      #expect((360 - counterclockwise) % 360 == video.rotation ?? 0, "\(angle): \(probed)")
      let filter = try #require(Self.filters[video.rotation])
      #expect(try Self.picture(turned, "null") == Self.picture(plain, filter), "\(angle)")
    }
    #expect(seen == [nil, 90, 180, 270])
  }
}
