internal import FootageBase

/// What is on this device, and how much of it.
extension MediaCache {
  /// How much of the folder is used.
  public struct Usage: Hashable, Sendable {
    /// On disk, or about to be, in bytes.
    public var usedBytes: UInt64
    /// What of that never goes to make room for others.
    public var keptBytes: UInt64
    /// What it may be at most.
    public var quota: StorageQuota
    /// Recordings that play without their robots.
    public var completeCount: Int
    /// Recordings of which something is here.
    public var count: Int

    /// - Parameters:
    ///   - usedBytes: on disk, or about to be.
    ///   - keptBytes: what of that never goes to make room for others.
    ///   - quota: what it may be at most.
    ///   - completeCount: recordings that play without their robots.
    ///   - count: recordings of which something is here.
    public init(usedBytes: UInt64, keptBytes: UInt64, quota: StorageQuota, completeCount: Int, count: Int) {
      self.usedBytes = usedBytes
      self.keptBytes = keptBytes
      self.quota = quota
      self.completeCount = completeCount
      self.count = count
    }
  }

  /// How much of the folder is used, as of now.
  public var usage: Usage {
    let (store, records) = (contents.store, contents.store?.records ?? [:])
    let kept = records.filter(\.value.isKept).keys
    return Usage(
      usedBytes: contents.usedBytes, keptBytes: kept.reduce(0) { $0.addingClamped(store?.heldBytes(of: $1) ?? 0) },
      quota: quota, completeCount: Set(records.values.filter(\.isComplete).map(\.key)).count,
      count: Set(records.values.map(\.key)).count)
  }

  /// What the folder may hold; versions that are kept count, and are never removed for it.
  public var quota: StorageQuota { .bytes(contents.quota) }

  /// Changes what the folder may hold. Where it holds more, whole versions go at once, the one first that was unused for
  /// longest; those that are kept or being played stay.
  ///
  /// - Throws: `.database`, `.folder` where what is to go cannot be removed; the new quota holds all the same.
  public func setQuota(_ quota: StorageQuota) throws(MediaCacheError) { try contents.setQuota(quota.bytes) }

  /// The recordings that play without their robots, the newest first: those of which nobody knows when they began last.
  public func recordingsOnThisDevice() -> [Entry] {
    entries().filter(\.isComplete).sorted { one, other in
      switch (one.recording?.startedAt, other.recording?.startedAt) {
      case (let start?, let otherStart?) where start != otherStart: start > otherStart
      case (nil, _?): false
      case (_?, nil): true
      default: one.key < other.key
      }
    }
  }
}
