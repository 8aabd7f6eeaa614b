internal import FootageBase

/// A small file that a person has written: pins, a passphrase, settings.
///
/// Editors of Windows begin such a file with a byte order mark, which is no part of what was meant, and some write it in
/// UTF-16, which is told: its bytes would make another passphrase.
package enum TextFile {
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
    guard !TextBytes.isWide(bytes) else {
      throw StorageError("read", path, .wrongKind("in UTF-16: save it as UTF-8"))
    }
    return TextBytes.withoutMark(bytes)
  }
}
