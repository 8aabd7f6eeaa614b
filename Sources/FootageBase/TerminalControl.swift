/// The characters that a terminal obeys instead of showing them, also when a person reads a log in it.
package enum TerminalControl {
  /// Returns true for the control characters of both sets (ISO/IEC 6429), line and paragraph separators, and characters
  /// that change the direction of writing (UAX #9).
  package static func contains(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0..<0x20, 0x7F...0x9F, 0x061C, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069: true
    default: false
    }
  }

  /// Returns the text with each of these characters as `\xHH`, byte by byte, so that no reader mistakes one line for
  /// two.
  ///
  /// - Parameter limit: in bytes of UTF-8; longer text is cut and ends with `…`.
  package static func escaped(_ text: String, limit: Int = .max) -> String {
    // In UTF-8, U+0080–9F begin with C2, U+061C with D8, the other controls with E2, and the code points for bytes of
    // names that are not UTF-8 with EF. Most text has none of these bytes.
    let isPlain = text.utf8.allSatisfy {
      $0 >= 0x20 && $0 != 0x7F && $0 != 0xC2 && $0 != 0xD8 && $0 != 0xE2 && $0 != 0xEF
    }
    if isPlain, text.utf8.count <= limit { return text }
    let text = escaped(bytesOf: text)
    var line: [UInt8] = []
    for scalar in text.unicodeScalars {
      guard line.count + 12 + 3 <= limit else {
        line.append(contentsOf: "…".utf8)
        break
      }
      guard contains(scalar) else {
        line.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
        continue
      }
      for byte in UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter {
        line.append(contentsOf: "\\x".utf8)
        line.append(Hexadecimal.digit(byte >> 4))
        line.append(Hexadecimal.digit(byte & 15))
      }
    }
    return String(decoding: line, as: UTF8.self)
  }

  /// Returns the text with `\xHH` for each byte of a name that is not part of valid UTF-8 (`NameBytes`).
  package static func escaped(bytesOf text: String) -> String {
    NameBytes.replacing(in: text) { byte in
      String(decoding: Array("\\x".utf8) + [Hexadecimal.digit(byte >> 4), Hexadecimal.digit(byte & 15)], as: UTF8.self)
    }
  }

  /// Returns the text with a replacement character for each control character and each byte that is not part of valid
  /// UTF-8.
  package static func replaced(in text: String) -> String {
    let text = NameBytes.shown(text)
    guard text.unicodeScalars.contains(where: contains) else { return text }
    return String(String.UnicodeScalarView(text.unicodeScalars.map { contains($0) ? "\u{FFFD}" : $0 }))
  }
}
