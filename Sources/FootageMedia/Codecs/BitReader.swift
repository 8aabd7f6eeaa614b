/// A reader of bits and Exp-Golomb codes in a parameter set.
struct BitReader {
  private let bytes: ArraySlice<UInt8>
  /// The number of bits that were read, from the start of the slice.
  private var position = 0

  init(_ bytes: ArraySlice<UInt8>) { self.bytes = bytes }

  /// Creates a reader of a NAL unit's payload without its emulation prevention bytes (ISO/IEC 14496-10 §7.4.1).
  init(removingEmulationPrevention bytes: ArraySlice<UInt8>) {
    var payload: [UInt8] = []
    payload.reserveCapacity(bytes.count)
    var zeros = 0
    for byte in bytes {
      if zeros >= 2, byte == 3 {
        zeros = 0
        continue
      }
      zeros = byte == 0 ? zeros + 1 : 0
      payload.append(byte)
    }
    self.bytes = payload[...]
  }

  mutating func bit() -> Bool? {
    let index = bytes.startIndex + position / 8
    guard index < bytes.endIndex else { return nil }
    defer { position += 1 }
    return bytes[index] >> UInt8(7 - position % 8) & 1 == 1
  }

  /// - Parameter count: at most 32.
  mutating func bits(_ count: Int) -> UInt32? {
    var value: UInt32 = 0
    for _ in 0..<count {
      guard let bit = bit() else { return nil }
      value = value << 1 | (bit ? 1 : 0)
    }
    return value
  }

  /// - Returns: nil if fewer bits are left.
  mutating func skip(_ count: Int) -> Void? {
    guard position + count <= bytes.count * 8 else { return nil }
    position += count
    return ()
  }

  /// Reads a `ue(v)` code (ISO/IEC 14496-10 §9.1). Returns nil at the end of the bytes, or if the value does not fit
  /// into 32 bits.
  mutating func unsignedExpGolomb() -> UInt32? {
    var zeros = 0
    while true {
      guard let bit = bit(), zeros <= 31 else { return nil }
      if bit { break }
      zeros += 1
    }
    guard zeros < 32, let rest = bits(zeros) else { return nil }
    return UInt32((UInt64(1) << UInt64(zeros)) - 1 + UInt64(rest))
  }

  /// Reads an `se(v)` code (ISO/IEC 14496-10 §9.1.1).
  mutating func signedExpGolomb() -> Int64? {
    guard let code = unsignedExpGolomb() else { return nil }
    return code & 1 == 1 ? Int64(code / 2) + 1 : -Int64(code / 2)
  }
}
