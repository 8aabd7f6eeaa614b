import FootageAPI
import Formats
import ISOMedia
import TestSupport
import Testing

@testable import RecordingLibrary

/// What the reading process says of a view is input: whole, or nothing.
@Suite struct ViewReportTests {
  private static let view: KeyFrame = {
    var view = Composition([1, 2, 3], then: [10..<20, 30..<40])
    view.append([4])
    return KeyFrame(composition: view, place: 39, times: 500..<(.max))
  }()

  static let reports = [
    ViewReport.ready(view), .nothing("it has no picture"), .nothingThere("it has none there"), .unreadable(""),
  ]

  @Test(arguments: reports) func `a report is read as it was written`(report: ViewReport) {
    #expect(ViewReport(encoded: report.encoded, fileLength: 40) == report)
  }

  @Test(arguments: reports) func `a report that is cut short or goes on is none`(report: ViewReport) {
    let bytes = report.encoded
    for count in 0..<bytes.count {
      #expect(ViewReport(encoded: Array(bytes.prefix(count)), fileLength: 40) == nil)
    }
    #expect(ViewReport(encoded: bytes + [0], fileLength: 40) == nil)
  }

  @Test func `a range beyond the file is none`() {
    #expect(ViewReport(encoded: ViewReport.ready(Self.view).encoded, fileLength: 39) == nil)
  }

  @Test func `ranges that are more than any file together are none`() {
    var writer = MessageWriter()
    for value in [0, 0, 0, 1, 256] as [UInt64] { writer.integer(value) }
    for start in 0..<256 as Range<UInt64> { for value in [1, start, 1 << 60] { writer.integer(value) } }
    #expect(ViewReport(encoded: writer.bytes, fileLength: 1 << 60) == nil)
  }

  @Test func `bytes at random end nothing`() {
    var random = SystemRandomNumberGenerator()
    for _ in 0..<20_000 {
      var bytes = ViewReport.ready(Self.view).encoded
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      guard case .ready(let view) = ViewReport(encoded: bytes, fileLength: 40) else { continue }
      #expect(view.composition.length <= UInt64(bytes.count) + 40 * 4)
    }
  }

  @Test(arguments: ["0", "0.000000001", "999999999.999999999"])
  func `a request is read as it was written`(seconds: String) throws {
    let request = ReaderRequest.keyFrame(at: try #require(DecimalSeconds(seconds)))
    #expect(ReaderRequest(encoded: request.encoded) == request)
    #expect(request.encoded.count <= ReaderRequest.limit)
  }

  @Test(arguments: [false, true], [false, true])
  func `a request for a look is read as it was written`(isQuickTime: Bool, withSamples: Bool) {
    let request = ReaderRequest.index(isQuickTime: isQuickTime, withSamples: withSamples)
    #expect(ReaderRequest(encoded: request.encoded) == request)
  }

  @Test(arguments: [
    [2], [2, 0, 0, 0, 0, 0, 0, 0], Array(repeating: 255, count: 9), [2] + Array(repeating: 255, count: 8),
  ])
  func `a request of another length or of no second is none`(bytes: [UInt8]) {
    #expect(ReaderRequest(encoded: bytes) == nil)
  }
}

@Suite struct ViewCacheTests {
  /// A picture that is shown for ten nanoseconds.
  private func picture(_ number: Int, byteCount: Int = 1) -> KeyFrame {
    KeyFrame(
      composition: Composition([UInt8](repeating: 0, count: byteCount), then: [0..<10]), place: UInt64(number),
      times: Int64(10 * number)..<Int64(10 * number + 10))
  }

  private func seconds(_ nanoseconds: Int) throws -> DecimalSeconds {
    try #require(DecimalSeconds(nanoseconds: Int64(nanoseconds)))
  }

  @Test func `what was used last stays, and what is too much goes`() throws {
    let cache = ViewCache()
    for number in 0..<100 {
      cache.keep(picture(number, byteCount: 100_000), of: "t")
      #expect(cache.keyFrame(of: "t", at: try seconds(0)) != nil, "it is used all the time")
    }
    let kept = try (0..<100).count { cache.keyFrame(of: "t", at: try seconds(10 * $0)) != nil }
    #expect((20...42).contains(kept), "\(kept) of 100 kB each within 4 MiB")
    #expect(cache.keyFrame(of: "t", at: try seconds(990)) == picture(99, byteCount: 100_000))
    #expect(cache.keyFrame(of: "t", at: try seconds(10)) == nil)
  }

  @Test func `another version has other views`() throws {
    let cache = ViewCache()
    cache.keep(picture(1), of: "t")
    #expect(cache.keyFrame(of: "u", at: try seconds(10)) == nil)
  }

  @Test func `a picture is found by each of its times, in whatever order they were asked for`() throws {
    let cache = ViewCache()
    for number in [7, 2, 5, 9, 0] { cache.keep(picture(number), of: "t") }
    for time in 0..<120 {
      let wanted = [7, 2, 5, 9, 0].contains(time / 10) ? UInt64(time / 10) : nil
      #expect(cache.keyFrame(of: "t", at: try seconds(time))?.place == wanted, "\(time)")
    }
    // One takes the place of all that it overlaps.
    let wide = KeyFrame(composition: Composition([1], then: []), place: 77, times: 15..<75)
    cache.keep(wide, of: "t")
    for time in [15, 25, 70, 74] { #expect(cache.keyFrame(of: "t", at: try seconds(time)) == wide) }
    #expect(try cache.keyFrame(of: "t", at: seconds(75)) == nil && cache.keyFrame(of: "t", at: seconds(5)) != nil)
  }
}

@Suite struct KeyFrameViewTests {
  @Test func `a thousand times between two key frames cost one look, and have one tag`() throws {
    let examiner = ScriptedExaminer()
    let fixture = try LibraryFixture(examiner: examiner)
    try put(Samples.moovLast, fixture.folder.path("a.mp4"))
    try fixture.waitUntilReady("a")
    let recording = try #require(fixture["a"])
    func tag(_ milliseconds: Int) throws -> String {
      let seconds = try #require(DecimalSeconds(nanoseconds: Int64(milliseconds) * 1_000_000))
      return try fixture.library.open(recording, .keyFrame(at: seconds, version: nil)).entityTag
    }
    // A key frame every half second; somewhere in between, since the edit list may begin a little later.
    let tags = try Set((0..<1_000).map { try tag(1_120 + $0 * 360 / 1_000) })
    #expect(tags.count == 1 && examiner.pictureCount == 1)
    #expect(try tag(700) != tags.first)
    #expect(examiner.pictureCount == 2)
    // What lies beyond the end is the last one, for ever.
    let last = try tag(999_999_000)
    #expect(try tag(5_000) == last && examiner.pictureCount <= 4)
  }
}
