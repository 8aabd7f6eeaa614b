internal import FootageBase

/// The first bytes of a box: its type, and how long it claims to be (ISO/IEC 14496-12 §4.2).
struct BoxHeader: Hashable, Sendable {
  let type: FourCharacterCode
  /// Of the header, in bytes: 8, or 16 with a 64-bit size.
  let length: Int
  /// Of the box with its header, as it claims; 0 where it goes on to the end of what it is in.
  let boxSize: UInt64

  /// - Parameters:
  ///   - position: of the first byte; eight are there.
  ///   - available: how many bytes there are from it on.
  /// - Returns: nil where a 64-bit size is cut off.
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
