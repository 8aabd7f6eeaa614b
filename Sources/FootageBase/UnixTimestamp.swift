/// A moment as a number, and as RFC 3339 writes it.
///
/// It is exact to the millisecond, which is as precisely as the start of a recording is known.
package struct UnixTimestamp: Hashable, Comparable, Sendable {
  /// The number of milliseconds since 1970-01-01T00:00:00Z.
  package let milliseconds: Int64

  package init(milliseconds: Int64) { self.milliseconds = milliseconds }

  /// Creates a timestamp rounded down to the millisecond.
  package init(nanoseconds: Int64) { milliseconds = nanoseconds.quotientRoundedDown(by: 1_000_000) }

  /// Creates a timestamp clamped to what 64 bits of milliseconds can hold.
  package init(seconds: Int64, milliseconds: Int = 0) {
    let (product, overflows) = seconds.multipliedReportingOverflow(by: 1_000)
    let (sum, sumOverflows) = product.addingReportingOverflow(Int64(milliseconds))
    self.milliseconds = overflows || sumOverflows ? (seconds < 0 ? .min : .max) : sum
  }

  /// The number of whole seconds, rounded down.
  package var seconds: Int64 { milliseconds.quotientRoundedDown(by: 1_000) }

  /// The milliseconds past the whole second, 0 to 999.
  package var millisecondsOfSecond: Int { Int(milliseconds &- seconds &* 1_000) }

  /// Returns a moment that is later by the difference, or earlier if it is negative; clamped.
  package func advanced(byMilliseconds difference: Int64) -> UnixTimestamp {
    let (sum, overflows) = milliseconds.addingReportingOverflow(difference)
    return UnixTimestamp(milliseconds: overflows ? (difference < 0 ? .min : .max) : sum)
  }

  package static func < (one: UnixTimestamp, other: UnixTimestamp) -> Bool { one.milliseconds < other.milliseconds }
}

extension UnixTimestamp {
  /// The text of RFC 3339 §5.6, in UTC, always with three decimals of the second: `2026-11-20T10:15:30.250Z`.
  package var rfc3339: String {
    var text: [UInt8] = []
    text.reserveCapacity(24)
    text.append(rfc3339: CivilTime(unixSeconds: seconds), thenZ: false)
    text.append(UInt8(ascii: "."))
    text.append(decimal: Int64(millisecondsOfSecond), digits: 3)
    text.append(UInt8(ascii: "Z"))
    return String(decoding: text, as: UTF8.self)
  }

  /// Reads RFC 3339 in UTC (`2026-11-20T10:15:30.25Z`) or with an offset (`…+01:00`), truncated to the millisecond. A
  /// date alone means its first second.
  package init?(rfc3339 text: String) {
    let bytes = Array(text.utf8)
    func number(_ range: Range<Int>) -> Int? {
      guard range.upperBound <= bytes.count else { return nil }
      return bytes[range].reduce(Int?(0)) { sum, byte in
        guard let sum, Self.isDigit(byte) else { return nil }
        return sum * 10 + Int(byte - UInt8(ascii: "0"))
      }
    }
    func has(_ character: Unicode.Scalar, at index: Int) -> Bool {
      guard index < bytes.count else { return false }
      // Letters may be lower-case (RFC 3339 §5.6). The bit of lower case would turn a hyphen or colon into another
      // byte, so it is set for letters only.
      return bytes[index] == UInt8(ascii: character)
        || (character >= "A" && bytes[index] == UInt8(ascii: character) | 0x20)
    }
    guard let year = number(0..<4), has("-", at: 4), let month = number(5..<7), has("-", at: 7),
      let day = number(8..<10)
    else { return nil }
    if bytes.count == 10 {
      guard let date = CivilTime(year: year, month: month, day: day, hour: 0, minute: 0, second: 0) else { return nil }
      self.init(seconds: date.unixSeconds)
      return
    }
    guard has("T", at: 10), let hour = number(11..<13), has(":", at: 13), let minute = number(14..<16),
      has(":", at: 16), let second = number(17..<19),
      let time = CivilTime(year: year, month: month, day: day, hour: hour, minute: minute, second: second)
    else { return nil }
    var end = 19
    var milliseconds = 0
    if end < bytes.count, bytes[end] == UInt8(ascii: ".") {
      end += 1
      let firstDigit = end
      while end < bytes.count, Self.isDigit(bytes[end]) { end += 1 }
      guard end > firstDigit else { return nil }
      milliseconds = Self.milliseconds(ofFraction: bytes[firstDigit..<end])
    }
    if has("Z", at: end), bytes.count == end + 1 {
      self.init(seconds: time.unixSeconds, milliseconds: milliseconds)
      return
    }
    guard bytes.count == end + 6, bytes[end] == UInt8(ascii: "+") || bytes[end] == UInt8(ascii: "-"),
      let offsetHours = number((end + 1)..<(end + 3)), has(":", at: end + 3),
      let offsetMinutes = number((end + 4)..<(end + 6)), offsetHours < 24, offsetMinutes < 60
    else { return nil }
    let offset = Int64(offsetHours * 3_600 + offsetMinutes * 60)
    self.init(
      seconds: time.unixSeconds - (bytes[end] == UInt8(ascii: "+") ? offset : -offset), milliseconds: milliseconds)
  }

  /// Returns the milliseconds in the digits after a decimal point, truncated.
  package static func milliseconds(ofFraction digits: some Sequence<UInt8>) -> Int {
    var (sum, unit) = (0, 100)
    for digit in digits.prefix(3) {
      sum += Int(digit &- UInt8(ascii: "0")) * unit
      unit /= 10
    }
    return sum
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
}

extension CivilTime {
  /// Reads a text as `UnixTimestamp(rfc3339:)` does, in whole seconds.
  package static func unixSeconds(rfc3339 text: String) -> Int64? { UnixTimestamp(rfc3339: text)?.seconds }
}

extension Int64 {
  /// Divides and rounds towards the past, for moments before 1970 as well.
  ///
  /// - Parameter divisor: above 0.
  package func quotientRoundedDown(by divisor: Int64) -> Int64 {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? quotient - 1 : quotient
  }
}
