/// A regular file that Footage writes, at any offset; parts that were never written are holes.
///
/// Offsets are below 2^63. Calls may come from any thread, and from several at once.
package final class WritableFile: Sendable {
  package let path: String
  let descriptor: FileDescriptor

  package enum Opening: Sendable {
    /// The file must not exist yet.
    case new
    /// The file must exist.
    case existing
  }

  /// Opens a file. A symbolic link is rejected. Calls `openat`; may block.
  ///
  /// - Parameter mode: the mode of a new file, minus the bits in the process's umask.
  /// - Throws: `StorageError`: `.alreadyExists` for a new file that exists, `.notFound`, no permission, no room.
  package init(path: String, _ opening: Opening, mode: UInt32 = 0o600) throws(StorageError) {
    let made: FileDescriptor.Opening = opening == .new ? [.creating, .exclusively] : []
    descriptor = try StorageError.of(opening == .new ? "create" : "open", path) { () throws(Errno) in
      try .open(path, made.union([.writing, .refusingLink, .withoutWaiting]), mode: mode)
    }
    self.path = path
  }

  /// Writes all of the bytes from `offset` on, or fails. Calls `pwrite`; may block.
  package func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(StorageError) {
    do throws(Errno) { unsafe try descriptor.write(bytes, at: offset) } catch {
      throw StorageError("write", path, .system(error))
    }
  }

  /// Waits until the written bytes would survive a power cut. Calls `fdatasync`; blocks.
  ///
  /// - Throws: `StorageError`. The kernel may then have dropped the bytes written since the last success, and a second
  ///   call does not report that.
  package func sync() throws(StorageError) {
    try StorageError.of("sync", path) { () throws(Errno) in try descriptor.syncBytes() }
  }
}
