/// The ranges that are read from the cache and those that are fetched.

import FootageClient
import FootageBase
import LinuxTestSupport
import Testing

@Suite struct FetchPlanTests {
  typealias Segment = FetchPlan.Segment

  @Test(
    arguments: [
      // The example in the design.
      (50..<300, [0..<100, 200..<300], 20, [.local(50..<100), .remote(100..<200), .local(200..<300)]),
      (0..<100, [], 20, [.remote(0..<100)]),
      (0..<100, [0..<100], 20, [.local(0..<100)]),
      (0..<0, [0..<100], 20, []),
      (0..<100, [90..<100], 20, [.remote(0..<90), .local(90..<100)]),
      // A sliver between two holes is fetched again; with one more byte it is not.
      (0..<100, [40..<59], 20, [.remote(0..<100)]),
      (0..<100, [40..<60], 20, [.remote(0..<40), .local(40..<60), .remote(60..<100)]),
      // A sliver at an end does not divide a request.
      (0..<100, [0..<5, 95..<100], 20, [.local(0..<5), .remote(5..<95), .local(95..<100)]),
      // Only the part of the sliver within the wanted range counts.
      (45..<100, [0..<50], 20, [.local(45..<50), .remote(50..<100)]),
      (0..<100, [20..<25, 50..<55], 20, [.remote(0..<100)]),
      // The last hole ends where the recording does, not a sliver's length after its beginning.
      (0..<1000, [0..<990], 20, [.local(0..<990), .remote(990..<1000)]),
      // Beyond 4 GiB.
      (
        5_000_000_000..<9_000_000_000, [5_000_000_000..<6_000_000_000], 20_000,
        [.local(5_000_000_000..<6_000_000_000), .remote(6_000_000_000..<9_000_000_000)]
      ),
    ] as [(Range<UInt64>, [Range<UInt64>], UInt64, [Segment])])
  func `a plan reads what is here and asks for the rest`(
    _ wanted: Range<UInt64>, _ cached: [Range<UInt64>], _ sliver: UInt64, _ expected: [Segment]
  ) {
    let plan = FetchPlan(for: wanted, cached: RangeSet(cached), policy: FetchPlan.Policy(sliver: sliver))
    #expect(plan.segments == expected)
  }

  @Test func `the sliver rule is 20 kB unless said otherwise`() {
    #expect(FetchPlan.Policy().sliver == 20_000)
  }

  @Test func `every plan is the wanted range, fetches all that is missing and little that is not`() {
    for seed in UInt64(0)..<2_000 {
      var random = SeededGenerator(seed: seed)
      let start = UInt64.random(in: 0..<100, using: &random)
      let wanted = start..<(start + UInt64.random(in: 0..<100, using: &random))
      let sliver = UInt64.random(in: 0..<20, using: &random)
      let cached = RangeSet(
        (0..<Int.random(in: 0..<6, using: &random)).map { _ in
          let start = UInt64.random(in: 0..<200, using: &random)
          return start..<(start + UInt64.random(in: 0..<30, using: &random))
        })
      let plan = FetchPlan(for: wanted, cached: cached, policy: FetchPlan.Policy(sliver: sliver))
      var position = wanted.lowerBound
      var wasLocal: Bool?
      for segment in plan.segments {
        let (range, isLocal) =
          switch segment {
          case .local(let range): (range, true)
          case .remote(let range): (range, false)
          }
        #expect(range.lowerBound == position && !range.isEmpty && isLocal != wasLocal, "seed \(seed)")
        (position, wasLocal) = (range.upperBound, isLocal)
        if isLocal { #expect(cached.contains(range), "seed \(seed)") }
        if !isLocal {
          // A request begins and ends with a missing byte, and each piece that is fetched again is a sliver.
          #expect(!cached.contains(range.lowerBound..<(range.lowerBound + 1)), "seed \(seed)")
          #expect(!cached.contains((range.upperBound - 1)..<range.upperBound), "seed \(seed)")
          #expect(cached.parts(in: range).allSatisfy { $0.upperBound - $0.lowerBound < sliver }, "seed \(seed)")
        }
      }
      #expect(position == wanted.upperBound, "seed \(seed)")
    }
  }
}
