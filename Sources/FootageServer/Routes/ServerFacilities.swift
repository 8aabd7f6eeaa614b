internal import FootageAPI
internal import FootageLibrary
internal import FootageSystem

/// What a server has once, and the handlers of all its loops work with.
struct ServerFacilities: Sendable {
  let library: RecordingLibrary
  /// As lists tell of it.
  let robot: RobotDescription
  /// Threads that may wait for the disk.
  let pool: ReadingPool
  /// Where views are made.
  let views: ViewQueue
  /// Where lists and timelines are made.
  let documents: DocumentQueue
  /// Where recordings are protected and released.
  let protection: ProtectionQueue
  /// How many of a viewer's requests may wait.
  let viewers = ViewerPlaces()
  /// Who is told of a change that came over HTTP.
  let delivery = SnapshotDelivery()
  let health: HealthMonitor
  let metrics: Metrics
  let log: Log
  /// Where the lines go that one viewer could fill a log with.
  let report: ConnectionReport
  let audit: AuditTrail
  /// How much of the disk one viewer may protect.
  var keepShare = RetentionRules.usualKeepShare
}
