/// A histogram of durations.
package struct DurationHistogram: Hashable, Sendable {
  /// The upper bounds of the buckets, in milliseconds; longer durations count in an additional last bucket.
  package static let bounds: [Int64] = [10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000, 60_000]

  /// The number of durations in each bucket, including the additional last one.
  package private(set) var counts = [UInt64](repeating: 0, count: bounds.count + 1)
  /// The sum of all durations, in milliseconds.
  package private(set) var sumMilliseconds: UInt64 = 0

  package init() {}

  package var count: UInt64 { counts.reduce(0, +) }

  /// - Parameter milliseconds: a value below 0 counts as 0.
  package mutating func add(milliseconds: Int64) {
    let milliseconds = max(0, milliseconds)
    let index = Self.bounds.firstIndex { milliseconds <= $0 } ?? Self.bounds.count
    counts[index] += 1
    sumMilliseconds &+= UInt64(milliseconds)
  }
}
