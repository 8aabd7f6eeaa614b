/// Operations on a file that only one process may write to at a time.
extension WritableFile {
  /// Acquires an exclusive lock, which no other process can acquire while this object lives. Calls `flock`, without
  /// waiting.
  ///
  /// - Throws: `StorageError`, `.wouldBlock` if another process holds a lock.
  package func lock() throws(StorageError) {
    try StorageError.of("lock", path) { () throws(Errno) in try descriptor.lock() }
  }

  /// Releases the lock without releasing this object. Calls `flock`.
  package func unlock() { descriptor.unlock() }

  /// True if its path still leads to this file, and not to one that replaced it. Calls `fstat` and `fstatat`.
  package var isInPlace: Bool {
    guard let own = try? status().version, let there = try? FileStatus.of(path).version else { return false }
    return own.identity == there.identity
  }

  /// Returns the current status of the file. Calls `fstat`.
  package func status() throws(StorageError) -> FileStatus {
    try StorageError.of("examine", path) { () throws(Errno) in try descriptor.status() }
  }

  /// Returns the current number of bytes. Calls `fstat`.
  package func currentLength() throws(StorageError) -> UInt64 { try status().version.size }

  /// Removes all bytes. Calls `ftruncate`.
  package func empty() throws(StorageError) { try cut(to: 0) }

  /// Removes the bytes after `length`. Calls `ftruncate`.
  package func cut(to length: UInt64) throws(StorageError) {
    try StorageError.of(length == 0 ? "empty" : "truncate", path) { () throws(Errno) in try descriptor.cut(to: length) }
  }
}
