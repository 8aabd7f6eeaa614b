internal import FootageAnswers
internal import FootageBase
internal import FootageServing
internal import FootageSystem
internal import FootageTLS
internal import FootageAPI

/// Answers requests on one loop of a server that looks after it.
protocol ServedHandler: HTTPHandler {
  /// To be called once a second.
  func secondPassed()

  /// From now on these rules hold, for requests that wait as well, unless newer ones were heard of before.
  func update(to rules: ViewerRules, generation: UInt64)
}

/// A server, whatever it serves: its connections, its certificates, and the one thread that looks after them.
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
  /// Why the files that are there now cannot be used; what was said of it is not said again.
  private var reloadFailure: String?
  /// Who may see what; nil where everybody may see everything.
  private var viewerRules: ViewerRules?
  /// Goes up with every change of the rules.
  private var rulesGeneration: UInt64 = 0
  private var viewersFailure: String?
  private let connectionReport: ConnectionReport
  private var peak = ConnectionPeak()
  let supervision: Supervision
  private let metrics: Metrics
  private let audit: AuditTrail
  /// Told which certificate is in use, and why the one that lies there now is not.
  private let note: (TLSServerContext?, String?) -> Void

  /// How long running responses may take once the server was told to stop.
  private static var graceToFinish: Duration { .seconds(10) }
  /// How long what was cut off may take to end: a disk that hangs holds up whoever reads.
  private static var graceToEnd: Duration { .seconds(2) }

  /// - Parameters:
  ///   - makeHandler: called once for each loop.
  ///   - note: told which certificate is in use, and why the one that lies there now is not, at once and at each change.
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
        "everybody who reaches \(http.address) can watch the recordings: --client-auth require asks for certificates")
    }
  }

  /// Starts the loops' threads.
  func startLoops() throws(ServerError) {
    for loop in loops { try mapError(ServerError.networking, try loop.start()) }
  }

  /// Begins to accept.
  ///
  /// - Parameter subject: what is served, in words.
  func start(serving subject: String) {
    log(
      .info,
      "footage \(FootageVersion.number) listens on \(http.addresses.map(\.description).joined(separator: " and ")), and "
        + "serves \(subject)")
    if let pacing = http.limits.pacing { log(.info, "sending \(pacing)") }
    http.start()
  }

  /// Has every loop do something, at some time soon.
  func onEachLoop(_ body: @escaping @Sendable (Handler) -> Void) {
    for worker in http.workers {
      Task(executorPreference: worker.loop) { await worker.update { body($0) } }
    }
  }

  /// Serves until it is told to stop. Blocks.
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
        // What a crowd has needed stays with the process otherwise.
        if peak.hasPassed(leaving: http.connectionCount) { Process.giveBackMemory() }
        onSecond()
      case .hangUp: reload(isAsked: true)
      case .terminate, .interrupt: return
      }
    }
  }

  /// Ends it. Blocks until what runs is over, or has been cut off.
  ///
  /// - Parameter sources: ends what is served from, when nobody is served any more.
  func stop(_ signals: borrowing Signals, sources: () -> Void) {
    log(.info, "stopping: running responses have \(Self.graceToFinish) to finish")
    let wakeUp = signals.wakeUp
    http.stop { wakeUp.signal() }
    waitForEnd(signals, Self.graceToFinish)
    if http.connectionCount > 0 { log(.warning, "\(http.connectionCount) connections are cut off") }
    http.abort()
    waitForEnd(signals, Self.graceToEnd)
    sources()
    // What the loops had not handed on yet is theirs alone, now that nothing runs on them.
    handOnTallies()
    audit.flush(all: true)
    for loop in loops { loop.stop() }
    views.stop()
    documents.stop()
    protection.stop()
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
      note(identity.context, nil)
      for warning in identity.warnings { log(.warning, warning) }
      log(.info, "certificates were read again; new connections get them, and who is there is judged by them")
    } catch {
      guard isAsked || error.description != reloadFailure else { return }
      reloadFailure = error.description
      note(http.currentTLS, error.description)
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
