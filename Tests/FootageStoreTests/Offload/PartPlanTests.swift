import FootageHTTP
import Testing

@testable import FootageStore

@Suite struct PartPlanTests {
  @Test(
    arguments: [
      (UInt64(0), UInt64(8), [0..<0]), (8, 8, [0..<8]), (9, 8, [0..<8, 8..<9]), (16, 8, [0..<8, 8..<16]),
      (17, 8, [0..<8, 8..<16, 16..<17]),
    ] as [(UInt64, UInt64, [Range<UInt64>])])
  func `a file is cut without a gap`(length: UInt64, partSize: UInt64, expected: [Range<UInt64>]) throws {
    let plan = try #require(PartPlan(length: length, partSize: partSize))
    #expect((1...plan.count).map(plan.range) == expected)
    #expect(plan.isSingle == (expected.count == 1))
  }

  @Test(arguments: [(UInt64(1), UInt64(0)), (80_001, 8), (.max, 1)])
  func `what makes more parts than engines take is not cut`(length: UInt64, partSize: UInt64) {
    #expect(PartPlan(length: length, partSize: partSize) == nil)
  }

  @Test func `10,000 parts are cut`() throws {
    #expect(try #require(PartPlan(length: 80_000, partSize: 8)).count == 10_000)
  }

  /// The value is what Amazon S3, Ceph and Swift answer for these bytes.
  @Test func `an object's entity tag is that of its parts' digests`() throws {
    let plan = try #require(PartPlan(length: 9, partSize: 8))
    let digests = [[UInt8](repeating: 0, count: 16), [UInt8](repeating: 1, count: 16)]
    #expect(plan.entityTag(of: digests)?.description == "\"85b46fc8ef95905564f879f9121a3025-2\"")
    let single = try #require(PartPlan(length: 8, partSize: 8))
    #expect(single.entityTag(of: [digests[1]])?.description == "\"01010101010101010101010101010101\"")
  }
}
