/// A lock between processes, held for as long as the object lives and the process does.
package final class FileLock: Sendable {
  private let descriptor: FileDescriptor

  /// Locks the file, which is made if need be, without waiting. Calls `openat` and `flock`.
  ///
  /// - Throws: `StorageError`, `.wouldBlock` where another process holds it.
  package init(path: String) throws(StorageError) {
    let descriptor = try StorageError.of("open", path) { () throws(Errno) in
      try FileDescriptor.open(path, [.reading, .writing, .creating, .refusingLink], mode: 0o600)
    }
    do throws(Errno) { try descriptor.lock() } catch { throw StorageError("lock", path, .system(error)) }
    self.descriptor = descriptor
  }

  /// A process that is just being started has the file open for a moment longer, and would keep the lock by that.
  deinit { descriptor.unlock() }

  /// As `init(path:)`, and tries again for a while: a process that is being started holds all locks of the one that
  /// starts it, for a moment (`man 2 flock`). Blocks.
  ///
  /// - Throws: `StorageError`, `.wouldBlock` where another process has held it all the time.
  package static func taken(_ path: String, within patience: Duration) throws(StorageError) -> FileLock {
    try retrying(within: patience) { () throws(StorageError) in try FileLock(path: path) }
  }

  /// Locks a folder against others that change what lies in it, and waits for them for a while. Blocks. Calls `openat`
  /// and `flock`.
  ///
  /// - Returns: nil where the file system knows no such locks.
  /// - Throws: `StorageError`, `.wouldBlock` where another process has held it all the time.
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

  /// Takes a lock, and tries again for a while where another process holds it: `flock` itself waits for ever, or not at
  /// all. Blocks.
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

  /// Locks a file that is there already; nil where it is not, or where another process holds it. Calls `openat` and
  /// `flock`.
  package init?(_ name: String, in folder: OpenFolder) {
    guard let descriptor = try? folder.descriptor.open(name, [.reading, .writing, .refusingLink, .withoutWaiting]),
      (try? descriptor.lock()) != nil
    else { return nil }
    self.descriptor = descriptor
  }
}
