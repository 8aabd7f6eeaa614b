package import FootageStore
package import FootageAPI
package import FootageBase
internal import FootageServing
internal import FootageLibrary
internal import Synchronization
package import FootageSystem
internal import FootageTLS

/// A server of many robots: the index and the store, in a `ServerRuntime`.
package final class FleetServer {
  private let service: FleetService
  private let frame: ServerRuntime<LoopHandler<FleetSource>>
  private let log: Log
  private let pool: ReadingPool
  /// The threads on which recordings are opened. They may wait for the store.
  private let opening: ReadingPool
  private let health: FleetHealth
  private var healthLog = HealthLog()
  /// The local status server; nil if no program on this machine could reach it.
  private let status: StatusServer?

  /// Reads, checks and opens everything, and listens. It does not serve any client or query the store yet.
  ///
  /// - Parameters:
  ///   - zone: the time zone of the times in the names of files that viewers save.
  ///   - manager: the service manager, which is notified that the server is ready, alive and stopping.
  package init(
    _ settings: ServerSettings, _ fleet: FleetSettings, zone: TimeZoneRules, log: Log, manager: ServiceManager? = nil
  ) throws(ServerError) {
    self.log = log
    // This must precede the service, which creates its state.
    let parts = try ServerResources(settings, log: log, manager: manager)
    pool = parts.pool
    let service: FleetService
    do throws(FleetError) {
      service = try FleetService(fleet) { event in log(LogLevel(event.level), event.text) }
    } catch { throw .fleet(error) }
    self.service = service
    parts.audit.nameFilms { [index = service.index] address in
      guard case .version(let key, _) = address else { return nil }
      // Without the index, the line has the address itself.
      return (try? index.row(film: key, now: UnixTimestamp(milliseconds: 0)))?.name
    }
    let opening = try mapError(
      ServerError.system, try ReadingPool(threadCount: FleetService.openingThreads, name: "footage-store"))
    self.opening = opening
    let health = FleetHealth(service.index, service.progress)
    self.health = health
    let metrics = Metrics(loops: parts.loops.count) { cameras, text in
      FleetMetrics.write(
        service.index, service.progress.status, fetchedBytes: service.fetchedBytes, of: cameras, into: &text)
      HealthMetrics.write(health.report(seenBy: cameras), certificateEnd: health.certificateEnd, into: &text)
    }
    let facilities = FleetFacilities(
      server: ServerFacilities(parts, settings, zone: zone, metrics), index: service.index,
      recordings: service.recordings, zone: zone, opening: opening, health: health)
    frame = ServerRuntime(
      parts, settings, metrics: metrics,
      noteCertificates: { context, failure in
        health.noteCertificates(end: context?.certificate.notAfter, failure: failure)
      },
      makeHandler: { FleetSource.makeHandler(facilities, LoopFacilities.Settings(parts, settings)) })
    status = try StatusServer.make(
      at: StatusSocket.ofServer(), and: settings.statusPlace, on: parts.loops, log: log
    ) { StatusHandler(health, metrics, local: LocalRoute(settings.shown, nil, on: parts.documents), log: log) }
  }

  /// The address on which the server listens, with the actual port.
  package var address: SocketAddress { frame.http.address }

  /// The pin that apps need.
  package var pin: PublicKeyPin? { frame.http.currentTLS?.certificate.publicKeyPin }

  /// Begins to accept connections, and to check the store for new recordings.
  package func start() throws(ServerError) {
    try frame.startLoops()
    frame.start(serving: "\(service.progress.status.robots) robots from \(service.progress.status.store)")
    status?.start()
    let (workers, index, pool) = (frame.http.workers, service.index, pool)
    do throws(FleetError) {
      try service.start {
        for worker in workers {
          Task(executorPreference: worker.loop) {
            let open = Mutex<[OpenVersion]>([])
            await worker.update { handler in
              handler.source.indexChanged()
              open.withLock { $0 = handler.source.openVersions }
            }
            let held = open.withLock { $0 }
            guard !held.isEmpty else { return }
            let gone = await pool.run(for: nil) { Self.gone(of: held, index) }
            await worker.update { $0.source.close(gone) }
          }
        }
      }
    } catch { throw .fleet(error) }
    frame.supervision.serves()
  }

  /// Returns the versions that are no longer in the index; an empty set if the index cannot be read.
  private static func gone(of held: [OpenVersion], _ index: FleetIndex) -> Set<OpenVersion> {
    Set(
      held.filter { version in
        guard let name = String(validating: version.name, as: UTF8.self) else { return false }
        // An index that cannot be read says nothing.
        guard let isThere = try? index.has(name, version: VersionTag(text: version.tag)) else { return false }
        return !isThere
      })
  }

  /// Serves until a signal tells the process to stop, and then stops. Blocks.
  package func run(until signals: borrowing Signals) {
    frame.run(until: signals) {
      for line in healthLog.lines(for: health.report, at: log.clock.now) { log(.warning, line) }
    }
    frame.supervision.stops()
    status?.stop()
    frame.stop(signals) {
      service.stop()
      opening.stop()
    }
  }
}
