internal import FootageBase

/// A small file that a person has written: pins, a passphrase, settings.
///
/// Some Windows editors begin such a file with a byte order mark, which is not part of the text and is left out. Others
/// write the file in UTF-16. Reading such a file fails, because a passphrase in UTF-16 would have other bytes than the
/// same passphrase in UTF-8.
package enum TextFile {
  /// Reads all of a file as UTF-8. Blocks.
  ///
  /// - Parameter longest: the largest size to accept, in bytes.
  /// - Throws: `StorageError`; `.wrongKind` if the file is longer, or not UTF-8.
  package static func read(_ path: String, longest: UInt64) throws(StorageError) -> String {
    let bytes = try bytes(of: path, longest: longest)
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw StorageError("read", path, .wrongKind("not text in UTF-8: save it as UTF-8"))
    }
    return text
  }

  /// Reads all of a file as bytes, without its byte order mark. Blocks. Fails as `read` does, but accepts bytes that
  /// are not valid UTF-8.
  package static func bytes(of path: String, longest: UInt64) throws(StorageError) -> [UInt8] {
    let file = try RandomAccessFile(path: path, followingLinks: true)
    guard file.length <= longest else {
      throw StorageError(
        "read", path, .wrongKind("longer than \(longest) bytes, the limit for such a file: shorten it"))
    }
    return Array(try text(in: try file.bytes(at: 0, count: Int(file.length)), of: path))
  }

  /// Returns the bytes of a text file without the byte order mark with which it may begin.
  ///
  /// - Throws: `StorageError`, `.wrongKind` if they are UTF-16 or UTF-32.
  package static func text(in bytes: [UInt8], of path: String) throws(StorageError) -> ArraySlice<UInt8> {
    guard !TextBytes.isWide(bytes) else {
      throw StorageError("read", path, .wrongKind("in UTF-16: save it as UTF-8"))
    }
    return TextBytes.withoutMark(bytes)
  }
}
