/// Clips of recordings whose clocks have few ticks a second, or very many.

import FootageBase
import Foundation
import TestSupport
import Testing

@testable import FootageMedia

@Suite struct ClipTests {
  /// Returns six seconds of video whose track has this many ticks a second.
  private func recording(timescale: Int, rate: Int) throws -> RecorderCase {
    let folder = try TemporaryFolder()
    let path = folder.path("recording.mp4")
    _ = try Tool.run(
      "ffmpeg",
      [
        "-v", "error", "-f", "lavfi", "-i", "testsrc2=size=64x64:rate=\(rate)", "-t", "6", "-c:v", "libx264",
        "-preset", "ultrafast", "-pix_fmt", "yuv420p", "-video_track_timescale", "\(timescale)", path,
      ])
    return try RecorderCase([UInt8](Data(contentsOf: URL(filePath: path))))
  }

  @Test(arguments: [(1, 1), (4, 4), (25, 25), (600, 25), (999, 25), (1_000, 25), (1_001, 25), (90_000, 25)])
  func `a clip begins to a millisecond where it was asked for, and a second recording follows it`(
    timescale: Int, rate: Int
  ) throws {
    let recording = try recording(timescale: timescale, rate: rate)
    let film = recording.film
    var clip = Clip()
    try clip.append(Clip.Wanted(times: 2_123_000_000..<5_000_000_000, isLast: false), of: film.index, film.source)
    try clip.append(Clip.Wanted(times: 0..<3_000_000_000), of: film.index, film.source)
    let content = film.content(try clip.composition())
    #expect(MediaChecker.violations(ofClip: content) == [])
    let shown = try Presentation(of: recording.write(content, "clip.mp4")).pictures.map(\.time)

    let pictures = try recording.source().pictures.map(\.time)
    let first = pictures.filter { $0 > 2.123 && $0 < 5 }.map { $0 - 2.123 }
    let expected = [0] + first + pictures.filter { $0 < 3 }.map { $0 + 2.877 }
    #expect(shown.count == expected.count)
    for (time, right) in zip(shown, expected) { #expect(abs(time - right) < 0.0011, "\(time), not \(right)") }
  }

  @Test(arguments: [UInt32.max, 1 << 31, 999, 1], [40_000, 86_400])
  func `no timescale and no late beginning is more than a clip can count`(timescale: UInt32, duration: Int) throws {
    var bytes = try recording(timescale: 25, rate: 25).bytes
    let media = try #require(Demuxed.find(bytes, ["moov", "trak", "mdia", "mdhd"], in: 0..<bytes.count))
    bytes.replaceSubrange((media.content + 12)..<(media.content + 16), with: be32(Int(timescale)))
    let table = try #require(
      Demuxed.find(bytes, ["moov", "trak", "mdia", "minf", "stbl", "stts"], in: 0..<bytes.count))
    bytes.replaceSubrange((table.content + 12)..<(table.content + 16), with: be32(duration))
    let film = try FilmSource(bytes)
    for start in [Int64(0), 1, 1_000_000_000, 86_399_000_000_000, Int64.max / 2] {
      var clip = Clip()
      for isLast in [false, true] {
        let wanted = Clip.Wanted(times: start..<(start + 1_000_000_000), gap: isLast ? 1 : 0, isLast: isLast)
        try? clip.append(wanted, of: film.index, film.source)
      }
      if let content = try? film.content(clip.composition()) {
        #expect(MediaChecker.violations(ofClip: content) == [], "from \(start)")
      }
    }
  }
}
