/// The position of a part of a head.

/// A range of bytes, counted from a head's first byte. A head has at most 65,535 bytes (`HTTPLimits.headBytes`), so
/// that a range takes four bytes. Heads are passed by value, so they should be small.
struct FieldRange: Hashable, Sendable {
  private let start: UInt16
  private let end: UInt16

  init(_ range: Range<Int>) {
    start = UInt16(truncatingIfNeeded: range.lowerBound)
    end = UInt16(truncatingIfNeeded: range.upperBound)
  }

  var range: Range<Int> { Int(start)..<Int(max(start, end)) }
}
