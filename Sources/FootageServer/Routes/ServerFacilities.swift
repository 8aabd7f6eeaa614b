internal import FootageAPI
internal import FootageBase

/// The objects that a server has once, wherever its recordings come from. The handlers of all its loops share them.
struct ServerFacilities: Sendable {
  /// The description of the robot in lists.
  let robot: RobotDescription
  /// The threads that may wait for the disk.
  let pool: ReadingPool
  /// The queue in which views are made.
  let views: ViewQueue
  /// The queue in which lists and timelines are made.
  let documents: DocumentQueue
  /// The limits on each viewer's waiting requests.
  let viewers = ViewerPlaces()
  let metrics: Metrics
  let log: Log
  /// The report for events that one viewer could repeat until the log is full.
  let report: ConnectionReport
  let audit: AuditTrail
}

extension ServerFacilities {
  /// - Parameter zone: the time zone of the machine, as lists name it.
  init(_ parts: ServerResources, _ settings: ServerSettings, zone: TimeZoneRules, _ metrics: Metrics) {
    self.init(
      robot: .ofThisMachine(name: settings.robotName, zone: zone.name), pool: parts.pool, views: parts.views,
      documents: parts.documents, metrics: metrics, log: parts.log, report: parts.connectionReport,
      audit: parts.audit)
  }
}
