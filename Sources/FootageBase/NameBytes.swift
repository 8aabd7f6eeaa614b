/// Names on a disk that are not UTF-8, as text in which no byte of them is lost.
///
/// A byte that is no part of UTF-8 is written as two of the code points U+FDD0 to U+FDEF, which are no characters and mean
/// nothing in any text (Unicode §23.7): U+FDD0 and the upper four bits, U+FDE0 and the lower ones. Of a name in UTF-8 that
/// has such code points, their own bytes are written so. So two names are the same text only where they are the same bytes.
/// People are shown U+FFFD in the place of each such byte.
package enum NameBytes {
  private static let upper: UInt32 = 0xFDD0
  private static let lower: UInt32 = 0xFDE0

  /// The text of a name on a disk.
  package static func text(_ bytes: [UInt8]) -> String {
    if let text = String(validating: bytes, as: UTF8.self), isPlain(text) { return text }
    var text = ""
    var rest = bytes[...]
    while let byte = rest.first {
      if let character = character(rest) {
        text.unicodeScalars.append(character)
        rest = rest.dropFirst(String(character).utf8.count)
      } else {
        text.unicodeScalars.append(scalar(upper + UInt32(byte >> 4)))
        text.unicodeScalars.append(scalar(lower + UInt32(byte & 15)))
        rest = rest.dropFirst()
      }
    }
    return text
  }

  /// The bytes that a text is the name of.
  package static func bytes(of text: String) -> [UInt8] {
    isPlain(text) ? Array(text.utf8) : pieces(of: text).flatMap(\.bytes)
  }

  /// Whether a text is its own bytes in UTF-8.
  package static func isPlain(_ text: String) -> Bool {
    // All of these code points begin with the same byte, which little text has.
    !text.utf8.contains(0xEF) || !text.unicodeScalars.contains(where: isPart)
  }

  /// As people see it: U+FFFD for each byte that is no part of UTF-8.
  package static func shown(_ text: String) -> String { replacing(in: text) { _ in "\u{FFFD}" } }

  /// The text with something in the place of each byte that is no part of UTF-8.
  package static func replacing(in text: String, _ replacement: (UInt8) -> String) -> String {
    guard !isPlain(text) else { return text }
    var replaced = ""
    for piece in pieces(of: text) {
      if piece.isByte, let byte = piece.bytes.first {
        replaced += replacement(byte)
      } else {
        replaced += String(decoding: piece.bytes, as: UTF8.self)
      }
    }
    return replaced
  }

  /// A byte that is no part of UTF-8, or those of a character.
  private struct Piece {
    let bytes: [UInt8]
    let isByte: Bool
  }

  private static func pieces(of text: String) -> [Piece] {
    var pieces: [Piece] = []
    var scalars = text.unicodeScalars[...]
    while let scalar = scalars.popFirst() {
      if (upper..<lower).contains(scalar.value), let next = scalars.first, (lower..<(lower + 16)).contains(next.value) {
        scalars.removeFirst()
        let byte = UInt8(truncatingIfNeeded: (scalar.value - upper) << 4 | (next.value - lower))
        pieces.append(Piece(bytes: [byte], isByte: true))
      } else {
        pieces.append(Piece(bytes: Array(String(scalar).utf8), isByte: false))
      }
    }
    return pieces
  }

  private static func isPart(_ scalar: Unicode.Scalar) -> Bool { (upper..<(lower + 16)).contains(scalar.value) }

  /// The character at the beginning; nil where there is none that is meant as itself.
  private static func character(_ bytes: ArraySlice<UInt8>) -> Unicode.Scalar? {
    guard let first = bytes.first else { return nil }
    let length =
      switch first {
      case 0..<0x80: 1
      case 0xC2...0xDF: 2
      case 0xE0...0xEF: 3
      case 0xF0...0xF4: 4
      default: 0
      }
    guard length > 0, bytes.count >= length,
      let text = String(validating: bytes.prefix(length), as: UTF8.self), let scalar = text.unicodeScalars.first,
      !isPart(scalar)
    else { return nil }
    return scalar
  }

  private static func scalar(_ value: UInt32) -> Unicode.Scalar { Unicode.Scalar(value) ?? "\u{FFFD}" }
}
