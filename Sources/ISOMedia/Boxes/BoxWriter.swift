/// Writes boxes whose sizes are known only once they are full.
struct BoxWriter {
  private(set) var bytes: [UInt8] = []

  /// A box whose content `content` writes.
  mutating func box<Failure: Error>(
    _ type: FourCharacterCode, _ content: (inout BoxWriter) throws(Failure) -> Void
  ) throws(Failure) {
    let start = bytes.count
    bytes.append(bigEndian: UInt32(0))
    bytes.append(bigEndian: type.rawValue)
    try content(&self)
    // Below 2^32: what is written is bounded by `Limits.movieBox` and `Limits.synthesizedMovie`.
    bytes.replace(at: start, bigEndian: UInt32(truncatingIfNeeded: bytes.count - start))
  }

  mutating func fullBox(
    _ type: FourCharacterCode, version: UInt8 = 0, flags: UInt32 = 0, _ content: (inout BoxWriter) -> Void
  ) {
    box(type) {
      $0.uint32(UInt32(version) << 24 | flags)
      content(&$0)
    }
  }

  mutating func uint16(_ value: UInt16) { bytes.append(bigEndian: value) }
  mutating func uint32(_ value: UInt32) { bytes.append(bigEndian: value) }
  mutating func uint64(_ value: UInt64) { bytes.append(bigEndian: value) }
  mutating func append(_ more: some Sequence<UInt8>) { bytes.append(contentsOf: more) }

  /// In 64 bits, or 32 where that is not asked for.
  mutating func uint(_ value: UInt64, is64Bit: Bool) {
    if is64Bit { uint64(value) } else { uint32(UInt32(truncatingIfNeeded: value)) }
  }

  mutating func replace(at offset: Int, bigEndian value: UInt64) { bytes.replace(at: offset, bigEndian: value) }
  mutating func replace(at offset: Int, bigEndian value: UInt32) { bytes.replace(at: offset, bigEndian: value) }
}
