internal import FootageBase

/// A comparison of the contents of two files.
extension RandomAccessFile {
  /// Compares the files as they were when they were opened. Reads both completely, or up to the first difference;
  /// blocks.
  package func hasSameContent(as other: RandomAccessFile) throws(StorageError) -> Bool {
    let (version, otherVersion) = (openingStatus.version, other.openingStatus.version)
    guard version.size == otherVersion.size else { return false }
    if version.identity == otherVersion.identity { return true }
    var offset: UInt64 = 0
    while offset < version.size {
      let count = Int(min(version.size - offset, 1 << 18))
      guard try bytes(at: offset, count: count) == other.bytes(at: offset, count: count) else { return false }
      offset += UInt64(count)
    }
    return true
  }
}
