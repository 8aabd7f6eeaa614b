internal import FootageStore
internal import FootageBase

/// The objects that a server of many robots has once, shared by the sources of all its loops.
struct FleetFacilities: Sendable {
  let server: ServerFacilities
  let index: FleetIndex
  let recordings: FleetRecordings
  /// The time zone of the times in the names of saved files.
  let zone: TimeZoneRules
  /// The threads that may wait for the store.
  let opening: ReadingPool
  let health: FleetHealth
}
