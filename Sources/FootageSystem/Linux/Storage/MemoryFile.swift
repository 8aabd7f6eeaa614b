internal import FootageBase

/// A file without a name, in memory alone (man 2 memfd_create): what one process writes for another to read.
package final class MemoryFile: Sendable {
  let descriptor: FileDescriptor

  /// What errors call it.
  private static let words = "a file in memory"

  /// Calls `memfd_create`.
  ///
  /// - Parameter name: shown in `/proc`.
  /// - Throws: `StorageError`: the process has too many open files.
  package init(name: String) throws(StorageError) {
    descriptor = try StorageError.of("create", Self.words) { () throws(Errno) in try .memory(named: name) }
  }

  /// Takes over a descriptor that was received.
  init(_ descriptor: consuming FileDescriptor) { self.descriptor = descriptor }

  /// Writes the bytes from `offset` on. Calls `pwrite`.
  package func write(_ bytes: [UInt8], at offset: UInt64) throws(StorageError) {
    // Safe because the buffer is the array's own.
    try unsafe bytes.borrowedSpan.withUnsafeBytes { (bytes) throws(StorageError) in
      try StorageError.of("write", Self.words) { () throws(Errno) in unsafe try descriptor.write(bytes, at: offset) }
    }
  }

  /// The file as it is now, which nobody can change any more. Calls `fcntl(F_ADD_SEALS)` and `dup`.
  package func sealed() throws(StorageError) -> RandomAccessFile {
    try StorageError.of("seal", Self.words) { () throws(Errno) in try descriptor.seal() }
    let copy = try StorageError.of("open", Self.words) { () throws(Errno) in try descriptor.duplicate() }
    return try RandomAccessFile(copy, path: Self.words)
  }
}
