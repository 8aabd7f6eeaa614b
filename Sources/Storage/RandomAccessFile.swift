/// A regular file that is open for reading at any offset, for as long as somebody holds it.

internal import CLinux
internal import Formats
internal import Glibc
internal import System

/// Deleting or renaming the file does not disturb its readers; `status()` tells whether it was changed in place.
package final class RandomAccessFile: ByteSource, Sendable {
  package let path: String
  /// As it was when the file was opened.
  package let openingStatus: FileStatus
  let descriptor: CInt

  /// Opens a regular file; a symbolic link as the last part is refused unless asked for. Calls `openat` and `fstat`; may block.
  ///
  /// `O_NONBLOCK` keeps a FIFO of that name from holding the caller for ever.
  ///
  /// - Throws: `StorageError`: not there, no permission, or not a regular file.
  package convenience init(path: String, followingLinks: Bool = false) throws(StorageError) {
    let flags = O_RDONLY | O_NONBLOCK | O_NOCTTY | (followingLinks ? 0 : O_NOFOLLOW)
    let descriptor = unsafe clinux_openat(AT_FDCWD, path, flags, 0)
    guard descriptor >= 0 else {
      let number = Errno.current
      throw StorageError("open", path, number == .symbolicLink ? .wrongKind("a symbolic link") : .system(number))
    }
    try self.init(adopting: descriptor, path: path)
  }

  /// Takes over a descriptor that is open for reading, and closes it where this throws. Calls `fstat`.
  ///
  /// - Parameter path: what errors call the file.
  init(adopting descriptor: CInt, path: String) throws(StorageError) {
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else {
      let error = StorageError.system("look at", path)
      Glibc.close(descriptor)
      throw error
    }
    let opened = FileStatus(status)
    guard opened.kind == .regular else {
      Glibc.close(descriptor)
      throw StorageError("open", path, .wrongKind("not a regular file"))
    }
    self.path = path
    self.descriptor = descriptor
    self.openingStatus = opened
  }

  deinit { close(descriptor) }

  /// In bytes, as it was when the file was opened.
  package var length: UInt64 { openingStatus.version.size }

  /// As the file is now. Calls `fstat`.
  package func status() throws(StorageError) -> FileStatus {
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else { throw .system("look at", path) }
    return FileStatus(status)
  }

  /// Whether nobody wrote to the file since it had this version. Calls `fstat`.
  package func isStill(_ version: FileVersion) -> Bool {
    var status = stat()
    return unsafe fstat(descriptor, &status) == 0 && FileStatus(status).version == version
  }

  package func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws(StorageError) {
    var done = 0
    while done < buffer.count {
      // Safe because the sub-buffer lies inside the caller's buffer.
      let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[done...])
      let count = unsafe pread(descriptor, rest.baseAddress, rest.count, off_t(clamping: offset + UInt64(done)))
      if count > 0 {
        done += count
      } else if count == 0 {
        throw StorageError("read", path, .endOfFile(offset: offset + UInt64(done)))
      } else if errno != EINTR {
        throw .system("read", path)
      }
    }
  }

  /// What a read that must not block came to.
  package enum ImmediateRead: Equatable {
    /// So many bytes, at least one, are in the buffer.
    case bytes(Int)
    /// The bytes are not in memory (the kernel has begun to fetch them), or this file system cannot tell.
    case wouldBlock
  }

  /// Reads what is in memory already, from `offset` on. Never waits for a disk. Calls `preadv2` with `RWF_NOWAIT`.
  ///
  /// - Throws: `StorageError`, also at the end of the file.
  package func readImmediately(
    at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer
  ) throws(StorageError) -> ImmediateRead {
    while true {
      let count = unsafe clinux_pread_nowait(descriptor, buffer.baseAddress, buffer.count, Int64(clamping: offset))
      if count > 0 { return .bytes(count) }
      if count == 0 { throw StorageError("read", path, .endOfFile(offset: offset)) }
      switch errno {
      case EINTR: continue
      case EAGAIN, EOPNOTSUPP: return .wouldBlock
      default: throw .system("read", path)
      }
    }
  }
}
