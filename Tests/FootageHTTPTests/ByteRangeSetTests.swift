import FootageBase
import FootageHTTP
import TestSupport
import Testing

@Suite struct ByteRangeSetTests {
  private func selection(_ field: String, length: UInt64 = 1000) -> ByteRangeSet.Selection? {
    ByteRangeSet(Array(field.utf8).borrowedSpan)?.selection(length: length)
  }

  @Test(
    arguments: [
      ("bytes=0-1", 0..<2), ("bytes=0-", 0..<1000), ("bytes=900-5000", 900..<1000), ("bytes=999-", 999..<1000),
      ("bytes=0-99999999999999999999", 0..<1000), ("bytes=0-18446744073709551615", 0..<1000),
      ("bytes=0-18446744073709551614", 0..<1000), ("bytes=-500", 500..<1000), ("bytes=-1000", 0..<1000),
      ("bytes=-5000", 0..<1000), ("bytes=-99999999999999999999", 0..<1000), ("bytes=-1", 999..<1000),
      ("Bytes=0-5", 0..<6), ("BYTES=0-5", 0..<6), ("bytes= \t0-5\t ", 0..<6), ("bytes=,0-5,", 0..<6),
      ("bytes=, ,,0-5 ,,", 0..<6), ("bytes=000-0001", 0..<2), ("bytes=0-9,5000-", 0..<10), ("bytes=5000-,0-9", 0..<10),
      ("bytes=-0,0-9", 0..<10),
      // Overlapping and adjacent ranges that merge into one.
      ("bytes=0-9,10-19", 0..<20), ("bytes=10-19,0-9", 0..<20), ("bytes=0-9,5-14", 0..<15), ("bytes=0-9,2-3", 0..<10),
      ("bytes=0-,-1", 0..<1000), ("bytes=0-4,10-14,5-9", 0..<15), ("bytes=5-5,5-5,5-5", 5..<6),
    ] as [(String, Range<UInt64>)])
  func `a field that comes to one range`(field: String, range: Range<UInt64>) {
    #expect(selection(field) == .one(range))
  }

  @Test(arguments: [
    "bytes=-0", "bytes=1000-", "bytes=1000-2000", "bytes=5000-,-0", "bytes=18446744073709551615-",
    "bytes=99999999999999999999-", "bytes=99999999999999999999-99999999999999999999",
  ])
  func `a field of which nothing can be had`(field: String) {
    #expect(selection(field) == .unsatisfiable)
  }

  @Test(arguments: [
    "bytes=5-4", "bytes=abc", "bytes=10", "items=0-5", "bytes=", "bytes=,", "bytes= , ,", "bytes", "", "=0-1",
    "bytes 0-1", "bytes =0-1", " bytes=0-1", "bytes=0-1-2", "bytes=--1", "bytes=-", "bytes=0 -1", "bytes=0- 1",
    "bytes=+0-1", "bytes=0x0-1", "bytes=0-1;", "bytes=0-1,5-4", "bytes=0-1,x", "bytes=1.0-2", "bytes=0-1 2-3",
    "bytes=99999999999999999999-5", "bytes=\u{0660}-\u{0661}",
  ])
  func `a field that is ignored`(field: String) {
    #expect(selection(field) == nil)
  }

  @Test(
    arguments: [
      ("bytes=0-0,-1", [0..<1, 999..<1000]), ("bytes=-1,0-0", [999..<1000, 0..<1]),
      // A gap of one byte is not bridged.
      ("bytes=0-9,11-19", [0..<10, 11..<20]),
      // A merged range has the position of its first member.
      ("bytes=500-599,0-9,600-699", [500..<700, 0..<10]), ("bytes=0-9,500-599,5-14", [0..<15, 500..<600]),
      ("bytes=100-109,0-9,200-209,10-99", [0..<110, 200..<210]),
      ("bytes=0-9,20-29,40-49,5-44,900-", [0..<50, 900..<1000]),
      ("bytes=800-,0-9,5000-,-100", [800..<1000, 0..<10]),
    ] as [(String, [Range<UInt64>])])
  func `a field that comes to several ranges keeps their order`(field: String, ranges: [Range<UInt64>]) {
    #expect(selection(field) == .several(ranges))
  }

  @Test func `sixteen ranges are taken, seventeen are ignored`() {
    func field(_ count: Int) -> String { "bytes=" + (0..<count).map { "\($0 * 10)-\($0 * 10)" }.joined(separator: ",") }
    guard case .several(let ranges)? = selection(field(16)) else {
      Issue.record("sixteen ranges were not taken")
      return
    }
    #expect(ranges.count == 16)
    #expect(selection(field(17)) == nil)
    // The limit counts ranges that would merge or cannot be satisfied, but not empty members.
    #expect(selection("bytes=" + String(repeating: "0-0,", count: 17)) == nil)
    #expect(selection("bytes=" + String(repeating: "0-0,,", count: 16)) == .one(0..<1))
  }

  @Test func `the largest length does not overflow`() {
    #expect(selection("bytes=0-", length: .max) == .one(0..<UInt64.max))
    #expect(selection("bytes=18446744073709551614-", length: .max) == .one(UInt64.max - 1..<UInt64.max))
    #expect(selection("bytes=-1", length: .max) == .one(UInt64.max - 1..<UInt64.max))
    #expect(selection("bytes=0-0,-1", length: 0) == .unsatisfiable)
  }

  @Test func `merging agrees with marking the bytes one by one`() {
    var random = SeededGenerator(seed: 9)
    for _ in 0..<500 {
      let ranges = (0..<Int.random(in: 1...8, using: &random)).map { _ -> ClosedRange<Int> in
        let first = Int.random(in: 0..<40, using: &random)
        return first...min(39, first + Int.random(in: 0..<8, using: &random))
      }
      let field = "bytes=" + ranges.map { "\($0.lowerBound)-\($0.upperBound)" }.joined(separator: ",")
      let merged: [Range<UInt64>] =
        switch selection(field, length: 40) {
        case .one(let range)?: [range]
        case .several(let several)?: several
        default: []
        }
      var marked = Set<Int>()
      for range in ranges { marked.formUnion(range) }
      #expect(Set(merged.flatMap { $0.map { Int($0) } }) == marked, "\(field)")
      // No range overlaps or touches another: there are as many ranges as runs.
      #expect(merged.count == marked.filter { !marked.contains($0 - 1) }.count, "\(field)")
      // Each range has the position of its first member.
      let places = merged.map { part in ranges.firstIndex { part.contains(UInt64($0.lowerBound)) } ?? -1 }
      #expect(places == places.sorted(), "\(field)")
    }
  }
}
