internal import Formats
internal import FootageSystem

/// A small file that a person has written: pins, a passphrase, settings.
///
/// Editors of Windows begin such a file with a byte order mark, which is no part of what was meant, and some write it in
/// UTF-16, which is told: its bytes would make another passphrase.
package enum TextFile {
  /// U+FEFF in UTF-8.
  private static let mark: [UInt8] = [0xEF, 0xBB, 0xBF]

  /// Reads all of a file as UTF-8. Blocks.
  ///
  /// - Parameter longest: what it may have, in bytes.
  /// - Throws: `StorageError`; `.wrongKind` where the file is longer, or no UTF-8.
  package static func read(_ path: String, longest: UInt64) throws(StorageError) -> String {
    let bytes = try bytes(of: path, longest: longest)
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw StorageError("read", path, .wrongKind("no text in UTF-8: save it as UTF-8"))
    }
    return text
  }

  /// The same, for whoever reads bytes.
  package static func bytes(of path: String, longest: UInt64) throws(StorageError) -> [UInt8] {
    let file = try RandomAccessFile(path: path, followingLinks: true)
    guard file.length <= longest else {
      throw StorageError("read", path, .wrongKind("longer than \(longest) bytes, and so no such file"))
    }
    return Array(try text(in: try file.bytes(at: 0, count: Int(file.length)), of: path))
  }

  /// What of a file's bytes is text: all behind a mark.
  ///
  /// - Throws: `StorageError`, `.wrongKind` where it is UTF-16 or UTF-32.
  package static func text(in bytes: [UInt8], of path: String) throws(StorageError) -> ArraySlice<UInt8> {
    guard !isWide(bytes) else { throw StorageError("read", path, .wrongKind("in UTF-16: save it as UTF-8")) }
    return bytes.starts(with: mark) ? bytes.dropFirst(mark.count) : bytes[...]
  }

  /// True of what begins as UTF-16 or UTF-32 does: with a mark in it, or with a letter and a zero.
  static func isWide(_ bytes: [UInt8]) -> Bool {
    if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) { return true }
    guard bytes.count >= 2 else { return false }
    return (bytes[0] == 0) != (bytes[1] == 0)
  }
}
