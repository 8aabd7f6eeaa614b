/// An amount of storage, in bytes.
public struct StorageQuota: Hashable, Sendable {
  /// The amount in bytes.
  public let bytes: UInt64

  /// Returns an amount that is exact to the byte.
  public static func bytes(_ count: UInt64) -> StorageQuota { StorageQuota(bytes: count) }

  /// Returns an amount in megabytes of 1,000,000 bytes.
  public static func megabytes(_ count: UInt64) -> StorageQuota { StorageQuota(count, of: 1_000_000) }

  /// Returns an amount in gigabytes of 1,000,000,000 bytes.
  public static func gigabytes(_ count: UInt64) -> StorageQuota { StorageQuota(count, of: 1_000_000_000) }

  private init(bytes: UInt64) { self.bytes = bytes }

  private init(_ count: UInt64, of unit: UInt64) {
    let (bytes, isOver) = count.multipliedReportingOverflow(by: unit)
    self.bytes = isOver ? .max : bytes
  }
}
