/// How much room a file system has, in bytes.
package struct FileSystemSpace: Hashable, Sendable {
  /// For those who are no superuser.
  package let freeBytes: UInt64
  package let totalBytes: UInt64

  package init(freeBytes: UInt64, totalBytes: UInt64) {
    self.freeBytes = freeBytes
    self.totalBytes = totalBytes
  }
}

extension UInt64 {
  /// The product, or the largest number where that is larger.
  func multipliedClamped(by other: UInt64) -> UInt64 {
    let (product, overflows) = multipliedReportingOverflow(by: other)
    return overflows ? .max : product
  }
}
