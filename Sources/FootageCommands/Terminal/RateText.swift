internal import FootageServing

/// Rates in the form in which people write them: `8M` is in bits per second, `1MB` in bytes.
enum RateText {
  /// The units that may follow the number, without a final `B`: powers of ten and of two.
  private static let units: [String: UInt64] = [
    "": 1, "k": 1_000, "K": 1_000, "M": 1_000_000, "G": 1_000_000_000,
    "Ki": 1 << 10, "Mi": 1 << 20, "Gi": 1 << 30,
  ]

  static func read(_ text: String, option: StaticString) throws(UsageError) -> BitRate {
    let digits = text.prefix { ("0"..."9").contains($0) }
    var unit = text.dropFirst(digits.count)
    let isBytes = unit.last == "B"
    if isBytes { unit.removeLast() }
    guard let number = UInt64(digits), let factor = units[String(unit)] else {
      throw UsageError(
        "--\(option) must be a rate such as 8M (bits per second) or 1MB (bytes per second), not '\(text)'")
    }
    let (bits, overflow) = number.multipliedReportingOverflow(by: isBytes ? factor * 8 : factor)
    guard !overflow, let rate = BitRate(bitsPerSecond: bits) else {
      throw UsageError("--\(option) must be from 100K to 100G bits per second, not '\(text)'")
    }
    return rate
  }
}
