/// The 64-bit hash FNV-1a: fast for a few bytes, and the same in every process. Anyone who can choose the bytes can
/// cause collisions, so code that must distinguish byte sequences has to compare their bytes as well.
package struct FNV1a {
  /// The hash of the bytes added so far.
  package private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

  /// Creates the hash of no bytes.
  package init() {}

  /// Adds more bytes, as if they followed the earlier bytes in one piece.
  package mutating func add(_ bytes: ArraySlice<UInt8>) {
    for byte in bytes { value = (value ^ UInt64(byte)) &* 0x100_0000_01B3 }
  }

  /// Returns the hash of the bytes.
  package static func hash(_ bytes: ArraySlice<UInt8>) -> UInt64 {
    var hash = FNV1a()
    hash.add(bytes)
    return hash.value
  }
}
