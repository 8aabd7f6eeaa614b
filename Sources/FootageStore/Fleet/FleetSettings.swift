/// Which robots' recordings are shown, and where they are.
package struct FleetSettings: Sendable {
  package var store: StoreConnection
  /// The file that says which robots there are, and by which keys.
  package var robots: String
  /// The folder of the index and the cache, which may be deleted while nobody serves.
  package var state: String
  /// Of what was read out of the store lately, in bytes.
  package var cacheBytes: UInt64

  package static let standardCacheBytes: UInt64 = 2 << 30

  package init(
    store: StoreConnection, robots: String, state: String, cacheBytes: UInt64 = FleetSettings.standardCacheBytes
  ) {
    self.store = store
    self.robots = robots
    self.state = state
    self.cacheBytes = cacheBytes
  }
}
