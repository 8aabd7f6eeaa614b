import FootageMedia
import Testing

@testable import FootageLibrary

/// The reading process's report on a list of samples is untrusted input: it is accepted whole, or not at all.
@Suite struct SampleReportTests {
  static let reports = [
    SampleReport.more(.start), .more(.init(track: 255, sample: 50_000_000)), .end, .failed("it is no MP4 file"),
  ]

  @Test(arguments: reports) func `a report is read as it was written, and else it is none`(report: SampleReport) {
    let bytes = report.encoded
    #expect(SampleReport(encoded: bytes) == report)
    for count in 0..<bytes.count { #expect(SampleReport(encoded: Array(bytes.prefix(count))) == nil) }
    #expect(SampleReport(encoded: bytes + [0]) == nil)
  }

  @Test(arguments: [false, true], [false, true])
  func `a request is read as it was written`(isJSON: Bool, hasKeysOnly: Bool) {
    let request = ReaderRequest.samples(
      .init(isJSON: isJSON, hasKeysOnly: hasKeysOnly), from: .init(track: 3, sample: 8_192))
    #expect(ReaderRequest(encoded: request.encoded) == request)
    #expect(request.encoded.count <= ReaderRequest.limit)
    #expect(ReaderRequest(encoded: request.encoded.dropLast()) == nil)
  }

  @Test func `positions that no file has are none`() {
    for place in 0..<2 {
      var bytes = SampleReport.more(.start).encoded
      bytes.replaceSubrange((8 + 8 * place)..<(16 + 8 * place), with: Array(repeating: 255, count: 8))
      #expect(SampleReport(encoded: bytes) == nil)
    }
    #expect(ReaderRequest(encoded: [3, 0] + Array(repeating: 255, count: 16)) == nil)
  }
}
