/// The room on a file system, in bytes.
package struct FileSystemSpace: Hashable, Sendable {
  /// The free bytes for users other than the superuser.
  package let freeBytes: UInt64
  package let totalBytes: UInt64
  /// All unused bytes, including those reserved for the superuser; at least `freeBytes`. Their number shows if a
  /// deletion has freed anything.
  package let unusedBytes: UInt64

  /// - Parameter unusedBytes: nil if they equal `freeBytes`.
  package init(freeBytes: UInt64, totalBytes: UInt64, unusedBytes: UInt64? = nil) {
    self.freeBytes = freeBytes
    self.totalBytes = totalBytes
    self.unusedBytes = max(freeBytes, unusedBytes ?? freeBytes)
  }

  /// True if only the bytes reserved for the superuser are unused. A deletion first refills this reserve; `freeBytes`
  /// grows only after that.
  package var isReserveInUse: Bool { freeBytes == 0 && unusedBytes > 0 }
}

extension UInt64 {
  /// Returns the product, or the largest number if the product overflows.
  func multipliedClamped(by other: UInt64) -> UInt64 {
    let (product, overflows) = multipliedReportingOverflow(by: other)
    return overflows ? .max : product
  }
}
