internal import FootageAnswers
internal import FootageBase
internal import FootageServing
internal import FootageSystem
internal import FootageTLS

/// The resources that a server needs whatever it serves: certificates, listening sockets, loops and threads.
struct ServerResources {
  let certificates: CertificateFolder
  let certificateState: [FileVersion?]
  /// The certificate to present, and the rules that decide which clients are admitted.
  let identity: CertificateFolder.Contents
  /// The rights of viewers; nil if every viewer may see everything.
  let rules: ViewerRules?
  let listeners: [ListeningSocket]
  let loops: [EventLoop]
  let supervision: Supervision
  let budget: DescriptorBudget
  /// The transport limits, with fewer connections if this process may open too few files.
  let limits: TransportLimits
  /// The threads that may wait for the disk.
  let pool: ReadingPool
  let views: ViewQueue
  let documents: DocumentQueue
  let protection: ProtectionQueue
  let report: RateLimitedLog
  let connectionReport: ConnectionReport
  let audit: AuditTrail
  let log: Log

  /// The number of threads that may wait for the disk.
  private static let blockingThreads = 2

  /// Reads, checks and opens everything, and then listens. If this fails, everything is closed again.
  init(_ settings: ServerSettings, log: Log, manager: ServiceManager?) throws(ServerError) {
    self.log = log
    certificates = CertificateFolder(
      path: settings.certificates, clientAuthentication: settings.clientAuthentication,
      worksWithoutRevocationList: settings.worksWithoutRevocationList)
    certificateState = certificates.state()
    identity = try mapError(ServerError.certificates, try certificates.load(for: .now))
    rules = try mapError(ServerError.certificates, try certificates.viewerRules(hadRules: false))
    for warning in identity.warnings { log(.warning, warning) }
    listeners = try mapError(
      ServerError.networking,
      try ListeningSocket.listen(at: settings.address, unsentLimit: settings.limits.unsentLimit))
    var loops: [EventLoop] = []
    for _ in 0..<settings.threads { loops.append(try mapError(ServerError.networking, try EventLoop())) }
    self.loops = loops
    supervision = Supervision(manager, loops: loops.count, log: log)
    budget = DescriptorBudget(
      limit: ResourceLimits.openFiles, used: Self.descriptorCount(), wantedConnections: settings.limits.connections,
      loops: loops.count)
    var limits = settings.limits
    limits.connections = budget.connections
    self.limits = limits
    if budget.connections < settings.limits.connections {
      log(
        .warning,
        "only \(budget.connections) connections are accepted at a time, because this process may open at most "
          + "\(ResourceLimits.openFiles) files: raise ulimit -Hn to allow more")
    }
    pool = try mapError(ServerError.system, try ReadingPool(threadCount: Self.blockingThreads, name: "footage-disk"))
    views = try mapError(ServerError.system, try ViewQueue(limit: budget.views))
    documents = try mapError(ServerError.system, try DocumentQueue())
    protection = try mapError(ServerError.system, try ProtectionQueue())
    report = RateLimitedLog(log)
    connectionReport = ConnectionReport(log)
    audit = AuditTrail(log)
  }

  /// Returns the number of descriptors that this process has.
  private static func descriptorCount() -> Int {
    ((try? FolderListing.entries(of: "/proc/self/fd")) ?? []).count
  }
}
