/// A file of our own that no other process may write to at the same time.

internal import CLinux
internal import Glibc
internal import System

extension WritableFile {
  /// Keeps other processes that ask out, for as long as this object lives. Calls `flock`, without waiting.
  ///
  /// - Throws: `StorageError`, `.wouldBlock` where another process has it.
  package func lock() throws(StorageError) {
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { throw .system("lock", path) }
  }

  /// Lets others in before this object goes. Calls `flock`.
  package func unlock() { _ = flock(descriptor, LOCK_UN) }

  /// Whether its path still leads to this file, and not to one that took its place. Calls `fstat` and `fstatat`.
  package var isInPlace: Bool {
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0, let there = try? FileStatus.of(path) else { return false }
    let own = FileStatus(status).version
    return own.inode == there.version.inode && own.device == there.version.device
  }

  /// As it is now. Calls `fstat`.
  package func status() throws(StorageError) -> FileStatus {
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else { throw .system("look at", path) }
    return FileStatus(status)
  }

  /// In bytes, as it is now. Calls `fstat`.
  package func currentLength() throws(StorageError) -> UInt64 { try status().version.size }

  /// Drops everything. Calls `ftruncate`.
  package func empty() throws(StorageError) { try cut(to: 0) }

  /// Drops what stands behind so many bytes. Calls `ftruncate`.
  package func cut(to length: UInt64) throws(StorageError) {
    guard let length = off_t(exactly: length) else { throw StorageError("cut", path, .system(.fileTooLarge)) }
    guard ftruncate(descriptor, length) == 0 else { throw .system(length == 0 ? "empty" : "cut", path) }
  }
}
