/// The robots whose recordings are shown, and the store that has them.
package struct FleetSettings: Sendable {
  package var store: StoreConnection
  /// The path of the file that lists the robots and their keys.
  package var robots: String
  /// The folder of the index and the cache. It may be deleted while no server runs.
  package var state: String
  /// The size in bytes of the cache for data that was recently read from the store.
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
