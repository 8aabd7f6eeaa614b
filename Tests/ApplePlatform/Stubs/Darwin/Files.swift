internal import CDarwin
internal import CFootageLinux
@_exported import struct Glibc.dirent
@_exported import struct Glibc.timespec
internal import Glibc

// Files and folders: fcntl.h, sys/stat.h, sys/mount.h, sys/statvfs.h, dirent.h, stdio.h, unistd.h, sys/xattr.h.

public typealias DIR = OpaquePointer
public typealias dev_t = Int32
public typealias gid_t = UInt32
public typealias ino_t = UInt64
public typealias mode_t = UInt16
public typealias nlink_t = UInt16
public typealias off_t = Int64
public typealias uid_t = UInt32

public var AT_FDCWD: Int32 { Glibc.AT_FDCWD }
public var AT_REMOVEDIR: Int32 { Glibc.AT_REMOVEDIR }
public var AT_SYMLINK_NOFOLLOW: Int32 { Glibc.AT_SYMLINK_NOFOLLOW }
public var DT_DIR: Int32 { Int32(Glibc.DT_DIR) }
public var DT_LNK: Int32 { Int32(Glibc.DT_LNK) }
public var DT_REG: Int32 { Int32(Glibc.DT_REG) }
public var DT_UNKNOWN: Int32 { Int32(Glibc.DT_UNKNOWN) }
public var F_FULLFSYNC: Int32 { 51 }
public var LOCK_EX: Int32 { Glibc.LOCK_EX }
public var LOCK_NB: Int32 { Glibc.LOCK_NB }
public var LOCK_UN: Int32 { Glibc.LOCK_UN }
public var O_CLOEXEC: Int32 { Glibc.O_CLOEXEC }
public var O_CREAT: Int32 { Glibc.O_CREAT }
public var O_DIRECTORY: Int32 { Glibc.O_DIRECTORY }
/// Linux's `O_PATH` comes next to it.
public var O_EVTONLY: Int32 { CLINUX_O_PATH }
public var O_EXCL: Int32 { Glibc.O_EXCL }
public var O_NOCTTY: Int32 { Glibc.O_NOCTTY }
public var O_NOFOLLOW: Int32 { Glibc.O_NOFOLLOW }
public var O_NONBLOCK: Int32 { Glibc.O_NONBLOCK }
public var O_RDONLY: Int32 { Glibc.O_RDONLY }
public var O_RDWR: Int32 { Glibc.O_RDWR }
/// With `O_PATH` that opens the link itself, too.
public var O_SYMLINK: Int32 { Glibc.O_NOFOLLOW }
public var O_WRONLY: Int32 { Glibc.O_WRONLY }
public var RENAME_EXCL: Int32 { 4 }
public var S_IFDIR: mode_t { 0o040000 }
public var S_IFLNK: mode_t { 0o120000 }
public var S_IFMT: mode_t { 0o170000 }
public var S_IFREG: mode_t { 0o100000 }

public struct stat {
  public var st_dev: dev_t = 0
  public var st_mode: mode_t = 0
  public var st_nlink: nlink_t = 0
  public var st_ino: ino_t = 0
  public var st_uid: uid_t = 0
  public var st_gid: gid_t = 0
  public var st_atimespec = timespec()
  public var st_mtimespec = timespec()
  public var st_ctimespec = timespec()
  public var st_birthtimespec = timespec()
  public var st_size: off_t = 0

  public init() {}

  fileprivate init(_ status: Glibc.stat) {
    st_dev = dev_t(truncatingIfNeeded: status.st_dev)
    st_mode = mode_t(truncatingIfNeeded: status.st_mode)
    st_nlink = nlink_t(clamping: status.st_nlink)
    st_ino = ino_t(status.st_ino)
    st_uid = status.st_uid
    st_gid = status.st_gid
    st_atimespec = status.st_atim
    st_mtimespec = status.st_mtim
    st_ctimespec = status.st_ctim
    st_size = off_t(status.st_size)
  }
}

public struct fsid_t {
  public var val: (Int32, Int32) = (0, 0)

