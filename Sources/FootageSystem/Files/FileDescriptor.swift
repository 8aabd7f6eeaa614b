#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

/// An open file or folder, closed when this is destroyed. Offsets and lengths are in bytes.
///
/// Each method is one system call, which is repeated if a signal interrupts it. Calls may come from any thread.
package struct FileDescriptor: ~Copyable, Sendable {
  /// The system's number of the open file, for calls that pass the file on.
  package let number: CInt

  /// Creates a descriptor that takes over this number.
  package init(adopting number: CInt) { self.number = number }

  deinit { close(number) }

  /// The way in which a file is opened. A program that this process starts does not inherit the file, and the file
  /// never becomes the controlling terminal of this process.
  package struct Opening: OptionSet, Sendable {
    package let rawValue: UInt16

    package init(rawValue: UInt16) { self.rawValue = rawValue }

    package static let reading = Opening(rawValue: 1)
    package static let writing = Opening(rawValue: 2)
    /// Creates the file if it does not exist.
    package static let creating = Opening(rawValue: 4)
    /// Fails if the file exists already.
    package static let exclusively = Opening(rawValue: 8)
    /// Fails if it is not a folder.
    package static let folder = Opening(rawValue: 16)
    /// Does not make the caller wait for the other end of a FIFO.
    package static let withoutWaiting = Opening(rawValue: 32)
    /// Fails with `ELOOP` if the last part of the path is a symbolic link.
    package static let refusingLink = Opening(rawValue: 64)
    /// Opens the file only to query its status, which requires no permission to read it. If the last part of the path
    /// is a symbolic link, the link itself is opened.
    package static let asking = Opening(rawValue: 128)

    var flags: CInt {
      if contains(.asking) { return SystemCalls.openForAsking | (contains(.refusingLink) ? O_NOFOLLOW : 0) }
      var flags = contains(.writing) ? (contains(.reading) ? O_RDWR : O_WRONLY) : O_RDONLY
      if contains(.creating) { flags |= O_CREAT }
      if contains(.exclusively) { flags |= O_EXCL }
      if contains(.folder) { flags |= O_DIRECTORY } else { flags |= O_NOCTTY }
      if contains(.withoutWaiting) { flags |= O_NONBLOCK }
      if contains(.refusingLink) { flags |= O_NOFOLLOW }
      return flags
    }
  }

  /// Opens a file by its path; may block.
  ///
  /// - Parameter mode: the mode of a new file, minus the bits in the process's umask.
  package static func open(_ path: String, _ opening: Opening, mode: UInt32 = 0) throws(Errno) -> FileDescriptor {
    try open(path, in: AT_FDCWD, opening.flags, mode: mode)
  }

  /// Opens a file in this folder.
  ///
  /// - Parameter mode: the mode of a new file, minus the bits in the process's umask.
  package func open(_ name: String, _ opening: Opening, mode: UInt32 = 0) throws(Errno) -> FileDescriptor {
    try Self.open(name, in: number, opening.flags, mode: mode)
  }

  private static func open(
    _ name: String, in folder: CInt, _ flags: CInt, mode: UInt32 = 0
  ) throws(Errno) -> FileDescriptor {
    let descriptor = unsafe SystemCalls.open(folder, name, flags, mode)
    guard descriptor >= 0 else { throw .current }
    return FileDescriptor(adopting: descriptor)
  }

  // MARK: Status

  /// Returns the current status. Calls `fstat`.
  package func status() throws(Errno) -> FileStatus { try FileStatus.of(descriptor: number) }

  /// Returns the status of the entry with this name in this folder; a link is not followed. Calls `fstatat`.
  package func status(of name: String) throws(Errno) -> FileStatus { try FileStatus.of(name, in: number) }

  /// Returns the identifier that the file system gives itself (`f_fsid` of `fstatfs`); 0 if it has none.
  package func fileSystemNumber() throws(Errno) -> UInt64 {
    var fileSystem: UInt64 = 0
    guard unsafe SystemCalls.fileSystemNumber(number, &fileSystem) == 0 else { throw .current }
    return fileSystem
  }

  /// Returns the room on the file system. Calls `fstatvfs`; may block for as long as the disk does not respond.
  package func space() throws(Errno) -> FileSystemSpace {
    var status = statvfs()
    guard unsafe fstatvfs(number, &status) == 0 else { throw .current }
    let unit = UInt64(status.f_frsize)
    return FileSystemSpace(
      freeBytes: UInt64(status.f_bavail).multipliedClamped(by: unit),
      totalBytes: UInt64(status.f_blocks).multipliedClamped(by: unit),
      unusedBytes: UInt64(status.f_bfree).multipliedClamped(by: unit))
  }

  // MARK: Bytes

  /// Reads at most as many bytes as the buffer holds. Calls `pread`; may block.
  ///
  /// - Returns: 0 at the end.
  package func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws(Errno) -> Int {
    while true {
      let count = unsafe pread(number, buffer.baseAddress, buffer.count, off_t(clamping: offset))
      if count >= 0 { return count }
      guard errno == EINTR else { throw .current }
    }
  }

  /// Reads only what is in memory already; never waits for a disk. Calls `preadv2` with `RWF_NOWAIT`; on Darwin, which
  /// has no such call, the result is always nil.
  ///
  /// - Returns: 0 at the end; nil if the bytes are not in memory (the kernel has begun to fetch them), or the file
  ///   system cannot tell.
  package func readImmediately(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws(Errno) -> Int? {
    while true {
      let count = unsafe SystemCalls.readWithoutWaiting(number, buffer, at: Int64(clamping: offset))
      if count >= 0 { return count }
      switch errno {
      case EINTR: continue
      case EAGAIN, EOPNOTSUPP: return nil
      default: throw .current
      }
    }
  }

  /// Reads the next bytes of a pipe or a file. Calls `read`; may block.
  ///
  /// - Returns: 0 at the end.
  package func read(into buffer: UnsafeMutableRawBufferPointer) throws(Errno) -> Int {
    while true {
      let count = unsafe SystemCalls.read(number, buffer)
      if count >= 0 { return count }
      guard errno == EINTR else { throw .current }
    }
  }

  /// Writes all of the bytes from `offset` on, or fails. Calls `pwrite`; may block.
  package func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(Errno) {
    var done = 0
    while done < bytes.count {
      let (position, isTooLarge) = offset.addingReportingOverflow(UInt64(done))
      guard !isTooLarge, let position = off_t(exactly: position) else { throw .fileTooLarge }
      // Safe because the sub-buffer lies inside the caller's buffer.
      let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[done...])
      let count = unsafe pwrite(number, rest.baseAddress, rest.count, position)
      if count >= 0 { done += count } else if errno != EINTR { throw .current }
    }
  }

  /// Writes all of the bytes after those written before, or fails. Calls `write`; may block.
  package func write(_ bytes: UnsafeRawBufferPointer) throws(Errno) {
    var done = 0
    while done < bytes.count {
      // Safe because the sub-buffer lies inside the caller's buffer.
      let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[done...])
      let count = unsafe SystemCalls.write(number, rest)
      if count >= 0 { done += count } else if errno != EINTR { throw .current }
    }
  }

  /// Appends bytes of another file to those written before, without copying them through this process if the file
  /// system can do so. Calls `copy_file_range`; may block.
  ///
  /// - Returns: the number of bytes, 0 at the end of `source`; nil if the file systems of the two files cannot copy in
  ///   this way.
  package func write(
    from source: borrowing FileDescriptor, at offset: UInt64, count wanted: Int
  ) throws(Errno) -> Int? {
    while true {
      let count = SystemCalls.copyRange(of: source.number, at: Int64(clamping: offset), to: number, count: wanted)
      if count >= 0 { return count }
      switch errno {
      case EINTR: continue
      case EXDEV, EINVAL, EOPNOTSUPP, ENOSYS, EBADF: return nil
      default: throw .current
      }
    }
  }

  /// Removes the bytes after `length`. Calls `ftruncate`.
  package func cut(to length: UInt64) throws(Errno) {
    guard let length = off_t(exactly: length) else { throw .fileTooLarge }
    guard ftruncate(number, length) == 0 else { throw .current }
  }

  /// Waits until the bytes and the status of a file, or the names in a folder, would survive a power cut. Calls
  /// `fsync`, on Darwin `fcntl(F_FULLFSYNC)`; blocks.
  package func sync() throws(Errno) { guard SystemCalls.sync(number) == 0 else { throw .current } }

  /// Waits until the bytes and the length of a file would survive a power cut. Calls `fdatasync`, on Darwin
  /// `fcntl(F_FULLFSYNC)`; blocks.
  package func syncBytes() throws(Errno) { guard SystemCalls.syncBytes(number) == 0 else { throw .current } }
}
