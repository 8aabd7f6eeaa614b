/// Checksums of the first bytes of a version as they came, block by block.

struct PrefixChecksums: Sendable {
  /// What one checksum covers, in bytes: what one damaged byte costs.
  static let blockBytes: UInt64 = 1 << 20

  /// How many bytes came.
  private(set) var end: UInt64 = 0
  /// Of whole blocks.
  private var checksums: [UInt64] = []
  /// Of the block that is not whole yet.
  private var last = RangeChecksum()

  /// Adds the bytes that follow.
  mutating func add(_ bytes: [UInt8]) {
    var position = 0
    while position < bytes.count {
      let missing = Self.blockBytes - end % Self.blockBytes
      let count = min(bytes.count - position, Int(clamping: missing))
      last.update(bytes, position..<(position + count))
      position += count
      end += UInt64(count)
      guard UInt64(count) == missing else { continue }
      checksums.append(last.value)
      last = RangeChecksum()
    }
  }

  /// All of them; nil where nothing came.
  var fragment: ChecksummedRange? {
    guard end > 0 else { return nil }
    let isWhole = end % Self.blockBytes == 0
    return ChecksummedRange(
      0..<end, blockBytes: Self.blockBytes, checksums: isWhole ? checksums : checksums + [last.value])
  }
}
