/// The `Range` field of a request: the bytes that the client asks for.

/// The ranges of a `Range` field (RFC 9110 §14.1.2, §14.2), up to 16. Nearly always there is only one, which is stored
/// without an allocation.
package struct ByteRangeSet: Sendable {
  /// One range of the field. A number that exceeds 64 bits counts as the largest one, which is past the end of
  /// everything.
  package enum Specifier: Hashable, Sendable {
    /// The closed range of RFC 9110's `int-range`. Without a last position, `through` is `UInt64.max`.
    case from(UInt64, through: UInt64)
    /// The given number of bytes at the end.
    case suffix(UInt64)
  }

  private let first: Specifier
  private var others: [Specifier] = []

  /// The number of ranges, 1 to 16.
  package var count: Int { 1 + others.count }

  /// - Returns: nil if the field is to be ignored: because of another unit, a syntax error, a last position before the
  ///   first, or more than 16 ranges, which only an attacker would send.
  package init?(_ field: Span<UInt8>) {
    guard field.count > 6, ASCII.matches(field, 0..<6, ignoringCase: "bytes=") else { return nil }
    var members = ListCursor(6..<field.count)
    guard let member = members.next(in: field), let first = Self.specifier(field, member) else { return nil }
    self.first = first
    while let member = members.next(in: field) {
      guard count < HTTPLimits.rangeCount, let specifier = Self.specifier(field, member) else { return nil }
      others.append(specifier)
    }
  }

  /// The range at this index of the field, which must be below `count`.
  package subscript(index: Int) -> Specifier { index == 0 ? first : others[index - 1] }

  private static func specifier(_ field: Span<UInt8>, _ member: Range<Int>) -> Specifier? {
    var position = member.lowerBound
    let first = number(field, &position, end: member.upperBound)
    guard position < member.upperBound, field[position] == UInt8(ascii: "-") else { return nil }
    position += 1
    let last = number(field, &position, end: member.upperBound)
    guard position == member.upperBound else { return nil }
    guard let first else { return last.map { .suffix($0) } }
    guard let last else { return .from(first, through: .max) }
    return first <= last ? .from(first, through: last) : nil
  }

  /// Returns the number at `position` and moves `position` after its digits; nil if there are no digits.
  private static func number(_ field: Span<UInt8>, _ position: inout Int, end: Int) -> UInt64? {
    let start = position
    var value: UInt64 = 0
    while position < end, ASCII.isDigit(field[position]) {
      let (tens, tensOverflow) = value.multipliedReportingOverflow(by: 10)
      let (sum, sumOverflow) = tens.addingReportingOverflow(UInt64(field[position] - UInt8(ascii: "0")))
      value = tensOverflow || sumOverflow ? .max : sum
      position += 1
    }
    return position > start ? value : nil
  }
}

extension ByteRangeSet {
  /// The ranges of a set within a representation of a known length.
  package enum Selection: Hashable, Sendable {
    case unsatisfiable
    case one(Range<UInt64>)
    /// At least two ranges in the order of the request. None overlaps or touches another.
    case several([Range<UInt64>])
  }

  /// Returns the ranges within a representation. Overlapping and adjacent ranges are merged (RFC 9110 §15.3.7.2). The
  /// merged range takes the position of the first of them; a gap is never bridged.
  ///
  /// - Parameter length: the length of the representation in bytes.
  package func selection(length: UInt64) -> Selection {
    var only: Range<UInt64>?
    var several: [Range<UInt64>] = []
    for index in 0..<count {
      guard let range = Self.range(self[index], length: length) else { continue }
      if several.isEmpty {
        guard let first = only else {
          only = range
          continue
        }
        if Self.touch(first, range) {
          only = Self.union(first, range)
          continue
        }
        several = [first]
      }
      Self.merge(range, into: &several)
    }
    guard let only else { return .unsatisfiable }
    return several.count > 1 ? .several(several) : .one(several.first ?? only)
  }

  private static func range(_ specifier: Specifier, length: UInt64) -> Range<UInt64>? {
    switch specifier {
    case .from(let first, let last):
      guard first < length else { return nil }
      return last < length ? first..<last + 1 : first..<length
    case .suffix(let count):
      guard count > 0, length > 0 else { return nil }
      return count < length ? length - count..<length : 0..<length
    }
  }

  /// Adds a range and merges it with those that it touches. The elements of `ranges` do not touch one another, so an
  /// element that touches the union also touches `range`. One pass is therefore enough.
  private static func merge(_ range: Range<UInt64>, into ranges: inout [Range<UInt64>]) {
    var union = range
    var place: Int?
    var index = 0
    while index < ranges.count {
      guard touch(range, ranges[index]) else {
        index += 1
        continue
      }
      union = Self.union(union, ranges[index])
      if place == nil {
        place = index
        index += 1
      } else {
        ranges.remove(at: index)
      }
    }
    if let place { ranges[place] = union } else { ranges.append(union) }
  }

  private static func touch(_ one: Range<UInt64>, _ other: Range<UInt64>) -> Bool {
    one.lowerBound <= other.upperBound && other.lowerBound <= one.upperBound
  }

  private static func union(_ one: Range<UInt64>, _ other: Range<UInt64>) -> Range<UInt64> {
    min(one.lowerBound, other.lowerBound)..<max(one.upperBound, other.upperBound)
  }
}
