internal import Formats

/// What `hvcC` says about HEVC: profile, tier, level, and the picture's size.
///
/// ISO/IEC 14496-15 §8.3.3.
struct HEVCConfiguration: Hashable, Sendable {
  private let profileByte: UInt8
  private let compatibility: UInt32
  private let constraints: [UInt8]
  private let level: UInt8
  /// Luma samples, after cropping; nil where no sequence parameter set can be read.
  let size: Size?

  struct Size: Hashable, Sendable {
    let width: Int
    let height: Int
  }

  /// - Returns: nil where this is no configuration record.
  init?(_ record: ArraySlice<UInt8>) {
    let bytes = Array(record)
    guard bytes.count >= 23, bytes[0] == 1 else { return nil }
    profileByte = bytes[1]
    compatibility = bytes[2..<6].reduce(0) { $0 << 8 | UInt32($1) }
    constraints = Array(bytes[6..<12])
    level = bytes[12]
    size = Self.sequenceParameterSet(in: bytes).flatMap { Self.size($0) }
  }

  /// ISO/IEC 14496-15 Annex E.3: `hvc1.1.6.L93.B0`.
  func codec(_ type: FourCharacterCode) -> String {
    let space = ["", "A", "B", "C"][Int(profileByte >> 6)]
    // The flags are written from the last to the first.
    var reversed: UInt32 = 0
    for bit in 0..<32 where compatibility >> UInt32(bit) & 1 == 1 { reversed |= 1 << UInt32(31 - bit) }
    var text = "\(type).\(space)\(profileByte & 31).\(Hexadecimal.encodeShortest(reversed))"
    text += ".\(profileByte & 0x20 == 0 ? "L" : "H")\(level)"
    let significant = constraints.lastIndex { $0 != 0 }.map { constraints[...$0] } ?? []
    for byte in significant { text += "." + Hexadecimal.encodeShortest(UInt32(byte)) }
    return text
  }

  /// The first NAL unit of type 33 among the arrays.
  private static func sequenceParameterSet(in bytes: [UInt8]) -> ArraySlice<UInt8>? {
    var rest = bytes[23...]
    for _ in 0..<bytes[22] {
      guard rest.count >= 3 else { return nil }
      let type = rest[rest.startIndex] & 63
      let count = Int(rest[rest.startIndex + 1]) << 8 | Int(rest[rest.startIndex + 2])
      rest = rest.dropFirst(3)
      for _ in 0..<count {
        guard rest.count >= 2 else { return nil }
        let length = Int(rest[rest.startIndex]) << 8 | Int(rest[rest.startIndex + 1])
        rest = rest.dropFirst(2)
        if type == 33 { return rest.prefix(length) }
        rest = rest.dropFirst(length)
      }
    }
    return nil
  }

  /// ISO/IEC 23008-2 §7.3.2.2, as far as the conformance window.
  private static func size(_ unit: ArraySlice<UInt8>) -> Size? {
    var bits = BitReader(removingEmulationPrevention: unit.dropFirst(2))
    guard bits.skip(4) != nil, let subLayers = bits.bits(3), bits.skip(1) != nil,
      skipProfileTierLevel(&bits, subLayers: subLayers) != nil, bits.unsignedExpGolomb() != nil,
      let chroma = bits.unsignedExpGolomb(), chroma <= 3
    else { return nil }
    var isSeparate = false
    if chroma == 3 {
      guard let separate = bits.bit() else { return nil }
      isSeparate = separate
    }
    guard let width = bits.unsignedExpGolomb(), let height = bits.unsignedExpGolomb(), width <= 65_536,
      height <= 65_536, let isCropped = bits.bit()
    else { return nil }
    var crop = (x: 0, y: 0)
    if isCropped {
      guard let left = bits.unsignedExpGolomb(), let right = bits.unsignedExpGolomb(),
        let top = bits.unsignedExpGolomb(), let bottom = bits.unsignedExpGolomb()
      else { return nil }
      crop = (Int(left) + Int(right), Int(top) + Int(bottom))
    }
    let unitX = !isSeparate && (chroma == 1 || chroma == 2) ? 2 : 1
    let unitY = !isSeparate && chroma == 1 ? 2 : 1
    let size = Size(width: Int(width) - unitX * crop.x, height: Int(height) - unitY * crop.y)
    return size.width > 0 && size.height > 0 ? size : nil
  }

  /// ISO/IEC 23008-2 §7.3.3.
  private static func skipProfileTierLevel(_ bits: inout BitReader, subLayers: UInt32) -> Void? {
    guard bits.skip(96) != nil else { return nil }
    guard subLayers > 0 else { return () }
    var lengths = 0
    for _ in 0..<subLayers {
      guard let hasProfile = bits.bit(), let hasLevel = bits.bit() else { return nil }
      lengths += (hasProfile ? 88 : 0) + (hasLevel ? 8 : 0)
    }
    return bits.skip((8 - Int(subLayers)) * 2 + lengths)
  }
}
