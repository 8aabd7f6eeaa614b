/// Compositions, compared with the bytes that they stand for.

import FootageBase
import TestSupport
import Testing

@Suite struct CompositionTests {
  private static let sources: [[UInt8]] = [Array(0..<200), Array((0..<200).reversed())]

  private static func bytes(_ slices: [Composition.Slice]) -> [UInt8] {
    slices.flatMap { slice in
      switch slice {
      case .literal(let bytes): Array(bytes)
      case .range(let source, let range): Array(sources[source][Int(range.lowerBound)..<Int(range.upperBound)])
      }
    }
  }

  @Test func `any range of it has the bytes of the whole`() {
    for seed in UInt64(0)..<100 {
      var random = SeededGenerator(seed: seed)
      var composition = Composition()
      var expected: [UInt8] = []
      for _ in 0..<Int.random(in: 0..<12, using: &random) {
        let start = UInt64.random(in: 0..<100, using: &random)
        let range = start..<(start + UInt64.random(in: 0..<20, using: &random))
        let source = Int.random(in: 0..<3, using: &random)
        if source == 2 {
          composition.append(Self.sources[0][Int(range.lowerBound)..<Int(range.upperBound)])
          expected += Self.sources[0][Int(range.lowerBound)..<Int(range.upperBound)]
        } else {
          composition.append(range, of: source)
          expected += Self.sources[source][Int(range.lowerBound)..<Int(range.upperBound)]
        }
      }
      #expect(composition.length == UInt64(expected.count))
      #expect(Self.bytes(composition.slices) == expected, "seed \(seed)")
      for _ in 0..<50 {
        let start = Int.random(in: 0...(expected.count + 3), using: &random)
        let end = Int.random(in: start...(expected.count + 5), using: &random)
        let slices = composition.slice(in: UInt64(start)..<UInt64(end)).slices
        let wanted = expected[min(start, expected.count)..<min(end, expected.count)]
        #expect(Self.bytes(slices) == Array(wanted), "seed \(seed), \(start)..<\(end)")
        #expect(slices.allSatisfy { $0.length > 0 })
      }
    }
  }

  @Test func `what adjoins becomes one slice, of the same source alone`() {
    var composition = Composition([1, 2], then: [5..<9, 9..<12, 12..<12, 20..<30])
    composition.append(30..<31, of: 1)
    composition.append([7])
    composition.append([8])
    composition.append([])
    #expect(
      composition.slices == [
        .literal([1, 2]), .range(source: 0, 5..<12), .range(source: 0, 20..<30), .range(source: 1, 30..<31),
        .literal([7, 8]),
      ])
    #expect(composition.ranges() == [5..<12, 20..<30])
    #expect(composition.ranges(of: 1) == [30..<31])
    #expect(composition.length == 22)
  }

  @Test func `how it was put together makes no difference`() {
    let whole = Composition([1, 2, 3], then: [0..<10])
    var pieces = Composition([1], then: [])
    pieces.append([2, 3])
    pieces.append(0..<4)
    pieces.append(4..<10)
    #expect(pieces == whole)
    pieces.append(10..<11)
    #expect(pieces != whole)
    #expect(Composition([1, 2, 3], then: [0..<10], of: 1) != whole)
  }

  @Test func `one behind another has sources of its own`() {
    var film = Composition([1], then: [5..<9])
    film.append(Composition([2], then: [9..<12]), firstSource: 1)
    film.append(Composition(then: [12..<14]), firstSource: 1)
    #expect(
      film.slices == [
        .literal([1]), .range(source: 0, 5..<9), .literal([2]), .range(source: 1, 9..<14),
      ])
  }

  @Test func `beyond the end there is nothing, at the highest offsets too`() {
    let composition = Composition([1], then: [(UInt64.max - 10)..<(UInt64.max - 2)])
    #expect(composition.slice(in: 9..<20).isEmpty)
    #expect(composition.slice(in: (UInt64.max - 1)..<UInt64.max).isEmpty)
    #expect(composition.slice(in: 8..<UInt64.max).slices == [.range(source: 0, (UInt64.max - 3)..<(UInt64.max - 2))])
    #expect(Composition().slice(in: 0..<1).isEmpty && Composition().isEmpty && Composition().length == 0)
  }
}
