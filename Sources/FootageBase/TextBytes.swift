/// The bytes of a small text that a person has saved: a settings file, a passphrase, a list of pins.
package enum TextBytes {
  /// The byte order mark U+FEFF in UTF-8 (RFC 3629 §6). Windows editors put it first; it is not part of the text.
  private static let mark: [UInt8] = [0xEF, 0xBB, 0xBF]

  /// Returns the text without a byte order mark.
  package static func withoutMark(_ bytes: [UInt8]) -> ArraySlice<UInt8> {
    bytes.starts(with: mark) ? bytes.dropFirst(mark.count) : bytes[...]
  }

  /// Returns true if the bytes begin like UTF-16 or UTF-32: with a byte order mark, or with a letter and a zero byte.
  package static func isWide(_ bytes: [UInt8]) -> Bool {
    if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) { return true }
    guard bytes.count >= 2 else { return false }
    return (bytes[0] == 0) != (bytes[1] == 0)
  }
}
