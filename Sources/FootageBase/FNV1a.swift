/// The hash FNV-1a, of 64 bits: quick for a few bytes, and the same in every process. Whoever may choose the bytes can
/// choose some that collide, so that what has to tell them apart compares them as well.
package struct FNV1a {
  /// Of what was added so far.
  package private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

  /// Of no bytes.
  package init() {}

  /// Goes on with more bytes, as if they had come in one piece with those before.
  package mutating func add(_ bytes: ArraySlice<UInt8>) {
    for byte in bytes { value = (value ^ UInt64(byte)) &* 0x100_0000_01B3 }
  }

  /// Of some bytes at once.
  package static func hash(_ bytes: ArraySlice<UInt8>) -> UInt64 {
    var hash = FNV1a()
    hash.add(bytes)
    return hash.value
  }
}
