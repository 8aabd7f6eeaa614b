internal import FootageAnswers
internal import FootageBase
internal import FootageServing
internal import FootageSystem
internal import FootageTLS
internal import FootageAPI

/// A handler that answers requests on one loop of a server, and that the server calls for maintenance.
protocol ServedHandler: HTTPHandler {
  /// Does the work that is due every second. The server calls it once a second.
  func secondPassed()

  /// Applies these rules from now on, to waiting requests as well, unless newer rules have been applied before.
  func update(to rules: ViewerRules, generation: UInt64)
}

/// A server, independent of what it serves: its connections, its certificates, and the thread that maintains them.
final class ServerRuntime<Handler: ServedHandler> {
  let http: HTTPServer<Handler>
  let loops: [EventLoop]
  private let pool: ReadingPool
  private let views: ViewQueue
  private let documents: DocumentQueue
  private let protection: ProtectionQueue
  private let log: Log
  private let certificates: CertificateFolder
  private var certificateState: [FileVersion?]
  /// The last reason why the files on the disk could not be used, so that the same reason is logged only once.
  private var reloadFailure: String?
  /// The rights of viewers; nil if every viewer may see everything.
  private var viewerRules: ViewerRules?
  /// The generation of the rules, which increases with every change.
  private var rulesGeneration: UInt64 = 0
  private var viewersFailure: String?
  private let connectionReport: ConnectionReport
  private var peak = ConnectionPeak()
  let supervision: Supervision
  private let metrics: Metrics
  private let audit: AuditTrail
  /// A closure that receives the certificate in use, and the reason why the certificate on the disk cannot be used.
  private let note: (TLSServerContext?, String?) -> Void

  /// The time that running responses have to finish after the server was told to stop.
  private static var graceToFinish: Duration { .seconds(10) }
  /// The time that connections have to end after they were cut off. Reads from a disk that does not respond can delay
  /// them.
  private static var graceToEnd: Duration { .seconds(2) }

  /// - Parameters:
  ///   - makeHandler: called once for each loop.
  ///   - note: receives the certificate in use, and the reason why the certificate on the disk cannot be used. It is
  ///     called at once and at each change.
  init(
    _ parts: ServerResources, _ settings: ServerSettings, metrics: Metrics,
    noteCertificates note: @escaping (TLSServerContext?, String?) -> Void, makeHandler: () -> sending Handler
  ) {
    loops = parts.loops
    pool = parts.pool
    views = parts.views
    documents = parts.documents
    protection = parts.protection
    log = parts.log
    certificates = parts.certificates
    certificateState = parts.certificateState
    viewerRules = parts.rules
    connectionReport = parts.connectionReport
    supervision = parts.supervision
    audit = parts.audit
    self.metrics = metrics
    self.note = note
    note(parts.identity.context, nil)
    let report = parts.report
    http = HTTPServer(
      listening: parts.listeners, loops: loops, tls: parts.identity.context, limits: parts.limits,
      log: { report($0) }, makeHandler: { _ in makeHandler() })
    metrics.count { [weak http] in http?.connectionCount ?? 0 }
    if settings.clientAuthentication == .none, !settings.address.isLoopback {
      log(
        settings.isAuthenticationChosen ? .info : .warning,
        "everyone who can reach \(http.address) can watch the recordings: to require certificates, use --client-auth "
          + "require")
    }
  }

  /// Starts the loops' threads.
  func startLoops() throws(ServerError) {
    for loop in loops { try mapError(ServerError.networking, try loop.start()) }
  }

  /// Begins to accept connections.
  ///
  /// - Parameter subject: a description of what is served.
  func start(serving subject: String) {
    log(
      .info,
      "footage \(FootageVersion.number) listens on \(http.addresses.map(\.description).joined(separator: " and ")), and "
        + "serves \(subject)")
    if let pacing = http.limits.pacing { log(.info, "sending \(pacing)") }
    http.start()
  }

  /// Runs the closure on every loop, asynchronously.
  func onEachLoop(_ body: @escaping @Sendable (Handler) -> Void) {
    for worker in http.workers {
      Task(executorPreference: worker.loop) { await worker.update { body($0) } }
    }
  }

