/// A file of our own that no other process may write to at the same time.
extension WritableFile {
  /// Keeps other processes that ask out, for as long as this object lives. Calls `flock`, without waiting.
  ///
  /// - Throws: `StorageError`, `.wouldBlock` where another process has it.
  package func lock() throws(StorageError) {
    try StorageError.of("lock", path) { () throws(Errno) in try descriptor.lock() }
  }

  /// Lets others in before this object goes. Calls `flock`.
  package func unlock() { descriptor.unlock() }

  /// Whether its path still leads to this file, and not to one that took its place. Calls `fstat` and `fstatat`.
  package var isInPlace: Bool {
    guard let own = try? status().version, let there = try? FileStatus.of(path).version else { return false }
    return own.identity == there.identity
  }

  /// As it is now. Calls `fstat`.
  package func status() throws(StorageError) -> FileStatus {
    try StorageError.of("look at", path) { () throws(Errno) in try descriptor.status() }
  }

  /// In bytes, as it is now. Calls `fstat`.
  package func currentLength() throws(StorageError) -> UInt64 { try status().version.size }

  /// Drops everything. Calls `ftruncate`.
  package func empty() throws(StorageError) { try cut(to: 0) }

  /// Drops what stands behind so many bytes. Calls `ftruncate`.
  package func cut(to length: UInt64) throws(StorageError) {
    try StorageError.of(length == 0 ? "empty" : "cut", path) { () throws(Errno) in try descriptor.cut(to: length) }
  }
}
