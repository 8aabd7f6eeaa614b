internal import FootageStore
internal import FootageAPI
internal import FootageBase
internal import FootageSystem

/// What a server of many robots has once, and the handlers of all its loops work with.
struct FleetFacilities: Sendable {
  let index: FleetIndex
  let recordings: FleetRecordings
  /// As lists tell of it.
  let robot: RobotDescription
  /// Of the times in the names of files that are saved.
  let zone: TimeZoneRules
  /// Threads that may wait for the disk.
  let pool: ReadingPool
  /// Threads that may wait for the store.
  let opening: ReadingPool
  /// Where views are made.
  let views: ViewQueue
  /// Where lists and timelines are made.
  let documents: DocumentQueue
  /// How many of a viewer's requests may wait.
  let viewers = ViewerPlaces()
  let health: FleetHealth
  let metrics: Metrics
  let log: Log
  /// Where the lines go that one viewer could fill a log with.
  let report: ConnectionReport
  let audit: AuditTrail
}
