package import FootageAPI

/// The store to which recordings are copied, and the limits for copying.
package struct OffloadSettings: Sendable {
  package var address: StoreAddress
  package var key: StoreKey
  /// The policy by which the robot recognizes the store.
  package var trust: TrustPolicy
  /// The limit for sending, in bytes per second; nil for none.
  package var bytesPerSecond: UInt64?
  /// The size in bytes of the cache on this disk for data that is read from the store.
  package var cacheBytes: UInt64
  /// The robot's name in the store, with which its objects' keys begin.
  package var robot: String
  /// The earliest possible present, in seconds since 1970: the time when the program was built. If the clock shows an
  /// earlier time, certificates are checked as of this time.
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
