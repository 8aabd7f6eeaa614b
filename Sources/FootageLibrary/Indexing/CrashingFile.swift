/// A file that crashed the process that was reading it, or exceeded its limits.

internal import FootageSystem

/// A file that crashed the process that was reading it, or exceeded its limits. It is not read again until the file or
/// the program changes.
struct CrashingFile: Equatable {
  let path: RelativePath
  let inode: UInt64
  /// The size in bytes.
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

  /// Returns whether this is the same version. The device is ignored, because its number may have changed.
  func isOf(_ version: FileVersion) -> Bool {
    inode == version.inode && size == version.size && modifiedNanoseconds == version.modifiedNanoseconds
  }
}
