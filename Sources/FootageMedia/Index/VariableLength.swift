/// Writers of integers of variable length. Each byte holds seven bits, the least significant first. All bytes but the
/// last have the eighth bit set. Signed integers alternate: 0, -1, 1, -2, …
extension [UInt8] {
  @inline(__always)
  mutating func append(variable value: UInt64) {
    var rest = value
    while rest >= 128 {
      append(UInt8(truncatingIfNeeded: rest) | 128)
      rest >>= 7
    }
    append(UInt8(truncatingIfNeeded: rest))
  }

  @inline(__always)
  mutating func append(variable value: Int64) {
    append(variable: UInt64(bitPattern: value << 1 ^ value >> 63))
  }
}

extension OutputSpan<UInt8> {
  /// The largest number of bytes of one integer.
  static var variableLimit: Int { 10 }

  @inline(__always)
  mutating func append(variable value: UInt64) {
    var rest = value
    while rest >= 128 {
      append(UInt8(truncatingIfNeeded: rest) | 128)
      rest >>= 7
    }
    append(UInt8(truncatingIfNeeded: rest))
  }

  @inline(__always)
  mutating func append(variable value: Int64) {
    append(variable: UInt64(bitPattern: value << 1 ^ value >> 63))
  }
}

/// A reader of integers of variable length. It returns nil for invalid bytes and never reads beyond the end.
struct VariableLengthReader {
  private let bytes: [UInt8]
  private var position: Int

  init(_ bytes: [UInt8], at position: Int = 0) {
    self.bytes = bytes
    self.position = position
  }

  var isAtEnd: Bool { position == bytes.count }

  @inline(__always)
  mutating func unsigned() -> UInt64? {
    var value: UInt64 = 0
    var shift: UInt64 = 0
    while position < bytes.count, shift < 64 {
      let byte = bytes[position]
      position += 1
      // The tenth byte has only one significant bit.
      guard shift < 63 || byte & 127 <= 1 else { return nil }
      value |= UInt64(byte & 127) << shift
      if byte < 128 { return value }
      shift += 7
    }
    return nil
  }

  @inline(__always)
  mutating func signed() -> Int64? {
    unsigned().map { Int64(bitPattern: $0 >> 1) ^ -Int64(bitPattern: $0 & 1) }
  }

  /// Reads a count or a size that is at most `limit`.
  @inline(__always)
  mutating func count(limit: Int) -> Int? {
    guard let value = unsigned(), value <= UInt64(limit) else { return nil }
    return Int(value)
  }
}
