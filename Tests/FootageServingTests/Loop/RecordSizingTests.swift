import FootageSystem
import Testing

@testable import FootageServing

/// The sizes of a server's records.
@Suite struct RecordSizingTests {
  private static let start = Deadline(milliseconds: 10_000)

  @Test(arguments: [(0, 0), (1, 0), (4096, 0), (4097, 1), (8192, 1), (8193, 2), (12_289, 3), (300_000, 3)])
  func `what is sent first goes out in small records, and the rest is never empty`(_ byteCount: Int, _ expected: Int) {
    var sizing = RecordSizing()
    #expect(sizing.smallRecordCount(in: byteCount, at: Self.start) == expected)
    #expect(expected * RecordSizing.smallRecord < max(1, byteCount))
  }

  @Test func `after a pause, and only then, the first records are small again`() {
    var sizing = RecordSizing()
    var now = Self.start
    for (pause, expected) in [(0, 3), (199, 0), (199, 0), (200, 3)] {
      now = now.advanced(by: Deadline.Delay(.milliseconds(pause)))
      #expect(sizing.smallRecordCount(in: 1 << 16, at: now) == expected)
    }
  }
}
