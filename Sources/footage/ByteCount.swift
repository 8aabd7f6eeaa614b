/// Sizes as people write them: `500M`, `8G`, or a number of bytes.
enum ByteCount {
  static func read(_ text: String, option: StaticString) throws(UsageError) -> UInt64 {
    let unit: UInt64? =
      switch text.utf8.last {
      case UInt8(ascii: "k"), UInt8(ascii: "K"): 1000
      case UInt8(ascii: "M"): 1_000_000
      case UInt8(ascii: "G"): 1_000_000_000
      case UInt8(ascii: "T"): 1_000_000_000_000
      default: nil
      }
    let digits = unit == nil ? text : String(text.dropLast())
    guard let count = UInt64(digits), case (let bytes, false) = count.multipliedReportingOverflow(by: unit ?? 1) else {
      throw UsageError("--\(option) has to be a size such as 500M or 8G, and is '\(text)'")
    }
    return bytes
  }
}
