/// How the parts of a head are put behind one another in a byte buffer.

extension [UInt8] {
  mutating func append(literal text: StaticString) {
    // Safe because a literal's bytes live as long as the process.
    unsafe append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  mutating func append(decimal value: UInt64) {
    guard value > 9 else { return append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: value)) }
    var digits = InlineArray<20, UInt8>(repeating: 0)
    var start = 20
    var rest = value
    repeat {
      start -= 1
      digits[start] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
      rest /= 10
    } while rest > 0
    // Safe because the digits are copied before their borrow ends.
    unsafe digits.span.extracting(start..<20).withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
  }

  /// RFC 9112 §4. The version is ours, whatever the client's (RFC 9110 §2.5).
  mutating func append(statusLine status: HTTPStatus) {
    append(literal: "HTTP/1.1 ")
    append(decimal: UInt64(clamping: status.code))
    append(ASCII.space)
    append(literal: status.reasonPhrase)
    append(literal: "\r\n")
  }

  /// - Parameter value: 0 to 99.
  mutating func append(twoDigits value: Int) {
    append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: value / 10 % 10))
    append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: value % 10))
  }

  /// Control bytes become spaces, the same mending that RFC 9110 §5.5 asks of a recipient: no value can end its line.
  mutating func append(fieldValue text: String) {
    for byte in text.utf8 { append(ASCII.isControl(byte) ? ASCII.space : byte) }
  }

  mutating func append(field name: StaticString, _ value: String) {
    append(literal: name)
    append(literal: ": ")
    append(fieldValue: value)
    append(literal: "\r\n")
  }

  mutating func append(field name: StaticString, decimal value: UInt64) {
    append(literal: name)
    append(literal: ": ")
    append(decimal: value)
    append(literal: "\r\n")
  }
}
