import Formats
import Testing

@testable import RecordingLibrary

/// What the reading process says of a view is input: whole, or nothing.
@Suite struct ViewReportTests {
  private static let view: Composition = {
    var view = Composition([1, 2, 3], then: [10..<20, 30..<40])
    view.append([4])
    return view
  }()

  static let reports = [ViewReport.ready(view), .nothing("it has no picture"), .unreadable("")]

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
    writer.integer(0)
    writer.integer(256)
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
      #expect(view.length <= UInt64(bytes.count) + 40 * 4)
    }
  }

  @Test(arguments: ["0", "0.000000001", "999999999.999999999"])
  func `a request is read as it was written`(seconds: String) throws {
    let request = ReaderRequest.keyFrame(at: try #require(DecimalSeconds(seconds)))
    #expect(ReaderRequest(encoded: request.encoded) == request)
    #expect(request.encoded.count <= ReaderRequest.limit)
  }

  @Test(arguments: [
    [2], [2, 0, 0, 0, 0, 0, 0, 0], Array(repeating: 255, count: 9), [2] + Array(repeating: 255, count: 8),
  ])
  func `a request of another length or of no second is none`(bytes: [UInt8]) {
    #expect(ReaderRequest(encoded: bytes) == nil)
  }
}

@Suite struct ViewCacheTests {
  private func key(_ number: Int) throws -> ViewCache.Key {
    ViewCache.Key(tag: "t", seconds: try #require(DecimalSeconds("\(number)")))
  }

  @Test func `what was used last stays, and what is too much goes`() throws {
    let cache = ViewCache()
    let view = Composition([UInt8](repeating: 0, count: 100_000), then: [0..<10])
    for number in 0..<100 {
      cache.keep(view, for: try key(number))
      #expect(cache[try key(0)] != nil, "it is used all the time")
    }
    let kept = try (0..<100).count { cache[try key($0)] != nil }
    #expect((20...42).contains(kept), "\(kept) of 100 kB each within 4 MiB")
    #expect(cache[try key(99)] == view)
    #expect(cache[try key(1)] == nil)
  }

  @Test func `another version has other views`() throws {
    let cache = ViewCache()
    cache.keep(Composition([1], then: []), for: try key(1))
    #expect(cache[ViewCache.Key(tag: "u", seconds: try key(1).seconds)] == nil)
  }
}
