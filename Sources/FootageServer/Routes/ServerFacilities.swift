internal import FootageAPI
internal import FootageBase

/// What a server has once, wherever its recordings come from, and the handlers of all its loops work with.
struct ServerFacilities: Sendable {
  /// As lists tell of it.
  let robot: RobotDescription
  /// Threads that may wait for the disk.
  let pool: ReadingPool
  /// Where views are made.
  let views: ViewQueue
  /// Where lists and timelines are made.
  let documents: DocumentQueue
  /// How many of a viewer's requests may wait.
  let viewers = ViewerPlaces()
  let metrics: Metrics
  let log: Log
  /// Where the lines go that one viewer could fill a log with.
  let report: ConnectionReport
  let audit: AuditTrail
}

extension ServerFacilities {
  /// - Parameter zone: of the machine, as lists name it.
  init(_ parts: ServerResources, _ settings: ServerSettings, zone: TimeZoneRules, _ metrics: Metrics) {
    self.init(
      robot: .ofThisMachine(name: settings.robotName, zone: zone.name), pool: parts.pool, views: parts.views,
      documents: parts.documents, metrics: metrics, log: parts.log, report: parts.connectionReport,
      audit: parts.audit)
  }
}
