import Testing

@testable import FootageServer

struct ConnectionPeakTests {
  /// - Returns: at which looks a crowd has gone, for so many connections at each.
  private func looks(_ counts: [Int]) -> [Int] {
    var peak = ConnectionPeak()
    return counts.indices.filter { peak.hasPassed(leaving: counts[$0]) }
  }

  @Test(
    arguments: [
      // All of them at once.
      ([300, 0, 0, 0], [1]),
      // Few are no crowd.
      ([199, 0, 0, 0], []),
      // Those who stay are no more than a quarter.
      ([400, 101, 101, 100, 100, 100], [4]),
      // In the midst of their leaving there is more to come.
      ([5000, 3000, 1200, 800, 30, 30, 30], [5]),
      // One crowd after the other.
      ([300, 0, 0, 300, 0, 0], [1, 4]),
      // Others come while the rest leaves.
      ([300, 50, 60, 10, 10], [2]),
    ] as [([Int], [Int])])
  func `memory is worth giving back once when a crowd has gone`(counts: [Int], expected: [Int]) {
    #expect(looks(counts) == expected)
  }
}
