internal import FootageBase

/// The four characters that name a box, a brand, a handler or a codec.
///
/// ISO/IEC 14496-12 §4.2: it is big-endian and compared as a number.
package struct FourCharacterCode: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
  package let rawValue: UInt32

  package init(_ rawValue: UInt32) { self.rawValue = rawValue }

  /// - Parameter text: up to four ASCII characters. Missing characters become blanks.
  package init(stringLiteral text: StaticString) {
    var value: UInt32 = 0
    var count = 0
    for byte in text.description.utf8.prefix(4) {
      value = value << 8 | UInt32(byte)
      count += 1
    }
    while count < 4 {
      value = value << 8 | 0x20
      count += 1
    }
    rawValue = value
  }

  /// Creates a code from its `description`. Characters that do not fit into one byte, and missing ones, become blanks.
  init(printed text: String) {
    let bytes = text.unicodeScalars.prefix(4).map { $0.value < 256 ? $0.value : 0x20 }
    rawValue = (0..<4).reduce(0) { $0 << 8 | ($1 < bytes.count ? bytes[$1] : 0x20) }
  }

  /// The four bytes, most significant first.
  var bytes: [UInt8] {
    [UInt8(rawValue >> 24), UInt8(rawValue >> 16 & 255), UInt8(rawValue >> 8 & 255), UInt8(rawValue & 255)]
  }

  /// True if each character can be printed. QuickTime's `©` counts as printable.
  var isPrintable: Bool {
    var rest = rawValue
    for _ in 0..<4 {
      let byte = rest & 255
      guard (0x20..<0x7F).contains(byte) || byte == 0xA9 else { return false }
      rest >>= 8
    }
    return true
  }

  /// The characters, or `0x…` in hexadecimal if they cannot be printed.
  package var description: String {
    guard isPrintable else { return "0x" + Hexadecimal.encode(bytes) }
    var text = ""
    for byte in bytes { text.unicodeScalars.append(Unicode.Scalar(byte)) }
    return text
  }
}
