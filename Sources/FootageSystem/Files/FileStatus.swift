#if canImport(Darwin)
internal import Darwin
#else
internal import CFootageLinux
internal import Glibc
#endif

/// A state of a file. If any of these values has changed, the bytes may have changed, too.
package struct FileVersion: Hashable, Sendable {
  package var device: UInt64
  package var inode: UInt64
  /// The size in bytes.
  package var size: UInt64
  /// The time of the last write, in nanoseconds since 1970-01-01T00:00:00Z.
  package var modifiedNanoseconds: Int64

  package init(device: UInt64, inode: UInt64, size: UInt64, modifiedNanoseconds: Int64) {
    self.device = device
    self.inode = inode
    self.size = size
    self.modifiedNanoseconds = modifiedNanoseconds
  }
}

extension FileVersion {
  /// The identity of a file, unique for as long as the file has a name or is open anywhere.
  package struct Identity: Hashable, Sendable {
    package let device: UInt64
    package let inode: UInt64
  }

  package var identity: Identity { Identity(device: device, inode: inode) }
}

/// The system's information on a file, reduced to the values that Footage needs (man 3type stat).
package struct FileStatus: Hashable, Sendable {
  package enum Kind: Hashable, Sendable { case regular, folder, symbolicLink, other }

  package let kind: Kind
  package private(set) var version: FileVersion
  /// The time of the last change to bytes, mode, owner or names, in nanoseconds since 1970. No program can set it.
  package let changedNanoseconds: Int64
  /// The permission bits, `0o7777` at most.
  package let mode: UInt32
  /// The number of names that the file has.
  package let linkCount: UInt64
  /// The number of the user that owns the file.
  package let owner: UInt32
  /// The number of the group that owns the file.
  package let group: UInt32

  init(_ status: stat) {
    kind =
      switch status.st_mode & S_IFMT {
      case S_IFREG: .regular
      case S_IFDIR: .folder
      case S_IFLNK: .symbolicLink
      default: .other
      }
    version = FileVersion(
      device: UInt64(truncatingIfNeeded: status.st_dev), inode: UInt64(status.st_ino),
      size: UInt64(max(0, status.st_size)), modifiedNanoseconds: Self.nanoseconds(SystemCalls.modified(status)))
    changedNanoseconds = Self.nanoseconds(SystemCalls.changed(status))
    mode = UInt32(status.st_mode) & 0o7777
    linkCount = UInt64(status.st_nlink)
    owner = status.st_uid
    group = status.st_gid
  }

  /// Returns the same status with another version.
  package func with(_ version: FileVersion) -> FileStatus {
    var status = self
    status.version = version
    return status
  }

  private static func nanoseconds(_ time: timespec) -> Int64 {
    Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
  }

  /// Returns the status of the open file with this number. Calls `fstat`.
  static func of(descriptor: CInt) throws(Errno) -> FileStatus {
    var status = stat()
    // Safe because the structure belongs to this call.
    #if canImport(Darwin)
    guard unsafe fstat(descriptor, &status) == 0 else { throw .current }
    #else
    guard unsafe clinux_status(descriptor, &status) == 0 else { throw .current }
    #endif
    return FileStatus(status)
  }

  /// Returns the status of the file with this name. Calls `fstatat`.
  ///
  /// - Parameter followingLinks: true to follow a symbolic link as the last part.
  package static func of(name path: String, followingLinks: Bool) throws(Errno) -> FileStatus {
    try of(path, in: AT_FDCWD, followingLinks ? 0 : AT_SYMLINK_NOFOLLOW)
  }

  static func of(_ name: String, in folder: CInt, _ flags: CInt = AT_SYMLINK_NOFOLLOW) throws(Errno) -> FileStatus {
    var status = stat()
    // Safe because the structure belongs to this call.
    guard unsafe fstatat(folder, name, &status, flags) == 0 else { throw .current }
    return FileStatus(status)
  }
}

extension FileStatus {
  /// Returns true if more users than necessary may read or write a file that holds a secret. If another user owns the
  /// file, usually root, its group may read it, because this process may depend on that permission.
  ///
  /// - Parameter user: the number of the user that reads it.
  package func isExposed(to user: UInt32 = Process.user) -> Bool { mode & (owner == user ? 0o077 : 0o037) != 0 }

  /// The mode that a file with a secret should have, in the notation of `chmod`. A file that root owns may be readable
  /// by a group other than root's, because the service that the package installs needs that.
  package var secretMode: String { owner == 0 && group != 0 ? "640" : "600" }
}
