internal import FootageStore
internal import FootageBase

/// What a server of many robots has once, and the sources of all its loops work with.
struct FleetFacilities: Sendable {
  let server: ServerFacilities
  let index: FleetIndex
  let recordings: FleetRecordings
  /// Of the times in the names of files that are saved.
  let zone: TimeZoneRules
  /// Threads that may wait for the store.
  let opening: ReadingPool
  let health: FleetHealth
}
