package import FootageAPI

/// The store to which recordings are brought, and the limits for that.
package struct OffloadSettings: Sendable {
  package var address: StoreAddress
  package var key: StoreKey
  /// The policy by which the robot recognizes the store.
  package var trust: TrustPolicy
  /// The limit for sending, in bytes per second; nil for none.
  package var bytesPerSecond: UInt64?
  /// The size of the cache on this disk for what is read out of the store, in bytes.
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
