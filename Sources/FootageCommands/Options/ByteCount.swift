/// Sizes in the form in which people write them: `500M`, `8G`, `8Gi`, or a number of bytes.
enum ByteCount {
  static func read(_ text: String, option: StaticString) throws(UsageError) -> UInt64 {
    // K, M, G and T are powers of ten, or powers of two if an i follows.
    let isBinary = text.utf8.last == UInt8(ascii: "i")
    let power: Int? =
      switch text.utf8.dropLast(isBinary ? 1 : 0).last {
      case UInt8(ascii: "k"), UInt8(ascii: "K"): 1
      case UInt8(ascii: "M"): 2
      case UInt8(ascii: "G"): 3
      case UInt8(ascii: "T"): 4
      default: nil
      }
    let step: UInt64 = isBinary ? 1_024 : 1_000
    let unit = power.map { power in (0..<power).reduce(UInt64(1)) { product, _ in product * step } }
    let digits = unit == nil ? text : String(text.dropLast(isBinary ? 2 : 1))
    guard let count = UInt64(digits), case (let bytes, false) = count.multipliedReportingOverflow(by: unit ?? 1) else {
      throw UsageError("--\(option) must be a size such as 500M or 8G, not '\(text)'")
    }
    return bytes
  }
}
