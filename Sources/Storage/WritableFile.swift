/// A regular file of our own that is written at any offset; what was never written is a hole.

internal import CLinux
internal import Glibc
internal import System

/// Offsets below 2^63. Calls may come from any thread, and from several at once.
package final class WritableFile: Sendable {
  package let path: String
  let descriptor: CInt

  package enum Opening: Sendable {
    /// There must be no such file yet.
    case new
    /// The file must be there.
    case existing
  }

  /// Opens a file. A symbolic link is refused. Calls `openat`; may block.
  ///
  /// - Parameter mode: of a new file, less what the process's mask takes away.
  /// - Throws: `StorageError`: `.alreadyExists` for a new one that is there, `.notFound`, no permission, no room.
  package init(path: String, _ opening: Opening, mode: UInt32 = 0o600) throws(StorageError) {
    let flags = O_WRONLY | O_NOFOLLOW | O_NONBLOCK | (opening == .new ? O_CREAT | O_EXCL : 0)
    descriptor = unsafe clinux_openat(AT_FDCWD, path, flags, mode)
    guard descriptor >= 0 else { throw .system(opening == .new ? "create" : "open", path) }
    self.path = path
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// Writes all of the bytes from `offset` on, or fails. Calls `pwrite`; may block.
  package func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(StorageError) {
    var done = 0
    while done < bytes.count {
      let (position, isTooLarge) = offset.addingReportingOverflow(UInt64(done))
      guard !isTooLarge, let position = off_t(exactly: position) else {
        throw StorageError("write", path, .system(.fileTooLarge))
      }
      // Safe because the sub-buffer lies inside the caller's buffer.
      let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[done...])
      let count = unsafe pwrite(descriptor, rest.baseAddress, rest.count, position)
      if count >= 0 { done += count } else if errno != EINTR { throw .system("write", path) }
    }
  }

  /// Returns when what was written would survive a power cut. Calls `fdatasync`; blocks.
  ///
  /// - Throws: `StorageError`; then the kernel may have dropped what was written since the last success, and a second
  ///   call says nothing about it.
  package func sync() throws(StorageError) {
    guard fdatasync(descriptor) == 0 else { throw .system("make durable", path) }
  }
}
