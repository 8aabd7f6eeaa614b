package import FootageAPI

/// Where recordings are brought, and how.
package struct OffloadSettings: Sendable {
  package var address: StoreAddress
  package var key: StoreKey
  /// Whom the robot takes for the store.
  package var trust: TrustPolicy
  /// What goes up in a second at most, in bytes; nil for as much as it goes.
  package var bytesPerSecond: UInt64?
  /// How much of what is read out of the store is kept on this disk, in bytes.
  package var cacheBytes: UInt64
  /// The first part of this robot's keys.
  package var robot: String
  /// The latest time that is known to be past, in seconds since 1970, for a clock that was never set.
  package var earliestNow: Int64

  package static let usualCacheBytes: UInt64 = 2_000_000_000

  package init(
    address: StoreAddress, key: StoreKey, trust: TrustPolicy, bytesPerSecond: UInt64? = nil,
    cacheBytes: UInt64 = usualCacheBytes, robot: String,
    earliestNow: Int64 = .min
  ) {
    self.address = address
    self.key = key
    self.trust = trust
    self.bytesPerSecond = bytesPerSecond
    self.cacheBytes = cacheBytes
    self.robot = robot
    self.earliestNow = earliestNow
  }
}
