/// The ranges of a file as the catalog stores them.
enum RangeBlob {
  /// Encodes the start and the end of each range in turn, 64 bits each, most significant byte first.
  static func encode(_ ranges: [Range<UInt64>]) -> [UInt8] {
    ranges.flatMap { [$0.lowerBound, $0.upperBound] }.flatMap { bound in
      (0..<8).map { UInt8(truncatingIfNeeded: bound >> (56 - 8 * $0)) }
    }
  }

  /// Decodes ranges.
  ///
  /// - Returns: nil if the bytes do not encode ranges within the file.
  static func decode(_ bytes: [UInt8], fileLength: UInt64) -> [Range<UInt64>]? {
    guard bytes.count % 16 == 0 else { return nil }
    var ranges: [Range<UInt64>] = []
    for start in stride(from: 0, to: bytes.count, by: 16) {
      let lower = bytes[start..<(start + 8)].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
      let upper = bytes[(start + 8)..<(start + 16)].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
      guard lower <= upper, upper <= fileLength else { return nil }
      ranges.append(lower..<upper)
    }
    return ranges
  }
}
