/// A set of byte offsets, stored as ranges.
package struct RangeSet: Hashable, Sendable {
  /// The ranges in order. None is empty, and no two touch.
  package private(set) var ranges: [Range<UInt64>] = []

  package init() {}

  /// Creates the union of the ranges, which may overlap and come in any order.
  package init(_ ranges: some Sequence<Range<UInt64>>) {
    for range in ranges { insert(range) }
  }

  package var isEmpty: Bool { ranges.isEmpty }

  /// The number of bytes in the set.
  package var byteCount: UInt64 { ranges.reduce(0) { $0 + ($1.upperBound - $1.lowerBound) } }

  /// Adds the bytes of a range.
  package mutating func insert(_ range: Range<UInt64>) {
    guard !range.isEmpty else { return }
    // All ranges that overlap or touch it become one.
    let first = firstIndex { $0.upperBound >= range.lowerBound }
    let end = firstIndex { $0.lowerBound > range.upperBound }
    var merged = range
    if first < end {
      merged =
        min(range.lowerBound, ranges[first].lowerBound)..<max(range.upperBound, ranges[end - 1].upperBound)
    }
    ranges.replaceSubrange(first..<end, with: CollectionOfOne(merged))
  }

  /// Removes the bytes of a range.
  package mutating func remove(_ range: Range<UInt64>) {
    guard !range.isEmpty else { return }
    let first = firstIndex { $0.upperBound > range.lowerBound }
    let end = firstIndex { $0.lowerBound >= range.upperBound }
    guard first < end else { return }
    let rests = [
      ranges[first].lowerBound..<max(ranges[first].lowerBound, range.lowerBound),
      min(ranges[end - 1].upperBound, range.upperBound)..<ranges[end - 1].upperBound,
    ]
    ranges.replaceSubrange(first..<end, with: rests.filter { !$0.isEmpty })
  }

  package mutating func formUnion(_ other: RangeSet) {
    for range in other.ranges { insert(range) }
  }

  package mutating func subtract(_ other: RangeSet) {
    for range in other.ranges { remove(range) }
  }

  package func contains(_ range: Range<UInt64>) -> Bool {
    range.isEmpty || end(from: range.lowerBound) >= range.upperBound
  }

  /// Returns the end of the contiguous bytes from `offset` on, or `offset` itself if it is not in the set.
  package func end(from offset: UInt64) -> UInt64 {
    let index = firstIndex { $0.upperBound > offset }
    guard index < ranges.count, ranges[index].lowerBound <= offset else { return offset }
    return ranges[index].upperBound
  }

  /// Returns the parts of `range` that are in the set, in order.
  package func parts(in range: Range<UInt64>) -> [Range<UInt64>] {
    var parts: [Range<UInt64>] = []
    var index = firstIndex { $0.upperBound > range.lowerBound }
    while index < ranges.count, ranges[index].lowerBound < range.upperBound {
      parts.append(ranges[index].clamped(to: range))
      index += 1
    }
    return parts
  }

  /// Returns the parts of `range` that are not in the set, in order.
  package func gaps(in range: Range<UInt64>) -> [Range<UInt64>] {
    var gaps: [Range<UInt64>] = []
    var position = range.lowerBound
    for part in parts(in: range) {
      if position < part.lowerBound { gaps.append(position..<part.lowerBound) }
      position = part.upperBound
    }
    if position < range.upperBound { gaps.append(position..<range.upperBound) }
    return gaps
  }

  /// Returns the index of the first range that meets the condition, or the number of ranges if none does. The condition
  /// must hold for all later ranges, too.
  private func firstIndex(where condition: (Range<UInt64>) -> Bool) -> Int {
    var low = 0
    var high = ranges.count
    while low < high {
      let middle = (low + high) / 2
      if condition(ranges[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}

extension UInt64 {
  /// Returns the sum, or the largest number if the sum overflows.
  package func addingClamped(_ other: UInt64) -> UInt64 {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? .max : sum
  }
}
