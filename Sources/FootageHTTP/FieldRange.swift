/// Where something lies in a head.

/// In bytes from the head's first one. A head is at most 65,535 bytes long (`HTTPLimits.headBytes`), so that a place
/// takes four bytes: heads are handed on by value, and what is small is cheap to hand on.
struct FieldRange: Hashable, Sendable {
  private let start: UInt16
  private let end: UInt16

  init(_ range: Range<Int>) {
    start = UInt16(truncatingIfNeeded: range.lowerBound)
    end = UInt16(truncatingIfNeeded: range.upperBound)
  }

  var range: Range<Int> { Int(start)..<Int(max(start, end)) }
}
