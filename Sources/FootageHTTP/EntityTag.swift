internal import FootageBase

/// The name of one exact version of a representation (RFC 9110 §8.8.3).
package struct EntityTag: Hashable, Sendable, CustomStringConvertible {
  /// The tag as in a field: `"x"` or `W/"x"`, in ASCII or bytes above it.
  package let bytes: [UInt8]
  /// True if the tag is weak: versions that share it are equivalent, but not necessarily identical (RFC 9110 §8.8.1).
  package let isWeak: Bool

  /// Reads a tag as it is written in a field, including its quotes; nil if it is not a tag.
  package init?(_ field: Span<UInt8>) {
    guard let tag = Self.tag(in: field, from: 0), tag.end == field.count else { return nil }
    isWeak = tag.isWeak
    // Safe because the copy is made before the borrow of the bytes ends.
    bytes = unsafe field.withUnsafeBufferPointer { unsafe Array($0) }
  }

  /// Reads a tag as it is written in a field, including its quotes; nil if it is not a tag.
  package init?(_ text: String) {
    self.init(Array(text.utf8).borrowedSpan)
  }

  /// Creates a strong tag of these characters; nil if one of them is not allowed in a tag.
  package init?(strong opaque: String) {
    self.init("\"\(opaque)\"")
  }

  /// Creates a strong tag from the digest of the representation, in hexadecimal digits.
  package init(digest: some Sequence<UInt8>) {
    isWeak = false
    bytes = Array("\"\(Hexadecimal.encode(digest))\"".utf8)
  }

  /// The tag as in a field.
  package var description: String { String(decoding: bytes, as: UTF8.self) }

  private var opaqueStart: Int { isWeak ? 2 : 0 }
}

extension EntityTag {
  /// The two comparisons of tags (RFC 9110 §8.8.3.2).
  package enum Comparison: Sendable {
    case strong, weak
  }

  /// Returns true if this tag of an existing representation matches an `If-Match` or `If-None-Match` field: `*`, or
  /// tags between commas. Nothing after a fault in the list matches. The function allocates nothing.
  package func isListed(in field: Span<UInt8>, by comparison: Comparison) -> Bool {
    let whole = ASCII.trimmed(field, 0..<field.count)
    if ASCII.matches(field, whole, exactly: "*") { return true }
    var position = whole.lowerBound
    while position < whole.upperBound {
      let byte = field[position]
      if ASCII.isBlank(byte) || byte == UInt8(ascii: ",") {
        position += 1
        continue
      }
      guard let tag = Self.tag(in: field, from: position) else { return false }
      position = tag.end
      while position < whole.upperBound, ASCII.isBlank(field[position]) { position += 1 }
      guard position == whole.upperBound || field[position] == UInt8(ascii: ",") else { return false }
      if matches(field, tag.opaqueStart..<tag.end, isWeak: tag.isWeak, by: comparison) { return true }
    }
    return false
  }

  /// Returns true if the field is only this tag, compared strongly, as `If-Range` requires (RFC 9110 §13.1.5).
  package func isOnly(in field: Span<UInt8>) -> Bool {
    guard let tag = Self.tag(in: field, from: 0), tag.end == field.count else { return false }
    return matches(field, tag.opaqueStart..<tag.end, isWeak: tag.isWeak, by: .strong)
  }

  private func matches(
    _ field: Span<UInt8>, _ opaque: Range<Int>, isWeak otherIsWeak: Bool, by comparison: Comparison
  ) -> Bool {
    if comparison == .strong, isWeak || otherIsWeak { return false }
    guard opaque.count == bytes.count - opaqueStart else { return false }
    for offset in 0..<opaque.count where field[opaque.lowerBound + offset] != bytes[opaqueStart + offset] {
      return false
    }
    return true
  }

  /// Finds `[ "W/" ] DQUOTE *etagc DQUOTE` from `start` on. The `W` must be a capital.
  private static func tag(in field: Span<UInt8>, from start: Int) -> (isWeak: Bool, opaqueStart: Int, end: Int)? {
    var position = start
    let isWeak = position + 2 <= field.count && ASCII.matches(field, position..<position + 2, exactly: "W/")
    if isWeak { position += 2 }
    let opaqueStart = position
    guard position < field.count, field[position] == UInt8(ascii: "\"") else { return nil }
    position += 1
    while position < field.count, isTagCharacter(field[position]) { position += 1 }
    guard position < field.count, field[position] == UInt8(ascii: "\"") else { return nil }
    return (isWeak, opaqueStart, position + 1)
  }

  /// Returns true for `etagc`: printable ASCII except `"`, or a byte above ASCII. A comma is allowed.
  private static func isTagCharacter(_ byte: UInt8) -> Bool {
    byte > ASCII.space && byte != UInt8(ascii: "\"") && byte != ASCII.delete
  }
}