  public init() {}
}

public struct statfs {
  public var f_fsid = fsid_t()

  public init() {}
}

public struct statvfs {
  public var f_frsize: UInt = 0
  public var f_blocks: UInt32 = 0
  public var f_bfree: UInt32 = 0
  public var f_bavail: UInt32 = 0

  public init() {}
}

@discardableResult
public func fstat(_ descriptor: Int32, _ status: UnsafeMutablePointer<stat>!) -> Int32 {
  var found = Glibc.stat()
  let result = Glibc.fstat(descriptor, &found)
  status.pointee = stat(found)
  return result
}

@discardableResult
public func fstatat(
  _ folder: Int32, _ path: UnsafePointer<CChar>!, _ status: UnsafeMutablePointer<stat>!, _ flag: Int32
) -> Int32 {
  var found = Glibc.stat()
  let result = Glibc.fstatat(folder, path, &found, flag)
  status.pointee = stat(found)
  return result
}

@discardableResult
public func fstatfs(_ descriptor: Int32, _ status: UnsafeMutablePointer<statfs>!) -> Int32 {
  var number: UInt64 = 0
  let result = clinux_file_system_number(descriptor, &number)
  status.pointee.f_fsid.val = (Int32(truncatingIfNeeded: number), Int32(truncatingIfNeeded: number >> 32))
  return result
}

@discardableResult
public func fstatvfs(_ descriptor: Int32, _ status: UnsafeMutablePointer<statvfs>!) -> Int32 {
  var found = Glibc.statvfs()
  let result = Glibc.fstatvfs(descriptor, &found)
  status.pointee.f_frsize = UInt(found.f_frsize)
  status.pointee.f_blocks = UInt32(clamping: found.f_blocks)
  status.pointee.f_bfree = UInt32(clamping: found.f_bfree)
  status.pointee.f_bavail = UInt32(clamping: found.f_bavail)
  return result
}

@discardableResult
public func openat(_ folder: Int32, _ path: UnsafePointer<CChar>, _ flags: Int32, _ mode: mode_t) -> Int32 {
  clinux_openat(folder, path, flags, UInt32(mode))
}

@discardableResult
public func close(_ descriptor: Int32) -> Int32 { Glibc.close(descriptor) }

/// `F_FULLFSYNC` alone; what it is asked for is counted, and refused where a test says so.
@discardableResult
public func fcntl(_ descriptor: Int32, _ command: Int32) -> Int32 {
  guard command == F_FULLFSYNC else {
    errno = EINVAL
    return -1
  }
  if let refusal = FullSync.refusal {
    errno = refusal
    return -1
  }
  FullSync.count += 1
  return Glibc.fsync(descriptor)
}

@discardableResult
public func fsync(_ descriptor: Int32) -> Int32 {
  FullSync.plainCount += 1
  return Glibc.fsync(descriptor)
}

@discardableResult
public func flock(_ descriptor: Int32, _ operation: Int32) -> Int32 { cdarwin_flock(descriptor, operation) }

@discardableResult
public func ftruncate(_ descriptor: Int32, _ length: off_t) -> Int32 { Glibc.ftruncate(descriptor, Int(length)) }

@discardableResult
public func futimens(_ descriptor: Int32, _ times: UnsafePointer<timespec>!) -> Int32 {
  Glibc.futimens(descriptor, times)
}

@discardableResult
public func read(_ descriptor: Int32, _ buffer: UnsafeMutableRawPointer!, _ count: Int) -> Int {
  Glibc.read(descriptor, buffer, count)
}

@discardableResult
public func write(_ descriptor: Int32, _ buffer: UnsafeRawPointer!, _ count: Int) -> Int {
  Glibc.write(descriptor, buffer, count)
}

@discardableResult
public func pread(_ descriptor: Int32, _ buffer: UnsafeMutableRawPointer!, _ count: Int, _ offset: off_t) -> Int {
  Glibc.pread(descriptor, buffer, count, Int(offset))
}

