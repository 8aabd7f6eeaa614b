/// A regular file of our own that is written at any offset; what was never written is a hole.
///
/// Offsets below 2^63. Calls may come from any thread, and from several at once.
package final class WritableFile: Sendable {
  package let path: String
  let descriptor: FileDescriptor

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

  /// Returns when what was written would survive a power cut. Calls `fdatasync`; blocks.
  ///
  /// - Throws: `StorageError`; then the kernel may have dropped what was written since the last success, and a second
  ///   call says nothing about it.
  package func sync() throws(StorageError) {
    try StorageError.of("make durable", path) { () throws(Errno) in try descriptor.syncBytes() }
  }
}
