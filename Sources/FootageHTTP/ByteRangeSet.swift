/// The `Range` field of a request: which bytes are asked for.

/// RFC 9110 §14.1.2, §14.2. Up to 16 ranges; nearly always it is one, and for that nothing is allocated.
package struct ByteRangeSet: Sendable {
  /// Numbers past 64 bits are taken for the largest of 64 bits, which is past the end of everything.
  package enum Specifier: Hashable, Sendable {
    /// The closed range of RFC 9110's `int-range`; without a last position it is `UInt64.max`.
    case from(UInt64, through: UInt64)
    /// So many bytes at the end.
    case suffix(UInt64)
  }

  private let first: Specifier
  private var others: [Specifier] = []

  /// 1 to 16.
  package var count: Int { 1 + others.count }

  /// - Returns: nil where the field is to be ignored: another unit, a syntax error, a last position before the first,
  ///   or more than 16 ranges, which nobody needs but an attacker.
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

  /// The range at this place of the field, below `count`.
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

  /// Digits from `position` on, which moves behind them; nil where there are none.
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
  /// What a set of ranges comes to on a representation of a known length.
  package enum Selection: Hashable, Sendable {
    case unsatisfiable
    case one(Range<UInt64>)
    /// At least two, none of which overlaps or touches another, in the order of the request.
    case several([Range<UInt64>])
  }

  /// Overlapping and adjacent ranges are merged (RFC 9110 §15.3.7.2), and the merged one stands where the first of them
  /// stood; a gap is never bridged.
  ///
  /// - Parameter length: of the representation, in bytes.
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

  /// The ranges in `ranges` do not touch one another, so that each that the union touches, `range` touches too: one
  /// pass is enough.
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
