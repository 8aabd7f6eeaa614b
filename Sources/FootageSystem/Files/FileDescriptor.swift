#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

/// A file or folder that is open, closed when this goes away. Offsets and lengths are in bytes.
///
/// Each call is one of the system's, which is made again where a signal has interrupted it. Calls may come from any
/// thread.
package struct FileDescriptor: ~Copyable, Sendable {
  /// What the system calls it; for handing on what is open.
  package let number: CInt

  /// Takes over a descriptor.
  package init(adopting number: CInt) { self.number = number }

  deinit { close(number) }

  /// How a file is opened. It is closed in programs that this process starts, and never becomes its terminal.
  package struct Opening: OptionSet, Sendable {
    package let rawValue: UInt16

    package init(rawValue: UInt16) { self.rawValue = rawValue }

    package static let reading = Opening(rawValue: 1)
    package static let writing = Opening(rawValue: 2)
    /// Makes it where it is not there.
    package static let creating = Opening(rawValue: 4)
    /// Fails where it is there already.
    package static let exclusively = Opening(rawValue: 8)
    /// Fails where it is no folder.
    package static let folder = Opening(rawValue: 16)
    /// A FIFO without another end does not hold the caller up.
    package static let withoutWaiting = Opening(rawValue: 32)
    /// A symbolic link as the last part is an error (`ELOOP`).
    package static let refusingLink = Opening(rawValue: 64)
    /// Only to be asked about, which needs no permission to read it; a link as the last part is opened itself.
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
  /// - Parameter mode: of a new file, less what the process's mask takes away.
  package static func open(_ path: String, _ opening: Opening, mode: UInt32 = 0) throws(Errno) -> FileDescriptor {
    try open(path, in: AT_FDCWD, opening.flags, mode: mode)
  }

  /// Opens what lies in this folder.
  ///
  /// - Parameter mode: of a new file, less what the process's mask takes away.
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

  // MARK: What it is

  /// As it is now. Calls `fstat`.
  package func status() throws(Errno) -> FileStatus { try FileStatus.of(descriptor: number) }

  /// What has this name in this folder; a link is looked at itself. Calls `fstatat`.
  package func status(of name: String) throws(Errno) -> FileStatus { try FileStatus.of(name, in: number) }

  /// What the file system says of itself (`f_fsid` of `fstatfs`); 0 where it says nothing.
  package func fileSystemNumber() throws(Errno) -> UInt64 {
    var fileSystem: UInt64 = 0
    guard unsafe SystemCalls.fileSystemNumber(number, &fileSystem) == 0 else { throw .current }
    return fileSystem
  }

  /// How much room the file system has. Calls `fstatvfs`; may block for as long as the disk does not answer.
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

  /// Reads up to as many bytes as the buffer has. Calls `pread`; may block.
  ///
  /// - Returns: 0 at the end.
  package func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws(Errno) -> Int {
    while true {
      let count = unsafe pread(number, buffer.baseAddress, buffer.count, off_t(clamping: offset))
      if count >= 0 { return count }
      guard errno == EINTR else { throw .current }
    }
  }

  /// The same of what is in memory already; never waits for a disk. Calls `preadv2` with `RWF_NOWAIT`;
  /// Darwin has no such call.
  ///
  /// - Returns: nil where the bytes are not in memory (the kernel has begun to fetch them), or the file system cannot
  ///   tell.
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

  /// Reads what comes next, of a pipe or a file. Calls `read`; may block.
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

  /// Writes all of the bytes behind what was written before, or fails. Calls `write`; may block.
  package func write(_ bytes: UnsafeRawBufferPointer) throws(Errno) {
    var done = 0
    while done < bytes.count {
      // Safe because the sub-buffer lies inside the caller's buffer.
      let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[done...])
      let count = unsafe SystemCalls.write(number, rest)
      if count >= 0 { done += count } else if errno != EINTR { throw .current }
    }
  }

  /// Writes bytes of another file behind what was written before, without bringing them into this process where the
  /// file system can do so. Calls `copy_file_range`; may block.
  ///
  /// - Returns: how many it were: 0 at the other file's end; nil where these two file systems cannot do that.
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

  /// Drops what stands behind so many bytes. Calls `ftruncate`.
  package func cut(to length: UInt64) throws(Errno) {
    guard let length = off_t(exactly: length) else { throw .fileTooLarge }
    guard ftruncate(number, length) == 0 else { throw .current }
  }

  /// Returns when bytes and status would survive a power cut; of a folder, its names. Calls `fsync`, on Darwin
  /// `fcntl(F_FULLFSYNC)`; blocks.
  package func sync() throws(Errno) { guard SystemCalls.sync(number) == 0 else { throw .current } }

  /// The same of bytes and length alone. Calls `fdatasync`, on Darwin `fcntl(F_FULLFSYNC)`; blocks.
  package func syncBytes() throws(Errno) { guard SystemCalls.syncBytes(number) == 0 else { throw .current } }
}
