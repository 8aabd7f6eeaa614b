/// A lock between processes, held for as long as both the object and the process live.
package final class FileLock: Sendable {
  private let descriptor: FileDescriptor

  /// Locks the file without waiting, and creates it if needed. Calls `openat` and `flock`.
  ///
  /// - Throws: `StorageError`, `.wouldBlock` if another process holds it.
  package init(path: String) throws(StorageError) {
    let descriptor = try StorageError.of("open", path) { () throws(Errno) in
      try FileDescriptor.open(path, [.reading, .writing, .creating, .refusingLink], mode: 0o600)
    }
    do throws(Errno) { try descriptor.lock() } catch { throw StorageError("lock", path, .system(error)) }
    self.descriptor = descriptor
  }

  /// Unlocks the file explicitly: a child process that is just being started has it open for a moment longer, and would
  /// otherwise keep the lock.
  deinit { descriptor.unlock() }

  /// Locks the file as `init(path:)` does, but retries for a while: a process that is being started holds all locks of
  /// its parent for a moment (`man 2 flock`). Blocks.
  ///
  /// - Throws: `StorageError`, `.wouldBlock` if another process held it all the time.
  package static func taken(_ path: String, within patience: Duration) throws(StorageError) -> FileLock {
    try retrying(within: patience) { () throws(StorageError) in try FileLock(path: path) }
  }

  /// Locks a folder against other processes that change its contents, and waits for them for a while. Blocks. Calls
  /// `openat` and `flock`.
  ///
  /// - Returns: nil if the file system does not support such locks.
  /// - Throws: `StorageError`, `.wouldBlock` if another process held it all the time.
  package static func ofFolder(_ path: String, within patience: Duration) throws(StorageError) -> FileLock? {
    try retrying(within: patience) { () throws(StorageError) in
      let descriptor = try StorageError.of("open", path) { () throws(Errno) in
        try FileDescriptor.open(path, [.reading, .folder])
      }
      do throws(Errno) { try descriptor.lock() } catch {
        guard error == .wouldBlock else { return nil }
        throw StorageError("lock", path, .system(error))
      }
      return FileLock(descriptor)
    }
  }

  /// Acquires a lock, and retries for a while if another process holds it: `flock` itself waits forever or not at all.
  /// Blocks.
  private static func retrying<Taken>(
    within patience: Duration, _ take: () throws(StorageError) -> Taken
  ) throws(StorageError) -> Taken {
    let end = Clock.system.deadline(after: patience)
    while true {
      do throws(StorageError) { return try take() } catch {
        guard error.reason == .system(.wouldBlock), Clock.system.now < end else { throw error }
      }
      Thread.sleep(milliseconds: 10)
    }
  }

  private init(_ descriptor: consuming FileDescriptor) { self.descriptor = descriptor }

  /// Locks an existing file; nil if it does not exist, or if another process holds the lock. Calls `openat` and
  /// `flock`.
  package init?(_ name: String, in folder: OpenFolder) {
    guard let descriptor = try? folder.descriptor.open(name, [.reading, .writing, .refusingLink, .withoutWaiting]),
      (try? descriptor.lock()) != nil
    else { return nil }
    self.descriptor = descriptor
  }
}
