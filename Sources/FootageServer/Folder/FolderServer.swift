package import FootageAPI
internal import FootageBase
internal import FootageServing
internal import FootageStore
package import FootageLibrary
package import FootageSystem
internal import FootageTLS

/// A robot's server: the library, and the services that use it, in a `ServerRuntime`.
package final class FolderServer {
  private let library: RecordingLibrary
  private let frame: ServerRuntime<LoopHandler<FolderSource>>
  private let log: Log
  private let health: HealthMonitor
  private var healthLog = HealthLog()
  /// The local status server; nil if no program on this machine could reach it.
  private let status: StatusServer?
  private let retention: RetentionRules
  /// The service that copies recordings to a store; nil if there is no store.
  private let offload: OffloadService?
  private let makesManifests: Bool

  /// Reads, checks and opens everything, and listens. It does not serve any client yet.
  ///
  /// - Parameter manager: the service manager, which is notified that the server is ready, alive and stopping.
  package init(
    _ settings: ServerSettings, log: Log, manager: ServiceManager? = nil
  ) throws(ServerError) {
    self.log = log
    retention = settings.retention
    makesManifests = settings.makesManifests
    // This must precede the library, which creates its state.
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
    parts.audit.nameFilms { [library] address in
      switch address {
      case .growing(let id): library.films.film(id)?.name
      case .version(let key, _): library.snapshot.recording(film: key)?.name
      }
    }
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
        health, metrics, offload: offload, local: LocalRoute(settings.shown, library, on: parts.documents),
        remaking: RemakingRoute(library, on: parts.documents, log: log), log: log)
    }
  }

  /// The address on which the server listens, with the actual port.
  package var address: SocketAddress { frame.http.address }

  /// The pin that apps need.
  package var pin: PublicKeyPin? { frame.http.currentTLS?.certificate.publicKeyPin }

  /// The newest snapshot of the library that is served.
  package var recordings: LibrarySnapshot { library.snapshot }

  /// Begins to accept connections, to scan the folder and to watch it.
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
      log(.info, "recordings are uploaded to \(offload.progress.report.store)")
    }
    do throws(SystemError) { try health.start() } catch { throw .system(error) }
    frame.supervision.serves()
  }

  /// Serves until a signal tells the process to stop, and then stops. Blocks.
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
