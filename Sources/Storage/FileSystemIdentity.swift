/// Which file system something lies on.

internal import CLinux
internal import Glibc

/// The kernel's number of a device may be another after a disk was unplugged, and another disk's then; what a file system says
/// of itself (`f_fsid`, man 2 statfs) stays, where it says something.
package struct FileSystemIdentity: Hashable, Sendable {
  /// `st_dev`.
  package let device: UInt64
  /// 0 where the file system does not tell.
  package let number: UInt64

  package init(device: UInt64, number: UInt64) {
    self.device = device
    self.number = number
  }
}

extension OpenFolder {
  /// The file system that the folder is on. Calls `fstat` and `fstatfs`.
  package func fileSystem() throws(StorageError) -> FileSystemIdentity {
    var status = stat()
    var number: UInt64 = 0
    guard unsafe fstat(descriptor, &status) == 0, unsafe clinux_file_system_number(descriptor, &number) == 0 else {
      throw .system("look at", path)
    }
    return FileSystemIdentity(device: UInt64(status.st_dev), number: number)
  }

  /// What tells the folder itself from others. Calls `fstat`.
  package func identity() throws(StorageError) -> FileVersion {
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else { throw .system("look at", path) }
    return FileVersion(
      device: UInt64(status.st_dev), inode: UInt64(status.st_ino), size: 0, modifiedNanoseconds: 0)
  }
}
