internal import FootageBase

/// A file without a name, in memory only (man 2 memfd_create), which one process writes for another to read.
package final class MemoryFile: Sendable {
  let descriptor: FileDescriptor

  /// The name of the file in errors.
  private static let words = "a file in memory"

  /// Creates an empty file. Calls `memfd_create`.
  ///
  /// - Parameter name: shown in `/proc`.
  /// - Throws: `StorageError`: the process has too many open files.
  package init(name: String) throws(StorageError) {
    descriptor = try StorageError.of("create", Self.words) { () throws(Errno) in try .memory(named: name) }
  }

  /// Creates a file that takes over a received descriptor.
  init(_ descriptor: consuming FileDescriptor) { self.descriptor = descriptor }

  /// Writes the bytes from `offset` on. Calls `pwrite`.
  package func write(_ bytes: [UInt8], at offset: UInt64) throws(StorageError) {
    // Safe because the buffer belongs to the array.
    try unsafe bytes.borrowedSpan.withUnsafeBytes { (bytes) throws(StorageError) in
      try StorageError.of("write", Self.words) { () throws(Errno) in unsafe try descriptor.write(bytes, at: offset) }
    }
  }

  /// Returns the file as it is now, which no process can change any more. Calls `fcntl` (`F_ADD_SEALS`,
  /// `F_DUPFD_CLOEXEC`).
  package func sealed() throws(StorageError) -> RandomAccessFile {
    try StorageError.of("seal", Self.words) { () throws(Errno) in try descriptor.seal() }
    let copy = try StorageError.of("open", Self.words) { () throws(Errno) in try descriptor.duplicate() }
    return try RandomAccessFile(copy, path: Self.words)
  }
}
