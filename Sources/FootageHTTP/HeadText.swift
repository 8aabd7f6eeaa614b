/// Appends the parts of a head to a byte buffer.

extension [UInt8] {
  mutating func append(literal text: StaticString) {
    // Safe because a literal's bytes live as long as the process.
    unsafe append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  mutating func append(decimal value: UInt64) {
    guard value > 9 else { return append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: value)) }
    let sixteenDigits: UInt64 = 10_000_000_000_000_000
    guard value >= sixteenDigits else { return append(digitsOf: value, atLeast: 1) }
    append(digitsOf: value / sixteenDigits, atLeast: 1)
    append(digitsOf: value % sixteenDigits, atLeast: 16)
  }

  /// Appends a number with at least `least` and at most sixteen decimal digits. The digits are computed from the last
  /// one on, and collected in an integer with four bits for each.
  private mutating func append(digitsOf value: UInt64, atLeast least: Int) {
    var digits: UInt64 = 0
    var digitCount = 0
    var rest = value
    repeat {
      digits = digits << 4 | rest % 10
      rest /= 10
      digitCount += 1
    } while rest > 0 || digitCount < least
    for _ in 0..<digitCount {
      append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: digits & 15))
      digits >>= 4
    }
  }

  /// Appends a status line (RFC 9112 §4). The version is always HTTP/1.1, which this server implements, even if the
  /// client uses another one (RFC 9110 §2.5).
  mutating func append(statusLine status: HTTPStatus) {
    append(literal: "HTTP/1.1 ")
    append(decimal: UInt64(clamping: status.code))
    append(ASCII.space)
    append(literal: status.reasonPhrase)
    append(literal: "\r\n")
  }

  /// - Parameter value: a number from 0 to 99.
  mutating func append(twoDigits value: Int) {
    append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: value / 10 % 10))
    append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: value % 10))
  }

  /// Appends a value in which control bytes become spaces, so that no value can end its line. RFC 9110 §5.5 also
  /// requires this of recipients.
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