@discardableResult
public func pwrite(_ descriptor: Int32, _ buffer: UnsafeRawPointer!, _ count: Int, _ offset: off_t) -> Int {
  Glibc.pwrite(descriptor, buffer, count, Int(offset))
}

// MARK: Names

@discardableResult
public func rename(_ path: UnsafePointer<CChar>!, _ target: UnsafePointer<CChar>!) -> Int32 {
  Glibc.rename(path, target)
}

@discardableResult
public func renameat(
  _ folder: Int32, _ path: UnsafePointer<CChar>!, _ otherFolder: Int32, _ target: UnsafePointer<CChar>!
) -> Int32 {
  Glibc.renameat(folder, path, otherFolder, target)
}

/// Between names of one folder, with `RENAME_EXCL`.
@discardableResult
public func renameatx_np(
  _ folder: Int32, _ path: UnsafePointer<CChar>!, _ otherFolder: Int32, _ target: UnsafePointer<CChar>!,
  _ flags: UInt32
) -> Int32 {
  guard folder == otherFolder, flags == UInt32(RENAME_EXCL) else {
    errno = EINVAL
    return -1
  }
  return clinux_rename_in(folder, path, target)
}

@discardableResult
public func link(_ path: UnsafePointer<CChar>!, _ other: UnsafePointer<CChar>!) -> Int32 { Glibc.link(path, other) }

@discardableResult
public func linkat(
  _ folder: Int32, _ path: UnsafePointer<CChar>!, _ otherFolder: Int32, _ other: UnsafePointer<CChar>!, _ flags: Int32
) -> Int32 {
  Glibc.linkat(folder, path, otherFolder, other, flags)
}

@discardableResult
public func unlink(_ path: UnsafePointer<CChar>!) -> Int32 { Glibc.unlink(path) }

@discardableResult
public func unlinkat(_ folder: Int32, _ path: UnsafePointer<CChar>!, _ flag: Int32) -> Int32 {
  Glibc.unlinkat(folder, path, flag)
}

@discardableResult
public func rmdir(_ path: UnsafePointer<CChar>!) -> Int32 { Glibc.rmdir(path) }

@discardableResult
public func mkdir(_ path: UnsafePointer<CChar>!, _ mode: mode_t) -> Int32 { Glibc.mkdir(path, UInt32(mode)) }

@discardableResult
public func mkdirat(_ folder: Int32, _ path: UnsafePointer<CChar>!, _ mode: mode_t) -> Int32 {
  Glibc.mkdirat(folder, path, UInt32(mode))
}

public func mkdtemp(_ template: UnsafeMutablePointer<CChar>!) -> UnsafeMutablePointer<CChar>! {
  Glibc.mkdtemp(template)
}

public func realpath(
  _ path: UnsafePointer<CChar>!, _ resolved: UnsafeMutablePointer<CChar>!
) -> UnsafeMutablePointer<CChar>! {
  Glibc.realpath(path, resolved)
}

public func fdopendir(_ descriptor: Int32) -> DIR! { Glibc.fdopendir(descriptor) }

public func readdir(_ stream: DIR!) -> UnsafeMutablePointer<dirent>! { Glibc.readdir(stream) }

@discardableResult
public func closedir(_ stream: DIR!) -> Int32 { Glibc.closedir(stream) }

// MARK: Extended attributes

@discardableResult
public func fsetxattr(
  _ descriptor: Int32, _ name: UnsafePointer<CChar>!, _ value: UnsafeRawPointer!, _ size: Int, _ position: UInt32,
  _ options: Int32
) -> Int32 {
  clinux_set_attribute(descriptor, name, value, size)
}

@discardableResult
public func fgetxattr(
  _ descriptor: Int32, _ name: UnsafePointer<CChar>!, _ value: UnsafeMutableRawPointer!, _ size: Int,
  _ position: UInt32, _ options: Int32
) -> Int {
  clinux_attribute(descriptor, name, value, size)
}

@discardableResult
public func fremovexattr(_ descriptor: Int32, _ name: UnsafePointer<CChar>!, _ options: Int32) -> Int32 {
  clinux_remove_attribute(descriptor, name)
}
