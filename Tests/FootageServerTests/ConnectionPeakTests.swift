import Testing

@testable import FootageServer

struct ConnectionPeakTests {
  /// - Returns: the numbers of the looks at which a crowd has left, for the number of connections at each look.
  private func looks(_ counts: [Int]) -> [Int] {
    var peak = ConnectionPeak()
    return counts.indices.filter { peak.hasPassed(leaving: counts[$0]) }
  }

  @Test(
    arguments: [
      // All of them leave at once.
      ([300, 0, 0, 0], [1]),
      // A few connections are not a crowd.
      ([199, 0, 0, 0], []),
      // The ones that stay are no more than a quarter.
      ([400, 101, 101, 100, 100, 100], [4]),
      // While they are leaving, more are about to leave.
      ([5000, 3000, 1200, 800, 30, 30, 30], [5]),
      // One crowd after the other.
      ([300, 0, 0, 300, 0, 0], [1, 4]),
      // New connections come while the rest leaves.
      ([300, 50, 60, 10, 10], [2]),
    ] as [([Int], [Int])])
  func `memory is worth giving back once when a crowd has gone`(counts: [Int], expected: [Int]) {
    #expect(looks(counts) == expected)
  }
}
