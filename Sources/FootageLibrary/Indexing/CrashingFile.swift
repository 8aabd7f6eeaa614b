/// A file that ended the process that read it.

internal import FootageSystem

/// It is not read again while it is what it was, and the program is.
struct CrashingFile: Equatable {
  let path: RelativePath
  let inode: UInt64
  /// In bytes.
  let size: UInt64
  let modifiedNanoseconds: Int64
  let reason: String
}

extension CrashingFile {
  init(path: RelativePath, version: FileVersion, reason: String) {
    self.init(
      path: path, inode: version.inode, size: version.size, modifiedNanoseconds: version.modifiedNanoseconds,
      reason: reason)
  }

  /// The device may have another number by now.
  func isOf(_ version: FileVersion) -> Bool {
    inode == version.inode && size == version.size && modifiedNanoseconds == version.modifiedNanoseconds
  }
}
