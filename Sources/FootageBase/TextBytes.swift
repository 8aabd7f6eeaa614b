/// The bytes of a small text that a person has saved: a settings file, a passphrase, a list of pins.
package enum TextBytes {
  /// U+FEFF in UTF-8 (RFC 3629 §6): editors of Windows put it first, and it is no part of what was meant.
  private static let mark: [UInt8] = [0xEF, 0xBB, 0xBF]

  /// The text without a byte order mark.
  package static func withoutMark(_ bytes: [UInt8]) -> ArraySlice<UInt8> {
    bytes.starts(with: mark) ? bytes.dropFirst(mark.count) : bytes[...]
  }

  /// True of what begins as UTF-16 or UTF-32 does: with a mark in it, or with a letter and a zero.
  package static func isWide(_ bytes: [UInt8]) -> Bool {
    if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) { return true }
    guard bytes.count >= 2 else { return false }
    return (bytes[0] == 0) != (bytes[1] == 0)
  }
}
