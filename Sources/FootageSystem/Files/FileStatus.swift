#if canImport(Darwin)
internal import Darwin
#else
internal import CFootageLinux
internal import Glibc
#endif

/// What tells one state of a file from another: when any of these changed, so may the bytes have.
package struct FileVersion: Hashable, Sendable {
  package var device: UInt64
  package var inode: UInt64
  /// In bytes.
  package var size: UInt64
  /// Nanoseconds since 1970-01-01T00:00:00Z.
  package var modifiedNanoseconds: Int64

  package init(device: UInt64, inode: UInt64, size: UInt64, modifiedNanoseconds: Int64) {
    self.device = device
    self.inode = inode
    self.size = size
    self.modifiedNanoseconds = modifiedNanoseconds
  }
}

extension FileVersion {
  /// What tells a file from all others for as long as it is open anywhere, or has a name.
  package struct Identity: Hashable, Sendable {
    package let device: UInt64
    package let inode: UInt64
  }

  package var identity: Identity { Identity(device: device, inode: inode) }
}

/// What the system says of a file (man 3type stat), as far as it is needed.
package struct FileStatus: Hashable, Sendable {
  package enum Kind: Hashable, Sendable { case regular, folder, symbolicLink, other }

  package let kind: Kind
  package private(set) var version: FileVersion
  /// When bytes, mode, owner or names of the file changed last, in nanoseconds since 1970; nobody can set it.
  package let changedNanoseconds: Int64
  /// The permission bits, `0o7777` at most.
  package let mode: UInt32
  /// How many names the file has.
  package let linkCount: UInt64
  /// The number of the user whose it is.
  package let owner: UInt32
  /// The number of the group whose it is.
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

  /// The same, of a file with another version.
  package func with(_ version: FileVersion) -> FileStatus {
    var status = self
    status.version = version
    return status
  }

  private static func nanoseconds(_ time: timespec) -> Int64 {
    Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
  }

  /// Of what is open under a number. Calls `fstat`.
  static func of(descriptor: CInt) throws(Errno) -> FileStatus {
    var status = stat()
    // Safe because the structure is the caller's own.
    #if canImport(Darwin)
    guard unsafe fstat(descriptor, &status) == 0 else { throw .current }
    #else
    guard unsafe clinux_status(descriptor, &status) == 0 else { throw .current }
    #endif
    return FileStatus(status)
  }

  /// Of what has this name. Calls `fstatat`.
  ///
  /// - Parameter followingLinks: whether a symbolic link as the last part is followed.
  package static func of(name path: String, followingLinks: Bool) throws(Errno) -> FileStatus {
    try of(path, in: AT_FDCWD, followingLinks ? 0 : AT_SYMLINK_NOFOLLOW)
  }

  static func of(_ name: String, in folder: CInt, _ flags: CInt = AT_SYMLINK_NOFOLLOW) throws(Errno) -> FileStatus {
    var status = stat()
    // Safe because the structure is the caller's own.
    guard unsafe fstatat(folder, name, &status, flags) == 0 else { throw .current }
    return FileStatus(status)
  }
}

extension FileStatus {
  /// Of a file that holds a secret: whether others than who has to may read or write it. Where another user owns it,
  /// root most often, this process reads it by its group, which may read it therefore.
  ///
  /// - Parameter user: the number of the user who reads it.
  package func isExposed(to user: UInt32 = Process.user) -> Bool { mode & (owner == user ? 0o077 : 0o037) != 0 }

  /// Which mode a file with a secret should have, in words of `chmod`: root's may be read by a group of its own, which
  /// the package's service needs.
  package var secretMode: String { owner == 0 && group != 0 ? "640" : "600" }
}
