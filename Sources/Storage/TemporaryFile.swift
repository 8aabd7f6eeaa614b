/// A file that nobody sees yet: it is written and synced under a dot name, and then gets its real one at once.

internal import CLinux
internal import Formats
internal import Glibc
internal import Synchronization
internal import System

/// Removed again when it goes away without a name of its own; a process that is killed leaves the dot name behind.
package final class TemporaryFile {
  /// What every dot name begins with, so that what a killed process left can be told and swept.
  package static let namePrefix = ".footage-partial-"

  /// Where the bytes are until the file is named.
  package let path: String
  private let descriptor: CInt
  private var isNamed = false

  private static let serial = Atomic<UInt64>(0)

  /// Creates an empty file with a fresh dot name in `folder`, locked for as long as this object lives.
  /// Calls `openat` and `flock`; may block.
  ///
  /// - Throws: `StorageError`: no such folder, no permission, no room.
  package init(in folder: String) throws(StorageError) {
    while true {
      let serial = Self.serial.wrappingAdd(1, ordering: .relaxed).newValue
      let path = "\(folder)/\(Self.namePrefix)\(getpid())-\(serial)"
      let descriptor = unsafe clinux_openat(AT_FDCWD, path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, 0o644)
      if descriptor < 0, errno == EEXIST { continue }
      guard descriptor >= 0 else { throw .system("create", path) }
      // The lock is what tells a sweep that this one is still wanted; where it is not to be had, the age tells.
      _ = flock(descriptor, LOCK_EX | LOCK_NB)
      self.path = path
      self.descriptor = descriptor
      return
    }
  }

  deinit {
    if !isNamed { _ = unsafe unlink(path) }
    close(descriptor)
  }

  /// Appends the bytes. May block.
  package func write(_ bytes: [UInt8]) throws(StorageError) {
    var failure: StorageError?
    unsafe bytes.withUnsafeBytes { buffer in
      do throws(StorageError) { unsafe try append(buffer) } catch { failure = error }
    }
    if let failure { throw failure }
  }

  private func append(_ buffer: UnsafeRawBufferPointer) throws(StorageError) {
    var done = 0
    while done < buffer.count {
      // Safe because the sub-buffer lies inside the caller's buffer.
      let rest = unsafe UnsafeRawBufferPointer(rebasing: buffer[done...])
      let count = unsafe Glibc.write(descriptor, rest.baseAddress, rest.count)
      if count >= 0 { done += count } else if errno != EINTR { throw .system("write", path) }
    }
  }

  /// Appends ranges of another file without bringing them into this process where the file system can do so.
  /// Calls `copy_file_range`, else `pread` and `write`; may block.
  ///
  /// - Throws: `StorageError`, also where the other file ends before a range does.
  package func append(_ range: Range<UInt64>, of source: RandomAccessFile) throws(StorageError) {
    var offset = range.lowerBound
    while offset < range.upperBound {
      var sourceOffset = Int64(clamping: offset)
      let wanted = Int(min(range.upperBound - offset, 1 << 30))
      let count = unsafe clinux_copy_file_range(source.descriptor, &sourceOffset, descriptor, wanted)
      if count > 0 {
        offset += UInt64(count)
      } else if count == 0 {
        throw StorageError("copy", source.path, .endOfFile(offset: offset))
      } else {
        switch errno {
        case EINTR: continue
        case EXDEV, EINVAL, EOPNOTSUPP, ENOSYS, EBADF: return try appendByReading(offset..<range.upperBound, of: source)
        default: throw .system("copy to \(path) from", source.path)
        }
      }
    }
  }

  /// Appends a slice, wherever its bytes are. May block.
  package func append(_ slice: Slice) throws(StorageError) {
    switch slice.origin {
    case .memory(let bytes): try write(bytes)
    case .file(let source, let offset): try append(offset..<(offset + slice.length), of: source)
    }
  }

  private func appendByReading(_ range: Range<UInt64>, of source: RandomAccessFile) throws(StorageError) {
    var offset = range.lowerBound
    while offset < range.upperBound {
      let count = Int(min(range.upperBound - offset, 1 << 20))
      try write(source.bytes(at: offset, count: count))
      offset += UInt64(count)
    }
  }

  /// Gives the file this modification time, in nanoseconds since 1970. Calls `futimens`.
  package func setModified(nanoseconds: Int64) throws(StorageError) {
    let second: Int64 = 1_000_000_000
    let (quotient, remainder) = nanoseconds.quotientAndRemainder(dividingBy: second)
    let time = timespec(
      tv_sec: Int(remainder < 0 ? quotient - 1 : quotient), tv_nsec: Int(remainder < 0 ? remainder + second : remainder)
    )
    let times = [time, time]
    guard unsafe futimens(descriptor, times) == 0 else { throw .system("set the time of", path) }
  }

  /// Returns when the bytes would survive a power cut. Calls `fsync`; blocks.
  package func sync() throws(StorageError) {
    guard fsync(descriptor) == 0 else { throw .system("make durable", path) }
  }

  /// Gives the file its name, in place of what had it. The name is durable once its folder is synced.
  package func rename(replacing target: String) throws(StorageError) {
    guard unsafe Glibc.rename(path, target) == 0 else { throw .system("rename \(path) to", target) }
    isNamed = true
  }

  /// Gives the file its name unless something has it. Calls `renameat2`, else `link` and `unlink`, else `open` and `rename`.
  ///
  /// - Throws: `StorageError`, `.alreadyExists` where the name is taken.
  package func rename(to target: String) throws(StorageError) {
    if unsafe clinux_rename_without_replacing(path, target) == 0 {
      isNamed = true
      return
    }
    guard errno == EINVAL || errno == ENOSYS else { throw .system("rename \(path) to", target) }
    if unsafe link(path, target) == 0 {
      isNamed = true
      _ = unsafe unlink(path)
      return
    }
    guard errno == EPERM || errno == EOPNOTSUPP || errno == ENOSYS else { throw .system("rename \(path) to", target) }
    try rename(claiming: target)
  }

  /// For a file system that knows neither way (exFAT by FUSE): an empty file takes the name, which fails where something
  /// has it, and this file then takes that one's place at once.
  func rename(claiming target: String) throws(StorageError) {
    let claim = unsafe clinux_openat(AT_FDCWD, target, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o644)
    guard claim >= 0 else { throw .system("rename \(path) to", target) }
    // Somebody may have put a file of theirs there in the meantime, or written into this one.
    let isOurs = Self.isEmpty(claim, at: target)
    // FUSE keeps a file that is open under a third name when another one takes its place.
    close(claim)
    guard isOurs else { throw StorageError("rename \(path) to", target, .system(.alreadyExists)) }
    guard unsafe Glibc.rename(path, target) == 0 else {
      let error = StorageError.system("rename \(path) to", target)
      _ = unsafe unlink(target)
      throw error
    }
    isNamed = true
  }

  /// Whether the path leads to the open file, which has no bytes.
  private static func isEmpty(_ descriptor: CInt, at path: String) -> Bool {
    var (opened, found) = (stat(), stat())
    guard unsafe fstat(descriptor, &opened) == 0, unsafe fstatat(AT_FDCWD, path, &found, AT_SYMLINK_NOFOLLOW) == 0
    else { return false }
    return opened.st_dev == found.st_dev && opened.st_ino == found.st_ino && found.st_size == 0
  }

  /// Removes what a killed process left at `path`; leaves it alone while somebody still writes to it.
  package static func sweep(_ path: String) {
    let descriptor = unsafe clinux_openat(AT_FDCWD, path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK, 0)
    guard descriptor >= 0 else { return }
    if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { _ = unsafe unlink(path) }
    close(descriptor)
  }
}
