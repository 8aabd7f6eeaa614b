/// A file without a name, in memory alone (man 2 memfd_create): what one process writes for another to read.

internal import CLinux
internal import Glibc

package final class MemoryFile: Sendable {
  let descriptor: CInt

  /// Calls `memfd_create`.
  ///
  /// - Parameter name: shown in `/proc`.
  /// - Throws: `StorageError`: the process has too many open files.
  package init(name: String) throws(StorageError) {
    descriptor = unsafe clinux_memory_file(name)
    guard descriptor >= 0 else { throw .system("create", "a file in memory") }
  }

  /// Takes over a descriptor that was received.
  init(adopting descriptor: CInt) { self.descriptor = descriptor }

  deinit { close(descriptor) }

  /// Writes the bytes from `offset` on. Calls `pwrite`.
  package func write(_ bytes: [UInt8], at offset: UInt64) throws(StorageError) {
    var done = 0
    while done < bytes.count {
      // Safe because the rest lies inside the array.
      let count = unsafe bytes.withUnsafeBytes {
        let rest = unsafe UnsafeRawBufferPointer(rebasing: $0[done...])
        return unsafe pwrite(descriptor, rest.baseAddress, rest.count, off_t(clamping: offset + UInt64(done)))
      }
      if count >= 0 { done += count } else if errno != EINTR { throw .system("write", "a file in memory") }
    }
  }

  /// The file as it is now, which nobody can change any more. Calls `fcntl(F_ADD_SEALS)` and `dup`.
  package func sealed() throws(StorageError) -> RandomAccessFile {
    guard clinux_seal_memory_file(descriptor) == 0 else { throw .system("seal", "a file in memory") }
    let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
    guard copy >= 0 else { throw .system("open", "a file in memory") }
    return try RandomAccessFile(adopting: copy, path: "a file in memory")
  }
}
