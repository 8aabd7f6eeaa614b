/// Seconds of a presentation as a URL has them: exact, from 0 on, to the nanosecond.
package struct DecimalSeconds: Hashable, Comparable, Sendable {
  /// Below 10^18.
  package let nanoseconds: Int64

  package static let zero = DecimalSeconds(checked: 0)

  /// Of each side of the point.
  private static let longestDigits = 9

  /// Reads 1 to 9 digits, and behind a point 1 to 9 more; nil where it is something else.
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

  /// - Parameter nanoseconds: from 0 on; nil where no text could say as many.
  package init?(nanoseconds: Int64) {
    guard (0..<1_000_000_000_000_000_000).contains(nanoseconds) else { return nil }
    self.nanoseconds = nanoseconds
  }

  /// Clamped to what can be written; nil of what is no number.
  package init?(_ seconds: Double) {
    guard !seconds.isNaN else { return nil }
    nanoseconds = Int64(min(max(seconds, 0), 999_999_999) * 1e9)
  }

  /// Rounded up: what lasts so many whole ones lasts as long as this.
  package var milliseconds: Int64 { (nanoseconds + 999_999) / 1_000_000 }

  /// In ticks of a timescale, rounded down.
  package func ticks(of timescale: UInt32) -> UInt64 {
    let product = UInt64(nanoseconds).multipliedFullWidth(by: UInt64(timescale))
    // Below 10^18 times 2^32 over 10^9, which is below 2^62.
    return UInt64(1_000_000_000).dividingFullWidth(product).quotient
  }

  package static func < (one: DecimalSeconds, other: DecimalSeconds) -> Bool { one.nanoseconds < other.nanoseconds }
}

extension DecimalSeconds: CustomStringConvertible {
  /// As `init` reads it, and as short as it can be: the same seconds have the same text.
  package var description: String {
    let (seconds, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
    guard rest > 0 else { return "\(seconds)" }
    let digits = String(rest)
    var fraction = String(repeating: "0", count: Self.longestDigits - digits.utf8.count) + digits
    while fraction.last == "0" { fraction.removeLast() }
    return "\(seconds).\(fraction)"
  }
}
