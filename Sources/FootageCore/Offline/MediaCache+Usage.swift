internal import FootageBase

/// The recordings on this device, and the room that they take.
extension MediaCache {
  /// The use of the cache's folder.
  public struct Usage: Hashable, Sendable {
    /// The number of bytes that are on disk, or for which room is reserved.
    public var usedBytes: UInt64
    /// The number of used bytes that are never removed to make room for others.
    public var keptBytes: UInt64
    /// The size that the folder may have.
    public var quota: StorageQuota
    /// The number of recordings that play without their robots.
    public var completeCount: Int
    /// The number of recordings with at least one cached byte.
    public var count: Int

    /// - Parameters:
    ///   - usedBytes: the number of bytes that are on disk, or for which room is reserved.
    ///   - keptBytes: the number of used bytes that are never removed to make room for others.
    ///   - quota: the size that the folder may have.
    ///   - completeCount: the number of recordings that play without their robots.
    ///   - count: the number of recordings with at least one cached byte.
    public init(usedBytes: UInt64, keptBytes: UInt64, quota: StorageQuota, completeCount: Int, count: Int) {
      self.usedBytes = usedBytes
      self.keptBytes = keptBytes
      self.quota = quota
      self.completeCount = completeCount
      self.count = count
    }
  }

  /// The use of the folder, as of now.
  public var usage: Usage {
    let (store, records) = (contents.store, contents.store?.records ?? [:])
    let kept = records.filter(\.value.isKept).keys
    return Usage(
      usedBytes: contents.usedBytes, keptBytes: kept.reduce(0) { $0.addingClamped(store?.heldBytes(of: $1) ?? 0) },
      quota: quota, completeCount: Set(records.values.filter(\.isComplete).map(\.key)).count,
      count: Set(records.values.map(\.key)).count)
  }

  /// The size that the folder may have. Versions that are kept count, and are never removed for it.
  public var quota: StorageQuota { .bytes(contents.quota) }

  /// Changes the size that the folder may have. If the folder holds more, whole versions are removed at once: outdated
  /// ones first, then those that were unused for longest. Versions that are kept or being played stay.
  ///
  /// - Throws: `.database` or `.folder` if a version cannot be removed. The new quota applies nevertheless.
  public func setQuota(_ quota: StorageQuota) throws(MediaCacheError) { try contents.setQuota(quota.bytes) }

  /// Returns the recordings that play without their robots, newest first. Those with an unknown start come last.
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
