/// The reading process's report is untrusted input: it is accepted whole, or not at all.

import FootageBase
import FootageMedia
import FootageSystem
import LinuxTestSupport
import Testing

@testable import FootageLibrary

@Suite struct FileReportTests {
  static let ready = FileReport(
    verdict: .ready(
      FileReport.Content(
        tag: "00112233445566778899aabbccddeeff",
        composition: Composition(preambleLength: 77, body: [10..<20, 30..<40]) ?? Composition(),
        mediaType: .quickTime,
        movie: MovieSummary(
          creationTime: -5, duration: 60.033,
          video: VideoFormat(codec: "avc1.64001F", width: 1_280, height: 720, frameRate: nil, rotation: 270),
          audio: AudioFormat(codec: "mp4a.40.2", sampleRate: 48_000, channels: 2),
          videoTracks: [
            VideoTrack(number: 1, codec: "hvc1", width: 64, height: 48),
            VideoTrack(number: 32, codec: "avc1", width: 320, height: 240, frameRate: 25),
          ]),
        isRecovered: true, index: IndexSummary(length: 88, shift: 1, keyInterval: 2.5), notes: ["odd", "…"])))

  /// A report on a file for which no index could be made.
  static let plain: FileReport = {
    guard case .ready(var content) = ready.verdict else { return ready }
    (content.index, content.composition) = (nil, Composition(preambleLength: 0, body: [0..<40]) ?? Composition())
    return FileReport(verdict: .ready(content))
  }()

  static let reports = [
    ready, FileReport(verdict: .incomplete("cut short")), FileReport(verdict: .refused("")),
    FileReport(verdict: .unreadable("I/O", .ioError)), FileReport(verdict: .unreadable("ended", nil)),
  ]

  @Test(arguments: reports) func `a report is read as it was written`(report: FileReport) {
    #expect(FileReport(encoded: report.encoded, fileLength: 40, preambleLength: 77, indexLength: 88) == report)
  }

  @Test(arguments: reports) func `a report that is cut short or goes on is none`(report: FileReport) {
    let bytes = report.encoded
    for count in 0..<bytes.count {
      #expect(
        FileReport(encoded: Array(bytes.prefix(count)), fileLength: 40, preambleLength: 77, indexLength: 88) == nil)
    }
    #expect(FileReport(encoded: bytes + [0], fileLength: 40, preambleLength: 77, indexLength: 88) == nil)
  }

  @Test func `a report that contradicts the file, or itself, is none`() throws {
    #expect(FileReport(encoded: Self.ready.encoded, fileLength: 39, preambleLength: 77, indexLength: 88) == nil)
    #expect(FileReport(encoded: Self.ready.encoded, fileLength: 40, preambleLength: 76, indexLength: 88) == nil)
    #expect(FileReport(encoded: Self.ready.encoded, fileLength: 40, preambleLength: 77, indexLength: 87) == nil)
    #expect(FileReport(encoded: Self.ready.encoded, fileLength: 40, preambleLength: 77, indexLength: 0) == nil)
    let plain = Self.plain.encoded
    #expect(FileReport(encoded: plain, fileLength: 40, preambleLength: 0, indexLength: 0) == Self.plain)
    #expect(FileReport(encoded: plain, fileLength: 40, preambleLength: 0, indexLength: 1) == nil)
    guard case .ready(let content) = Self.ready.verdict else { return }
    func isNone(_ change: (inout FileReport.Content) -> Void) -> Bool {
      var changed = content
      change(&changed)
      return FileReport(
        encoded: FileReport(verdict: .ready(changed)).encoded, fileLength: 40, preambleLength: 77, indexLength: 88)
        == nil
    }
    #expect(isNone { $0.tag = "../../etc/passwd" })
    #expect(isNone { $0.tag = String(repeating: "A", count: 32) })
    #expect(isNone { $0.movie.duration = .nan })
    #expect(isNone { $0.movie.duration = -1 })
    #expect(isNone { $0.notes = Array(repeating: "x", count: 65) })
    #expect(isNone { $0.movie.video?.rotation = 0 })
    #expect(isNone { $0.movie.video?.rotation = 45 })
    #expect(isNone { $0.index?.keyInterval = .infinity })
    #expect(isNone { $0.index?.keyInterval = -0.5 })
    #expect(!isNone { $0.notes = [] })
    #expect(!isNone { $0.index?.shift = nil })
  }

  @Test(arguments: [(10, 10, 40), (20, 10, 40), (10, 41, 40), (10, .max, .max)] as [(UInt64, UInt64, UInt64)])
  func `a range that is empty, beyond the file or longer than can be said is none`(
    lower: UInt64, upper: UInt64, fileLength: UInt64
  ) throws {
    let bytes = Self.ready.encoded
    let place = try #require(bytes.firstRange(of: Self.bigEndian(10) + Self.bigEndian(20)))
    func encoded(_ lower: UInt64, _ upper: UInt64) -> [UInt8] {
      bytes[..<place.lowerBound] + Self.bigEndian(lower) + Self.bigEndian(upper) + bytes[place.upperBound...]
    }
    #expect(FileReport(encoded: encoded(10, 20), fileLength: fileLength, preambleLength: 77, indexLength: 88) != nil)
    #expect(
      FileReport(encoded: encoded(lower, upper), fileLength: fileLength, preambleLength: 77, indexLength: 88) == nil)
  }

  @Test func `an index that is too long, or none with a film, is not believed`() throws {
    let limit = IndexSummary.lengthLimit
    #expect(IndexSummary(checking: limit, shift: 1, keyInterval: nil) != nil)
    #expect(IndexSummary(checking: limit + 1, shift: 1, keyInterval: nil) == nil)
    #expect(IndexSummary(checking: 0, shift: nil, keyInterval: 2) != nil)
    #expect(IndexSummary(checking: 0, shift: 1, keyInterval: 2) == nil)
    #expect(IndexSummary(checking: 1, shift: .max, keyInterval: .nan) == nil)
  }

  private static func bigEndian(_ value: UInt64) -> [UInt8] {
    (0..<8).map { UInt8(truncatingIfNeeded: value >> (56 - 8 * $0)) }
  }

  @Test func `bytes at random are no report, and end nothing`() {
    var random = SeededGenerator(seed: 11)
    for _ in 0..<20_000 {
      var bytes = Self.ready.encoded
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      _ = FileReport(encoded: bytes, fileLength: 40, preambleLength: 77, indexLength: 88)
    }
  }
}
