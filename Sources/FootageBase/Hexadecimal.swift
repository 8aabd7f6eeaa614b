/// Bytes as hexadecimal digits (RFC 4648 §8).
package enum Hexadecimal {
  package enum Letters: Sendable { case lower, upper }

  package static func encode(_ bytes: some Sequence<UInt8>, _ letters: Letters = .lower) -> String {
    var digits: [UInt8] = []
    for byte in bytes {
      digits.append(digit(byte >> 4, letters))
      digits.append(digit(byte & 15, letters))
    }
    return String(decoding: digits, as: UTF8.self)
  }

  /// Returns the bytes, or nil if the text is not pairs of lower-case digits.
  package static func decode(_ text: String) -> [UInt8]? {
    var bytes: [UInt8] = []
    var digits = text.utf8.makeIterator()
    while let first = digits.next() {
      guard let second = digits.next(), let high = value(first), let low = value(second) else { return nil }
      bytes.append(high << 4 | low)
    }
    return encode(bytes) == text ? bytes : nil
  }

  /// Returns the digits of a number, in upper case, without leading zeros.
  package static func encodeShortest(_ number: UInt32) -> String {
    var digits: [UInt8] = []
    for shift in stride(from: UInt32(28), through: 0, by: -4) where number >> shift > 0 || shift == 0 {
      digits.append(digit(UInt8(truncatingIfNeeded: number >> shift & 15), .upper))
    }
    return String(decoding: digits, as: UTF8.self)
  }

  /// Returns the digit for a value below 16, as ASCII.
  package static func digit(_ value: UInt8, _ letters: Letters = .lower) -> UInt8 {
    guard value >= 10 else { return UInt8(ascii: "0") + value }
    return (letters == .lower ? UInt8(ascii: "a") : UInt8(ascii: "A")) + (value - 10)
  }

  /// Returns the value of an ASCII digit in either case, or nil.
  package static func value(_ digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}
