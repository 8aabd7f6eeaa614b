/// A lock between processes, held for as long as the object lives and the process does.

internal import CLinux
internal import Glibc
internal import System

package final class FileLock: Sendable {
  private let descriptor: CInt

  /// Locks the file, which is made if need be, without waiting. Calls `openat` and `flock`.
  ///
  /// - Throws: `StorageError`, `.wouldBlock` where another process holds it.
  package init(path: String) throws(StorageError) {
    let descriptor = unsafe clinux_openat(AT_FDCWD, path, O_RDWR | O_CREAT | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw .system("open", path) }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      let error = StorageError.system("lock", path)
      close(descriptor)
      throw error
    }
    self.descriptor = descriptor
  }

  /// As `init(path:)`, and tries again for a while: a process that is being started holds all locks of the one that starts
  /// it, for a moment (`man 2 flock`). Blocks.
  ///
  /// - Throws: `StorageError`, `.wouldBlock` where another process has held it all the time.
  package static func taken(_ path: String, within patience: Duration) throws(StorageError) -> FileLock {
    let start = ContinuousClock.now
    while true {
      do throws(StorageError) { return try FileLock(path: path) } catch {
        guard error.reason == .system(.wouldBlock), ContinuousClock.now - start < patience else { throw error }
      }
      usleep(10_000)
    }
  }

  /// Locks a file that is there already; nil where it is not, or where another process holds it. Calls `openat` and
  /// `flock`.
  package init?(_ name: String, in folder: OpenFolder) {
    let descriptor = unsafe clinux_openat(folder.descriptor, name, O_RDWR | O_NOFOLLOW | O_NONBLOCK, 0)
    guard descriptor >= 0 else { return nil }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      close(descriptor)
      return nil
    }
    self.descriptor = descriptor
  }

  deinit { close(descriptor) }
}
