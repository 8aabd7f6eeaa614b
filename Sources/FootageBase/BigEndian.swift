/// Reads integers in network byte order from bytes.
extension Span<UInt8> {
  /// - Precondition: at least two bytes follow from `offset` on.
  @inlinable
  package func uint16(at offset: Int) -> UInt16 {
    // Safe because bytes have no padding, the load checks its bounds, and any bytes make an integer.
    unsafe UInt16(bigEndian: bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt16.self))
  }

  /// - Precondition: at least four bytes follow from `offset` on.
  @inlinable
  package func uint32(at offset: Int) -> UInt32 {
    // Safe because bytes have no padding, the load checks its bounds, and any bytes make an integer.
    unsafe UInt32(bigEndian: bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt32.self))
  }

  /// - Precondition: at least eight bytes follow from `offset` on.
  @inlinable
  package func uint64(at offset: Int) -> UInt64 {
    // Safe because bytes have no padding, the load checks its bounds, and any bytes make an integer.
    unsafe UInt64(bigEndian: bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self))
  }
}

/// Writes integers in network byte order into bytes.
extension [UInt8] {
  @inlinable
  package mutating func append(bigEndian value: UInt16) {
    append(UInt8(value >> 8))
    append(UInt8(truncatingIfNeeded: value))
  }

  @inlinable
  package mutating func append(bigEndian value: UInt32) {
    append(bigEndian: UInt16(value >> 16))
    append(bigEndian: UInt16(truncatingIfNeeded: value))
  }

  @inlinable
  package mutating func append(bigEndian value: UInt64) {
    append(bigEndian: UInt32(value >> 32))
    append(bigEndian: UInt32(truncatingIfNeeded: value))
  }

  /// - Precondition: at least four bytes follow from `offset` on.
  @inlinable
  package mutating func replace(at offset: Int, bigEndian value: UInt32) {
    self[offset] = UInt8(value >> 24)
    self[offset + 1] = UInt8(truncatingIfNeeded: value >> 16)
    self[offset + 2] = UInt8(truncatingIfNeeded: value >> 8)
    self[offset + 3] = UInt8(truncatingIfNeeded: value)
  }

  /// - Precondition: at least eight bytes follow from `offset` on.
  @inlinable
  package mutating func replace(at offset: Int, bigEndian value: UInt64) {
    replace(at: offset, bigEndian: UInt32(value >> 32))
    replace(at: offset + 4, bigEndian: UInt32(truncatingIfNeeded: value))
  }
}
