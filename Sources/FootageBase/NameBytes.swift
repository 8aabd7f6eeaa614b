/// Names on a disk that are not UTF-8, written as text without losing a byte.
///
/// A byte that is not part of valid UTF-8 becomes two of the noncharacters U+FDD0 to U+FDEF, which mean nothing in any
/// text (Unicode §23.7): U+FDD0 plus the upper four bits, then U+FDE0 plus the lower four. If a UTF-8 name contains
/// such code points itself, the bytes of these code points are written in the same way. Two names therefore have the
/// same text only if they have the same bytes. People see U+FFFD in place of each such byte.
package enum NameBytes {
  private static let upper: UInt32 = 0xFDD0
  private static let lower: UInt32 = 0xFDE0

  /// Returns the text for a name on a disk.
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

  /// Returns the bytes of the name that a text stands for.
  package static func bytes(of text: String) -> [UInt8] {
    isPlain(text) ? Array(text.utf8) : pieces(of: text).flatMap(\.bytes)
  }

  /// Returns true if the name's bytes are the text's own UTF-8.
  package static func isPlain(_ text: String) -> Bool {
    // All of these code points begin with the same byte, which is rare in text.
    !text.utf8.contains(0xEF) || !text.unicodeScalars.contains(where: isPart)
  }

  /// Returns the text for people to read, with U+FFFD in place of each byte that is not part of valid UTF-8.
  package static func shown(_ text: String) -> String { replacing(in: text) { _ in "\u{FFFD}" } }

  /// Returns the text with a replacement for each byte that is not part of valid UTF-8.
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

  /// One byte that is not part of valid UTF-8, or the bytes of one character.
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

  /// Returns the character at the beginning; nil if there is none, or if it is one of the code points that stand for
  /// bytes.
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
