/// Numbers in network byte order, read and written at any offset without a trap.

extension [UInt8] {
  /// Returns the number in these bytes; 0 if not all of them exist.
  func number(at offset: Int, bytes width: Int) -> UInt64 {
    guard offset >= 0, width <= count, offset <= count - width else { return 0 }
    return self[offset..<(offset + width)].reduce(0) { $0 << 8 | UInt64($1) }
  }

  func word(at offset: Int) -> UInt32 { UInt32(truncatingIfNeeded: number(at: offset, bytes: 4)) }

  /// Writes the low bytes of a number if there is room for them.
  mutating func set(_ value: UInt64, at offset: Int, bytes width: Int) {
    guard offset >= 0, width <= count, offset <= count - width else { return }
    for index in 0..<width {
      self[offset + index] = UInt8(truncatingIfNeeded: value >> UInt64(8 * (width - 1 - index)))
    }
  }

  mutating func append(_ value: UInt64, bytes width: Int) {
    append(contentsOf: [UInt8](repeating: 0, count: width))
    set(value, at: count - width, bytes: width)
  }

  /// Returns the bytes of words, one after the other.
  static func words(_ values: UInt32...) -> [UInt8] {
    values.reduce(into: []) { $0.append(UInt64($1), bytes: 4) }
  }
}
