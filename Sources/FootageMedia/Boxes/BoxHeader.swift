internal import FootageBase

/// The first bytes of a box: its type and the size that it claims (ISO/IEC 14496-12 §4.2).
struct BoxHeader: Hashable, Sendable {
  let type: FourCharacterCode
  /// The size of the header in bytes: 8, or 16 with a 64-bit size.
  let length: Int
  /// The claimed size of the box in bytes, with its header. 0 means that the box extends to the end of its container.
  let boxSize: UInt64

  /// - Parameters:
  ///   - position: the index of the first byte. At least eight bytes follow from there.
  ///   - available: the number of bytes from `position` on.
  /// - Returns: nil if a 64-bit size is cut off.
  init?(_ raw: Span<UInt8>, at position: Int, available: UInt64) {
    type = FourCharacterCode(raw.uint32(at: position + 4))
    let size = raw.uint32(at: position)
    if size == 1 {
      guard available >= 16 else { return nil }
      length = 16
      boxSize = raw.uint64(at: position + 8)
    } else {
      length = 8
      boxSize = UInt64(size)
    }
  }
}