  /// Serves until a signal tells the process to stop. Blocks.
  ///
  /// - Parameter onSecond: called about once a second.
  func run(until signals: borrowing Signals, onSecond: () -> Void) {
    while true {
      switch signals.next(until: Clock.system.deadline(after: .seconds(1))) {
      case nil:
        lookAfterCertificates()
        connectionReport.flush()
        audit.flush()
        for (index, worker) in http.workers.enumerated() {
          metrics.lag.asked(index)
          Task(executorPreference: worker.loop) { [supervision, metrics] in
            await worker.update { $0.secondPassed() }
            metrics.lag.answered(index)
            supervision.loopAnswered(index)
          }
        }
        supervision.secondPassed()
        // Otherwise the process keeps the memory that a crowd of clients needed.
        if peak.hasPassed(leaving: http.connectionCount) { Process.giveBackMemory() }
        onSecond()
      case .hangUp: reload(isAsked: true)
      case .terminate, .interrupt: return
      }
    }
  }

  /// Stops the server. Blocks until all running responses have ended or have been cut off.
  ///
  /// - Parameter sources: stops the sources of the recordings, after the last client has been served.
  func stop(_ signals: borrowing Signals, sources: () -> Void) {
    log(.info, "stopping: running responses have \(Self.graceToFinish) to finish")
    let wakeUp = signals.wakeUp
    http.stop { wakeUp.signal() }
    waitForEnd(signals, Self.graceToFinish)
    if http.connectionCount > 0 { log(.warning, "connections that are cut off: \(http.connectionCount)") }
    http.abort()
    waitForEnd(signals, Self.graceToEnd)
    sources()
    // Nothing runs on the loops any more, so the tallies that they have not handed on yet can be collected.
    handOnTallies()
    audit.flush(all: true)
    for loop in loops { loop.stop() }
    views.stop()
    documents.stop()
    protection.stop()
    pool.stop()
    log(.info, "stopped")
  }

  /// Makes each loop pass its tallies to the audit trail, and waits until all loops have done so.
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

  /// Waits until all loops of the HTTP server have ended. Returns early at the end of the grace period, or when another
  /// signal tells the process to stop.
  private func waitForEnd(_ signals: borrowing Signals, _ grace: Duration) {
    let deadline = Clock.system.deadline(after: grace)
    while !http.isOver, Clock.system.now < deadline {
      if let signal = signals.next(until: deadline), signal != .hangUp { return }
    }
  }

  // MARK: Certificates

  /// Reloads changed certificates and rules. Called once a second.
  private func lookAfterCertificates() {
    // Key and certificate are two files. If only one of them has been replaced, both are read again a moment later.
    // Files that could not be read for another reason are retried too: they may contain a revocation that must take
    // effect.
    if certificates.state() != certificateState {
      reload()
    } else {
      if reloadFailure != nil { reloadCertificates() }
      if viewersFailure != nil { reloadViewers() }
    }
    http.judgeClientsByTime()
    http.currentTLS?.rotateTicketKeys()
  }

  /// Reloads certificates and rules independently of each other. A broken file of one kind must not delay the other
  /// kind, which may revoke a viewer's access.
  ///
  /// - Parameter isAsked: true if an operator requested the reload. Failures are then logged even if they have been
  ///   logged before.
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
      note(identity.context, nil)
      for warning in identity.warnings { log(.warning, warning) }
      log(.info, "certificates were reloaded: new connections use them, and open connections are checked against them")
    } catch {
      guard isAsked || error.description != reloadFailure else { return }
      reloadFailure = error.description
      note(http.currentTLS, error.description)
      log(.error, "the new certificates cannot be used, and the current ones stay in use: \(error)")
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
      log(.error, "the new viewer rules cannot be used, and the current ones stay in use: \(error)")
    }
  }

  /// Applies new rules, and cuts off running responses that a viewer has lost the right to.
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
      log(.info, "viewers.conf was reloaded: its \(rules.count) lines also apply to open connections")
    }
  }
}
