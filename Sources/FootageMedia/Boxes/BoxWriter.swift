internal import FootageBase

/// A writer of boxes whose sizes are known only after their content is written.
struct BoxWriter {
  private(set) var bytes: [UInt8]

  /// - Parameter bytes: the bytes before the first box.
  init(_ bytes: [UInt8] = [], capacity: Int = 0) {
    self.bytes = bytes
    self.bytes.reserveCapacity(capacity)
  }

  /// Writes the header of a box. `end` fills in its size.
  ///
  /// - Parameter headerSize: 8, or 16 for a 64-bit size.
  /// - Returns: the index of the box's first byte.
  mutating func begin(_ type: FourCharacterCode, headerSize: Int = 8) -> Int {
    let start = bytes.count
    uint32(headerSize == 16 ? 1 : 0)
    uint32(type.rawValue)
    if headerSize == 16 { uint64(0) }
    return start
  }

  /// Ends the box that begins at `start`, and fills in its size.
  mutating func end(_ start: Int, headerSize: Int = 8) {
    let size = bytes.count - start
    if headerSize == 16 {
      bytes.replace(at: start + 8, bigEndian: UInt64(size))
    } else {
      // The size is below 2^32: `Limits.movieBox` and `Limits.synthesizedMovie` bound everything written here.
      bytes.replace(at: start, bigEndian: UInt32(truncatingIfNeeded: size))
    }
  }

  /// Writes a box whose content `content` writes.
  mutating func box<Failure: Error>(
    _ type: FourCharacterCode, _ content: (inout BoxWriter) throws(Failure) -> Void
  ) throws(Failure) {
    let start = begin(type)
    try content(&self)
    end(start)
  }

  mutating func fullBox(
    _ type: FourCharacterCode, version: UInt8 = 0, flags: UInt32 = 0, _ content: (inout BoxWriter) -> Void
  ) {
    box(type) {
      $0.uint32(UInt32(version) << 24 | flags)
      content(&$0)
    }
  }

  mutating func uint32(_ value: UInt32) { bytes.append(bigEndian: value) }
  mutating func uint64(_ value: UInt64) { bytes.append(bigEndian: value) }
  mutating func append(_ more: some Sequence<UInt8>) { bytes.append(contentsOf: more) }

  /// Writes a number in 64 bits, or in 32 bits if `is64Bit` is false.
  mutating func uint(_ value: UInt64, is64Bit: Bool) {
    if is64Bit { uint64(value) } else { uint32(UInt32(truncatingIfNeeded: value)) }
  }

  mutating func replace(at offset: Int, bigEndian value: UInt64) { bytes.replace(at: offset, bigEndian: value) }
  mutating func replace(at offset: Int, bigEndian value: UInt32) { bytes.replace(at: offset, bigEndian: value) }
}
