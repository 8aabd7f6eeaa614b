/// The `Content-Range` field: the range of a response's bytes, and the length of the whole representation.

/// The value of `Content-Range` (RFC 9110 §14.4), without the forms that leave the complete length open. This server
/// always knows the length.
package struct ContentRange: Hashable, Sendable {
  /// The range, which is never empty and is within `length`; nil in a 416 (`bytes */1000`).
  package let range: Range<UInt64>?
  /// The length of the whole representation in bytes.
  package let length: UInt64

  /// Reads the field's value; nil if it has another unit, is malformed, exceeds 64 bits, or contradicts itself.
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
  /// Appends a line such as `Content-Range: bytes 0-1/1000`. For a nil or empty range it writes `*`.
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
