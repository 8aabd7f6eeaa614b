package import FootageAPI
internal import FootageBase
internal import FootageServing
internal import FootageStore
package import FootageLibrary
package import FootageSystem
internal import FootageTLS

/// A robot's server as a whole: the library and what is made of it, within the frame that every server has.
package final class FolderServer {
  private let library: RecordingLibrary
  private let frame: ServerRuntime<LoopHandler<FolderSource>>
  private let log: Log
  private let health: HealthMonitor
  private var healthLog = HealthLog()
  /// Nil where nobody on this machine could ask.
  private let status: StatusServer?
  private let retention: RetentionRules
  /// Nil where recordings go to no store.
  private let offload: OffloadService?
  private let makesManifests: Bool

  /// Reads, checks and opens everything, and listens; nobody is served yet.
  ///
  /// - Parameter manager: who is told that it serves, lives and stops.
  package init(
    _ settings: ServerSettings, log: Log, manager: ServiceManager? = nil
  ) throws(ServerError) {
    self.log = log
    retention = settings.retention
    makesManifests = settings.makesManifests
    // Before the library makes its state.
    let parts = try ServerResources(settings, log: log, manager: manager)
    let library: RecordingLibrary
    do throws(LibraryError) {
      library = try RecordingLibrary(
        recordings: settings.recordings, state: settings.state, role: .server, naming: settings.naming
      ) { event in
        log(LogLevel(event.level), event.description)
      }
    } catch { throw .library(error) }
    self.library = library
    let keys = SigningKeys(
      folder: settings.certificates, present: parts.identity.context.certificate.publicKeyPin)
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
    let health = HealthMonitor(library, offload: offload?.progress, keepShare: settings.keepShare)
    self.health = health
    let metrics = Metrics(health, offload: offload?.progress, loops: parts.loops.count)
    let facilities = FolderFacilities(
      server: ServerFacilities(parts, settings, zone: library.naming.zone, metrics), library: library,
      protection: parts.protection, health: health, keepShare: settings.keepShare)
    frame = ServerRuntime(
      parts, settings, metrics: metrics,
      noteCertificates: { context, failure in
        keys.note(context?.certificate.publicKeyPin)
        health.noteCertificates(end: context?.certificate.notAfter, failure: failure)
      },
      makeHandler: { FolderSource.makeHandler(facilities, LoopFacilities.Settings(parts, settings)) })
    facilities.delivery.begin { [weak http = frame.http] snapshot in
      for worker in http?.workers ?? [] { await worker.update { $0.source.update(to: snapshot) } }
    }
    status = try StatusServer.make(
      at: StatusSocket.ofServer(), and: settings.statusPlace, on: parts.loops, log: log
    ) {
      StatusHandler(
        health, metrics, offload: offload, local: LocalRoute(settings.shown, library, on: parts.documents), log: log)
    }
  }

  /// Where it listens, with the port that was really given.
  package var address: SocketAddress { frame.http.address }

  /// What an app has to pin.
  package var pin: PublicKeyPin? { frame.http.currentTLS?.certificate.publicKeyPin }

  /// The library that is served.
  package var recordings: LibrarySnapshot { library.snapshot }

  /// Begins to accept, to scan and to watch.
  package func start() throws(ServerError) {
    try frame.startLoops()
    frame.start(serving: library.place.recordings)
    log(.info, library.naming.words)
    status?.start()
    let workers = frame.http.workers
    library.films.onGrowth {
      for worker in workers {
        Task(executorPreference: worker.loop) { await worker.update { $0.source.filmsHaveGrown() } }
      }
    }
    do throws(LibraryError) {
      try library.start { [offload] snapshot in
        offload?.lookAgain()
        for worker in workers {
          Task(executorPreference: worker.loop) { await worker.update { $0.source.update(to: snapshot) } }
        }
      }
      if let words = retention.words { log(.info, words) }
      try library.makeRoom(by: retention)
      try library.makeManifests(always: makesManifests) { [weak http = frame.http] () throws(ManifestSigningFailure) in
        try ManifestSigner(of: http?.currentTLS)
      }
    } catch { throw .library(error) }
    if let offload {
      do throws(OffloadError) { try offload.start() } catch { throw .offload(error) }
      log(.info, "recordings are brought to \(offload.progress.report.store)")
    }
    do throws(SystemError) { try health.start() } catch { throw .system(error) }
    frame.supervision.serves()
  }

  /// Serves until it is told to stop, and then stops. Blocks.
  ///
  /// - Parameter onIdle: called about once a second.
  package func run(until signals: borrowing Signals, onIdle: () -> Void) {
    frame.run(until: signals) {
      for line in healthLog.lines(for: health.report, at: log.clock.now) { log(.warning, line) }
      onIdle()
    }
    frame.supervision.stops()
    health.stop()
    status?.stop()
    frame.stop(signals) {
      library.stopMakingRoom()
      offload?.stop()
      library.stop()
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
