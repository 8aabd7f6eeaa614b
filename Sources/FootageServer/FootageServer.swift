internal import FootageAPI
internal import Formats
internal import HTTPTransport
internal import Networking
internal import Offload
package import RecordingLibrary
internal import Storage
package import System
internal import TLS
package import Trust

/// The server as a whole: library, certificates, loops, and the one thread that looks after them.
package final class FootageServer {
  private let library: RecordingLibrary
  private let http: HTTPServer<RecordingHandler>
  private let loops: [EventLoop]
  private let pool: BlockingPool
  private let views: ViewQueue
  private let log: Log
  private let certificates: CertificateFolder
  private var certificateState: [FileVersion?]
  /// Why the files that are there now cannot be used; what was said of it is not said again.
  private var reloadFailure: String?
  /// Who may see what; nil where everybody may see everything.
  private var viewerRules: ViewerRules?
  /// Goes up with every change of the rules.
  private var rulesGeneration: UInt64 = 0
  private var viewersFailure: String?
  private let connectionReport: ConnectionReport
  private var peak = ConnectionPeak()
  private let supervision: Supervision
  private let health: HealthMonitor
  private let metrics: Metrics
  private let audit: AuditTrail
  private var healthLog = HealthLog()
  /// Nil where nobody on this machine could ask.
  private let status: StatusServer?
  /// By which manifests of this robot are signed, and were.
  private let signingKeys: SigningKeys
  private let retention: RetentionRules
  /// Nil where recordings go to no store.
  private let offload: OffloadService?
  private let makesManifests: Bool

  /// Threads that may wait for the disk.
  private static let blockingThreads = 2
  /// How long running responses may take once the server was told to stop.
  private static let graceToFinish = Duration.seconds(10)
  /// How long what was cut off may take to end: a disk that hangs holds up whoever reads.
  private static let graceToEnd = Duration.seconds(2)

  /// Reads, checks and opens everything, and listens; nobody is served yet.
  ///
  /// - Parameter manager: who is told that it serves, lives and stops.
  package init(
    _ settings: ServerSettings, log: Log, manager: ServiceManager? = nil
  ) throws(ServerError) {
    self.log = log
    retention = settings.retention
    makesManifests = settings.makesManifests
    certificates = CertificateFolder(
      path: settings.certificates, clientAuthentication: settings.clientAuthentication,
      worksWithoutRevocationList: settings.worksWithoutRevocationList)
    certificateState = certificates.state()
    let identity = try mapError(ServerError.certificates, try certificates.load(for: .now))
    let rules = try mapError(ServerError.certificates, try certificates.viewerRules(hadRules: false))
    viewerRules = rules
    for warning in identity.warnings { log(.warning, warning) }
    // Before the library makes its state: a server that cannot start leaves nothing behind.
    let listeners = try mapError(
      ServerError.networking,
      try ListeningSocket.listen(at: settings.address, unsentLimit: settings.limits.unsentLimit))
    do throws(LibraryError) {
      library = try RecordingLibrary(
        recordings: settings.recordings, state: settings.state, role: .server, naming: settings.naming
      ) { event in
        log(LogLevel(event.level), event.description)
      }
    } catch { throw .library(error) }
    var loops: [EventLoop] = []
    for _ in 0..<settings.threads { loops.append(try mapError(ServerError.networking, try EventLoop())) }
    self.loops = loops
    supervision = Supervision(manager, loops: loops.count, log: log)
    let budget = DescriptorBudget(
      limit: ResourceLimits.openFiles, used: Self.descriptorCount(), wantedConnections: settings.limits.connections,
      loops: loops.count)
    var limits = settings.limits
    limits.connections = budget.connections
    if budget.connections < settings.limits.connections {
      log(
        .warning,
        "only \(budget.connections) connections are let in at a time, since this process may open no more than "
          + "\(ResourceLimits.openFiles) files: raise ulimit -Hn for more")
    }
    let pool = try mapError(ServerError.system, try BlockingPool(threadCount: Self.blockingThreads))
    let views = try mapError(ServerError.system, try ViewQueue(limit: budget.views))
    self.pool = pool
    self.views = views
    let report = RateLimitedLog(log)
    connectionReport = ConnectionReport(log)
    let keys = SigningKeys(folder: settings.certificates, present: identity.context.certificate.publicKeyPin)
    signingKeys = keys
    let offload: OffloadService?
    if let store = settings.offload {
      do throws(OffloadError) {
        offload = try OffloadService(store, of: library, pins: { keys.all }) { event in
          log(LogLevel(event.level), event.description)
        }
      } catch { throw .offload(error) }
    } else {
      offload = nil
    }
    self.offload = offload
    let health = HealthMonitor(library, offload: offload?.board)
    self.health = health
    let metrics = Metrics(health, offload: offload?.board, loops: loops.count)
    self.metrics = metrics
    audit = AuditTrail(log)
    health.noteCertificates(end: identity.context.certificate.notAfter, failure: nil)
    let facilities = ServerFacilities(
      library: library, robot: .ofThisMachine(name: settings.robotName, zone: library.naming.zone.name), pool: pool,
      views: views, health: health, metrics: metrics, log: log, report: connectionReport, audit: audit)
    let loopCount = loops.count
    http = HTTPServer(
      listening: listeners, loops: loops, tls: identity.context, limits: limits,
      log: { report($0) },
      makeHandler: { _ in
        RecordingHandler(
          facilities, loops: loopCount, openFiles: budget.recordingsPerLoop, rules: rules,
          origins: settings.allowedOrigins, accessLog: settings.accessLog)
      })
    facilities.delivery.begin { [weak http] snapshot in
      for worker in http?.workers ?? [] { await worker.update { $0.update(to: snapshot) } }
    }
    status = try StatusServer.make(
      at: StatusSocket.ofServer(), and: settings.statusPlace, on: loops, log: log
    ) { StatusHandler(health, metrics, offload: offload) }
    metrics.count { [weak http] in http?.connectionCount ?? 0 }
    if settings.clientAuthentication == .none, !settings.address.isLoopback {
      log(
        settings.isAuthenticationChosen ? .info : .warning,
        "everybody who reaches \(http.address) can watch the recordings: --client-auth require asks for certificates")
    }
  }

  /// How many descriptors this process has.
  private static func descriptorCount() -> Int {
    ((try? FolderListing.entries(of: "/proc/self/fd")) ?? []).count
  }

  /// Where it listens, with the port that was really given.
  package var address: SocketAddress { http.address }

  /// What an app has to pin.
  package var pin: PublicKeyPin? { http.currentTLS?.certificate.publicKeyPin }

  /// The library that is served.
  package var recordings: LibrarySnapshot { library.snapshot }

  /// Begins to accept, to scan and to watch.
  package func start() throws(ServerError) {
    for loop in loops { try mapError(ServerError.networking, try loop.start()) }
    log(
      .info,
      "footage \(FootageVersion.number) listens on \(http.addresses.map(\.description).joined(separator: " and ")), and "
        + "serves \(library.place.recordings)")
    log(.info, library.naming.words)
    if let pacing = http.limits.pacing { log(.info, "sending \(pacing)") }
    http.start()
    status?.start()
    let workers = http.workers
    library.films.onGrowth {
      for worker in workers {
        Task(executorPreference: worker.loop) { await worker.update { $0.filmsHaveGrown() } }
      }
    }
    do throws(LibraryError) {
      try library.start { [offload] snapshot in
        offload?.lookAgain()
        for worker in workers {
          Task(executorPreference: worker.loop) { await worker.update { $0.update(to: snapshot) } }
        }
      }
      if let words = retention.words { log(.info, words) }
      try library.makeRoom(by: retention)
      try library.makeManifests(always: makesManifests) { [weak http] () throws(ManifestSigningFailure) in
        try ManifestSigner(of: http?.currentTLS)
      }
    } catch { throw .library(error) }
    if let offload {
      do throws(OffloadError) { try offload.start() } catch { throw .offload(error) }
      log(.info, "recordings are brought to \(offload.board.status.store)")
    }
    do throws(SystemError) { try health.start() } catch { throw .system(error) }
    supervision.serves()
  }

  /// Serves until it is told to stop, and then stops. Blocks.
  ///
  /// - Parameter onIdle: called about once a second.
  package func run(until signals: borrowing Signals, onIdle: () -> Void) {
    while true {
      switch signals.next(until: Clock.system.deadline(after: .seconds(1))) {
      case nil:
        lookAfterCertificates()
        connectionReport.flush()
        audit.flush()
        for line in healthLog.lines(for: health.report, at: log.clock.now) { log(.warning, line) }
        for (index, worker) in http.workers.enumerated() {
          metrics.lag.asked(index)
          Task(executorPreference: worker.loop) { [supervision, metrics] in
            await worker.update { $0.secondPassed() }
            metrics.lag.answered(index)
            supervision.loopAnswered(index)
          }
        }
        supervision.secondPassed()
        // What a crowd has needed stays with the process otherwise.
        if peak.hasPassed(leaving: http.connectionCount) { Process.giveBackMemory() }
        onIdle()
      case .hangUp: reload(isAsked: true)
      case .terminate, .interrupt: return stop(signals)
      }
    }
  }

  private func stop(_ signals: borrowing Signals) {
    supervision.stops()
    health.stop()
    status?.stop()
    log(.info, "stopping: running responses have \(Self.graceToFinish) to finish")
    let wakeUp = signals.wakeUp
    http.stop { wakeUp.signal() }
    waitForEnd(signals, Self.graceToFinish)
    if http.connectionCount > 0 { log(.warning, "\(http.connectionCount) connections are cut off") }
    http.abort()
    waitForEnd(signals, Self.graceToEnd)
    offload?.stop()
    library.stop()
    // What the loops had not handed on yet is theirs alone, now that nothing runs on them.
    handOnTallies()
    audit.flush(all: true)
    for loop in loops { loop.stop() }
    views.stop()
    pool.stop()
    log(.info, "stopped")
  }

  /// Has each loop hand on what came together on it, and waits for that.
  private func handOnTallies() {
    let done = Semaphore()
    for worker in http.workers {
      Task(executorPreference: worker.loop) {
        await worker.update { $0.secondPassed() }
        done.signal()
      }
    }
    let deadline = Clock.system.deadline(after: Self.graceToEnd)
    for _ in http.workers where !done.wait(until: deadline) { return }
  }

  /// Waits until nothing of the HTTP server runs any more; not for longer than that, nor than until it is told again to
  /// stop.
  private func waitForEnd(_ signals: borrowing Signals, _ grace: Duration) {
    let deadline = Clock.system.deadline(after: grace)
    while !http.isOver, Clock.system.now < deadline {
      if let signal = signals.next(until: deadline), signal != .hangUp { return }
    }
  }

  // MARK: Certificates

  /// Once a second.
  private func lookAfterCertificates() {
    // Key and certificate are two files: what is half there now is whole a moment later, and looked at again then. And
    // what could not be read for another reason may be read now: somebody who was revoked is waiting for that.
    if certificates.state() != certificateState {
      reload()
    } else {
      if reloadFailure != nil { reloadCertificates() }
      if viewersFailure != nil { reloadViewers() }
    }
    http.judgeClientsByTime()
    http.currentTLS?.rotateTicketKeys()
  }

  /// Each by itself: where one is broken, the other must not wait for it, for it may shut somebody out.
  ///
  /// - Parameter isAsked: whether a person waits for the answer, who hears again what was said before.
  private func reload(isAsked: Bool = false) {
    certificateState = certificates.state()
    reloadCertificates(isAsked: isAsked)
    reloadViewers(isAsked: isAsked)
  }

  private func reloadCertificates(isAsked: Bool = false) {
    do throws(CertificateFolder.Failure) {
      let identity = try certificates.load(for: .now, succeeding: http.currentTLS)
      reloadFailure = nil
      http.replace(tls: identity.context)
      signingKeys.note(identity.context.certificate.publicKeyPin)
      health.noteCertificates(end: identity.context.certificate.notAfter, failure: nil)
      for warning in identity.warnings { log(.warning, warning) }
      log(.info, "certificates were read again; new connections get them, and who is there is judged by them")
    } catch {
      guard isAsked || error.description != reloadFailure else { return }
      reloadFailure = error.description
      health.noteCertificates(end: http.currentTLS?.certificate.notAfter, failure: error.description)
      log(.error, "the certificates in use stay, since the new ones cannot be used: \(error)")
    }
  }

  private func reloadViewers(isAsked: Bool = false) {
    do throws(CertificateFolder.Failure) {
      let rules = try certificates.viewerRules(hadRules: viewerRules != nil)
      viewersFailure = nil
      guard let rules, rules != viewerRules else { return }
      replace(rules, succeeding: viewerRules)
    } catch {
      guard isAsked || error.description != viewersFailure else { return }
      viewersFailure = error.description
      log(.error, "who may see what stays as it was, since the new rules cannot be used: \(error)")
    }
  }

  /// Whoever gets something that they may not have any more is cut off in the middle of it.
  private func replace(_ rules: ViewerRules, succeeding former: ViewerRules?) {
    viewerRules = rules
    rulesGeneration += 1
    let (workers, log, generation) = (http.workers, log, rulesGeneration)
    guard let first = workers.first else { return }
    Task(executorPreference: first.loop) {
      for worker in workers {
        await worker.update {
          $0.update(to: rules, generation: generation)
        } cuttingOff: { client in
          Access.viewer(rules.rights(of: client)).lacks(
            anythingOf: former.map { .viewer($0.rights(of: client)) } ?? .everything)
        }
      }
      log(.info, "viewers.conf was read again; its lines (\(rules.count)) hold for who is there as well")
    }
  }
}

extension LogLevel {
  init(_ level: LibraryEvent.Level) {
    self =
      switch level {
      case .debug: .debug
      case .info: .info
      case .warning: .warning
      case .error: .error
      }
  }
}
