/// How much room a file system has, in bytes.
package struct FileSystemSpace: Hashable, Sendable {
  /// For those who are no superuser.
  package let freeBytes: UInt64
  package let totalBytes: UInt64
  /// All that holds nothing, also what is reserved for the superuser: at least as much as `freeBytes`. It tells whether
  /// a deletion has freed anything.
  package let unusedBytes: UInt64

  /// - Parameter unusedBytes: nil for as much as is free.
  package init(freeBytes: UInt64, totalBytes: UInt64, unusedBytes: UInt64? = nil) {
    self.freeBytes = freeBytes
    self.totalBytes = totalBytes
    self.unusedBytes = max(freeBytes, unusedBytes ?? freeBytes)
  }

  /// Whether only the superuser can write any more, who is using what is reserved: what is freed shows in `freeBytes`
  /// only once all of that is given back.
  package var isReserveInUse: Bool { freeBytes == 0 && unusedBytes > 0 }
}

extension UInt64 {
  /// The product, or the largest number where that is larger.
  func multipliedClamped(by other: UInt64) -> UInt64 {
    let (product, overflows) = multipliedReportingOverflow(by: other)
    return overflows ? .max : product
  }
}
