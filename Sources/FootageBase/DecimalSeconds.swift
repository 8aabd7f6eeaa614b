/// A presentation time in seconds as a URL has it: exact to the nanosecond, and never negative.
package struct DecimalSeconds: Hashable, Comparable, Sendable {
  /// The number of nanoseconds, below 10^18.
  package let nanoseconds: Int64

  package static let zero = DecimalSeconds(checked: 0)

  /// The most digits on each side of the decimal point.
  private static let longestDigits = 9

  /// Reads 1 to 9 digits, optionally followed by a point and 1 to 9 more; nil if the text is anything else.
  package init?(_ text: some StringProtocol) {
    let parts = text.utf8.split(separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
    var sum: Int64 = 0
    for (index, part) in parts.enumerated() {
      guard (1...Self.longestDigits).contains(part.count), part.allSatisfy({ (0x30...0x39).contains($0) }) else {
        return nil
      }
      for digit in part { sum = sum * 10 + Int64(digit - 0x30) }
      if index == 1 { for _ in part.count..<Self.longestDigits { sum *= 10 } }
    }
    nanoseconds = parts.count == 1 ? sum * 1_000_000_000 : sum
  }

  private init(checked nanoseconds: Int64) { self.nanoseconds = nanoseconds }

  /// - Parameter nanoseconds: from 0 on. The result is nil if the number is negative, or has more than nine digits of
  ///   whole seconds.
  package init?(nanoseconds: Int64) {
    guard (0..<1_000_000_000_000_000_000).contains(nanoseconds) else { return nil }
    self.nanoseconds = nanoseconds
  }

  /// Creates a time clamped to what can be written; nil if the number is not a number (NaN).
  package init?(_ seconds: Double) {
    guard !seconds.isNaN else { return nil }
    nanoseconds = Int64(min(max(seconds, 0), 999_999_999) * 1e9)
  }

  /// The number of milliseconds, rounded up, so that they are never less than this time.
  package var milliseconds: Int64 { (nanoseconds + 999_999) / 1_000_000 }

  /// Returns the number of ticks of a timescale, rounded down.
  package func ticks(of timescale: UInt32) -> UInt64 {
    let product = UInt64(nanoseconds).multipliedFullWidth(by: UInt64(timescale))
    // Below 10^18 times 2^32 divided by 10^9, which is below 2^62.
    return UInt64(1_000_000_000).dividingFullWidth(product).quotient
  }

  package static func < (one: DecimalSeconds, other: DecimalSeconds) -> Bool { one.nanoseconds < other.nanoseconds }
}

extension DecimalSeconds: CustomStringConvertible {
  /// The shortest text that `init` reads as this value. Equal values have equal texts.
  package var description: String {
    let (seconds, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
    guard rest > 0 else { return "\(seconds)" }
    let digits = String(rest)
    var fraction = String(repeating: "0", count: Self.longestDigits - digits.utf8.count) + digits
    while fraction.last == "0" { fraction.removeLast() }
    return "\(seconds).\(fraction)"
  }
}
