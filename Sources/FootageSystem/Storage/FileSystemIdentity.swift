/// Which file system something lies on.
///
/// The kernel's number of a device may be another after a disk was unplugged, and another disk's then; what a file
/// system says of itself (`f_fsid`, man 2 statfs) stays, where it says something.
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
    try StorageError.of("look at", path) { () throws(Errno) in
      FileSystemIdentity(device: try descriptor.status().version.device, number: try descriptor.fileSystemNumber())
    }
  }

  /// What tells the folder itself from others. Calls `fstat`.
  package func identity() throws(StorageError) -> FileVersion {
    let version = try StorageError.of("look at", path) { () throws(Errno) in try descriptor.status().version }
    return FileVersion(device: version.device, inode: version.inode, size: 0, modifiedNanoseconds: 0)
  }

  /// How much room there is on the file system that the folder is on. Calls `fstatvfs`; may block.
  package func space() throws(StorageError) -> FileSystemSpace {
    try StorageError.of("look at", path) { () throws(Errno) in try descriptor.space() }
  }
}
