/// Sets of offsets, compared with sets of numbers.

import FootageBase
import TestSupport
import Testing

@Suite struct RangeSetTests {
  @Test(
    arguments: [
      ([0..<5, 10..<15], [0..<5, 10..<15]),
      ([10..<15, 0..<5], [0..<5, 10..<15]),
      ([0..<5, 5..<10], [0..<10]),
      ([0..<5, 7..<9, 4..<8], [0..<9]),
      ([3..<3], []),
      ([0..<100, 10..<20], [0..<100]),
      ([UInt64.max - 1..<UInt64.max, 0..<1], [0..<1, UInt64.max - 1..<UInt64.max]),
    ] as [([Range<UInt64>], [Range<UInt64>])])
  func `ranges that overlap or touch become one`(_ inserted: [Range<UInt64>], _ expected: [Range<UInt64>]) {
    #expect(RangeSet(inserted).ranges == expected)
  }

  @Test func `it is a set of numbers, whatever is done to it`() {
    for seed in UInt64(0)..<300 {
      var random = SeededGenerator(seed: seed)
      var ranges = RangeSet()
      var numbers: Set<UInt64> = []
      for _ in 0..<40 {
        let start = UInt64.random(in: 0..<60, using: &random)
        let range = start..<(start + UInt64.random(in: 0..<12, using: &random))
        if Bool.random(using: &random) {
          ranges.insert(range)
          numbers.formUnion(range)
        } else {
          ranges.remove(range)
          numbers.subtract(range)
        }
        check(Set(ranges.ranges.flatMap { $0 }) == numbers, "seed \(seed)")
        check(
          zip(ranges.ranges, ranges.ranges.dropFirst()).allSatisfy { $0.upperBound < $1.lowerBound }, "seed \(seed)")
        check(ranges.ranges.allSatisfy { !$0.isEmpty }, "seed \(seed)")
        check(ranges.byteCount == UInt64(numbers.count), "seed \(seed)")
        let probe = UInt64.random(in: 0..<70, using: &random)
        let window = probe..<(probe + UInt64.random(in: 0..<20, using: &random))
        check(ranges.contains(window) == window.allSatisfy(numbers.contains), "seed \(seed)")
        check(ranges.end(from: probe) == (probe...100).first { !numbers.contains($0) }, "seed \(seed)")
        check(ranges.parts(in: window).flatMap { Array($0) } == window.filter(numbers.contains), "seed \(seed)")
        check(ranges.gaps(in: window).flatMap { Array($0) } == window.filter { !numbers.contains($0) }, "seed \(seed)")
      }
    }
  }
}
