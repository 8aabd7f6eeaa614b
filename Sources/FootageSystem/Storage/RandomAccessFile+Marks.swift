/// Marks of a file. A file keeps them when it is written to, renamed, or moved within its file system, and a copy has
/// them if it was made with attributes. They are extended attributes (man 7 xattr).
extension RandomAccessFile {
  /// The longest value of a mark that is read, in bytes.
  package static let longestMark = 512

  /// Returns true if the file has this mark. Calls `fgetxattr`.
  ///
  /// - Throws: `StorageError` if that is unknown. On a file system that keeps no marks, the result is false.
  package func hasMark(_ name: String) throws(StorageError) -> Bool { try mark(name) != nil }

  /// Returns the value of a mark; nil if the file does not have it, and empty if the value is longer than
  /// `longestMark`. Calls `fgetxattr`.
  ///
  /// - Throws: as `hasMark`.
  package func mark(_ name: String) throws(StorageError) -> [UInt8]? {
    do throws(Errno) {
      return try descriptor.attribute(ExtendedAttribute.prefix + name, limit: Self.longestMark)
    } catch {
      switch error {
      case .noData, .notSupported: return nil
      case .outOfRange: return []
      default: throw StorageError("read the marks of", path, .system(error))
      }
    }
  }

  /// Gives the file this mark, which is durable when this returns. Requires permission to write to the file, but does
  /// not open it for writing. Calls `fsetxattr` and `fsync`; blocks.
  ///
  /// - Parameter value: at most `longestMark` bytes.
  /// - Throws: `StorageError`: no permission, no room, or a file system that keeps no marks.
  package func setMark(_ name: String, to value: [UInt8] = [UInt8(ascii: "1")]) throws(StorageError) {
    try StorageError.of("mark", path) { () throws(Errno) in
      try descriptor.setAttribute(ExtendedAttribute.prefix + name, to: value)
      try descriptor.sync()
    }
  }

  /// Removes the mark; it is not an error if there was none. Calls `fremovexattr` and `fsync`; blocks.
  package func removeMark(_ name: String) throws(StorageError) {
    do throws(Errno) {
      try descriptor.removeAttribute(ExtendedAttribute.prefix + name)
      try descriptor.sync()
    } catch {
      guard ![.noData, .notSupported].contains(error) else { return }
      throw StorageError("remove the mark from", path, .system(error))
    }
  }
}
