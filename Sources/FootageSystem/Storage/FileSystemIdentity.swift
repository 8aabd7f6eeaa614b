/// The identity of a file system.
///
/// The kernel's number of a device may change after a disk was unplugged, and may then belong to another disk. The
/// identifier that a file system gives itself (`f_fsid`, man 2 statfs) does not change, but not every file system has
/// one.
package struct FileSystemIdentity: Hashable, Sendable {
  /// The device number, `st_dev`.
  package let device: UInt64
  /// The identifier that the file system gives itself; 0 if it has none.
  package let number: UInt64

  package init(device: UInt64, number: UInt64) {
    self.device = device
    self.number = number
  }
}

extension OpenFolder {
  /// Returns the identity of the folder's file system. Calls `fstat` and `fstatfs`.
  package func fileSystem() throws(StorageError) -> FileSystemIdentity {
    try StorageError.of("examine", path) { () throws(Errno) in
      FileSystemIdentity(device: try descriptor.status().version.device, number: try descriptor.fileSystemNumber())
    }
  }

  /// Returns the identity of the folder itself, as a version without size and time. Calls `fstat`.
  package func identity() throws(StorageError) -> FileVersion {
    let version = try StorageError.of("examine", path) { () throws(Errno) in try descriptor.status().version }
    return FileVersion(device: version.device, inode: version.inode, size: 0, modifiedNanoseconds: 0)
  }

  /// Returns the room on the folder's file system. Calls `fstatvfs`; may block.
  package func space() throws(StorageError) -> FileSystemSpace {
    try StorageError.of("examine", path) { () throws(Errno) in try descriptor.space() }
  }
}
