/// The `Content-Range` field: which bytes of how many a response holds.

/// RFC 9110 §14.4, without the forms that leave the complete length open: what is served here always knows it.
package struct ContentRange: Hashable, Sendable {
  /// Never empty and within `length`; nil in a 416 (`bytes */1000`).
  package let range: Range<UInt64>?
  /// Of the whole representation, in bytes.
  package let length: UInt64

  /// Reads the field's value; nil where it is of another unit, malformed, beyond 64 bits, or contradicts itself.
  package init?(_ field: Span<UInt8>) {
    guard field.count > 6, ASCII.matches(field, 0..<6, ignoringCase: "bytes "),
      let slash = Self.firstIndex(of: UInt8(ascii: "/"), in: field, from: 6),
      let length = ASCII.decimal(field, slash + 1..<field.count)
    else { return nil }
    self.length = length
    if ASCII.matches(field, 6..<slash, exactly: "*") {
      range = nil
      return
    }
    guard let dash = Self.firstIndex(of: UInt8(ascii: "-"), in: field, from: 6), dash < slash,
      let first = ASCII.decimal(field, 6..<dash), let last = ASCII.decimal(field, dash + 1..<slash),
      first <= last, last < length
    else { return nil }
    range = first..<last + 1
  }

  private static func firstIndex(of byte: UInt8, in field: Span<UInt8>, from start: Int) -> Int? {
    for index in start..<field.count where field[index] == byte { return index }
    return nil
  }
}

extension [UInt8] {
  /// `Content-Range: bytes 0-1/1000`; a nil or empty range writes `*`.
  mutating func append(contentRange range: Range<UInt64>?, length: UInt64) {
    append(literal: "Content-Range: bytes ")
    if let range, !range.isEmpty {
      append(decimal: range.lowerBound)
      append(UInt8(ascii: "-"))
      append(decimal: range.upperBound - 1)
    } else {
      append(UInt8(ascii: "*"))
    }
    append(UInt8(ascii: "/"))
    append(decimal: length)
    append(literal: "\r\n")
  }
}
