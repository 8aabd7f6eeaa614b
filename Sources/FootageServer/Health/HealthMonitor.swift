internal import FootageAPI
internal import FootageBase
internal import FootageStore
internal import FootageLibrary
internal import Synchronization
internal import FootageSystem

/// An observer of the robot's health on a separate thread, so that no loop waits for a disk that does not respond. The
/// age of the last observation shows how long the disk has not responded.
final class HealthMonitor: HealthReporting {
  /// The results of the last observation, and its time.
  private struct State {
    var facts: HealthFacts?
    /// The time of the observation by the monotonic clock of deadlines, which stops while the machine sleeps.
    var observed: Deadline
    /// The statistics. The two following properties hold the generation of their snapshot and the time when they were
    /// made.
    var statistics: LibraryStatistics?
    var generation: UInt64?
    var summed: Int64 = 0
    var certificateEnd: UnixTimestamp?
    var certificateFailure: String?
    /// How often the process that reads files ended, with the times when that was noticed.
    var restarts: [(moment: Int64, count: UInt64)] = [(.min / 2, 0)]
  }

  private let state: Mutex<State>
  private let library: RecordingLibrary
  private let clock: Clock
  private let built: UnixTimestamp
  private let worker = Worker("footage-health")
  /// The progress of copying recordings to the store; nil if there is no store.
  private let offload: OffloadProgress?
  /// The share of the disk that one viewer may protect.
  private let keepShare: RetentionRules.Room

  /// The time between two observations.
  private static let interval = Duration.seconds(3)
  /// The time after which statistics are recomputed even if no recording has changed, in nanoseconds.
  private static let summingNanoseconds: Int64 = 60_000_000_000
  private static let hour: Int64 = 3_600_000_000_000

  /// - Parameter built: the time when this program was built, in seconds since 1970.
  init(
    _ library: RecordingLibrary, offload: OffloadProgress? = nil,
    keepShare: RetentionRules.Room = RetentionRules.usualKeepShare, clock: Clock = .system,
    built: Int64 = Process.buildSeconds
  ) {
    self.library = library
    self.keepShare = keepShare
    self.offload = offload
    self.clock = clock
    self.built = UnixTimestamp(seconds: built)
    state = Mutex(State(observed: clock.now))
  }

  /// Starts the thread that observes at once and then every few seconds. Blocks only until the thread has started.
  func start() throws(SystemError) {
    try worker.start { [self] in
      return { [self] in
        observe()
        worker.sleep(until: Clock.system.deadline(after: Self.interval))
      }
    }
  }

  /// Tells the thread to end, and does not wait for it, because the disk may never respond.
  func stop() {
    worker.abandon()
  }

  /// - Parameters:
  ///   - end: the expiry of the certificate in use, in seconds since 1970.
  ///   - failure: the reason why the certificates on the disk cannot be used; nil if they can.
  func noteCertificates(end: Int64?, failure: String?) {
    state.withLock { state in
      state.certificateEnd = end.map { UnixTimestamp(seconds: $0) }
      state.certificateFailure = failure
    }
  }

  /// Observes everything once. May block on the disk of the recordings.
  func observe() {
    let space = try? library.space()
    let snapshot = library.snapshot
    let now = UnixTimestamp(nanoseconds: clock.unixNanoseconds)
    let uptime = clock.uptimeNanoseconds
    let known = state.withLock { state in
      state.generation == snapshot.generation && uptime - state.summed < Self.summingNanoseconds
        ? state.statistics : nil
    }
    let statistics = known ?? LibraryStatistics(snapshot, at: now)
    let restarts = library.condition.indexerRestarts
    state.withLock { state in
      if known == nil { (state.statistics, state.generation, state.summed) = (statistics, snapshot.generation, uptime) }
      if state.restarts.last?.count != restarts { state.restarts.append((uptime, restarts)) }
      // The last count from before the hour stays, as the base for the difference.
      while state.restarts.count > 1, state.restarts[1].moment < uptime - Self.hour { state.restarts.removeFirst() }
      var facts = HealthFacts(now: now, built: built, statistics: statistics)
      facts.space = space
      facts.indexerRestartsOfLastHour = restarts - (state.restarts.first?.count ?? 0)
      (state.facts, state.observed) = (facts, clock.now)
    }
  }

  /// The current facts. The getter never waits for a disk.
  var facts: HealthFacts {
    let now = UnixTimestamp(nanoseconds: clock.unixNanoseconds)
    let (known, observed, end, failure) = state.withLock {
      ($0.facts, $0.observed, $0.certificateEnd, $0.certificateFailure)
    }
    var facts =
      known ?? HealthFacts(now: now, built: built, statistics: LibraryStatistics(LibrarySnapshot(), at: now))
    facts.now = now
    facts.library = library.condition
    facts.recordingCount = library.snapshot.count
    let retention = library.retention
    facts.makesRoom = retention.isOn
    facts.forecastSeconds = (retention.forecast?.seconds).map { Int64($0) }
    facts.retentionFailure = retention.failure
    facts.isRetentionShort = retention.isShort
    if let lost = retention.lostAt {
      let seconds = (clock.uptimeNanoseconds - lost) / 1_000_000_000
      if seconds < HealthLimits.lossSeconds { facts.lostUnstored = (seconds, retention.lostRecordings) }
    }
    facts.offloadTroubles = offload?.report.troubles ?? []
    facts.keepLimit = facts.space.map { keepShare.bytes(of: $0.totalBytes) }
    facts.certificateEnd = end
    facts.certificateFailure = failure
    facts.silentDiskSeconds = clock.elapsed(since: observed).components.seconds
    return facts
  }

  /// The current health of the robot. The getter never waits for a disk.
  var report: HealthReport { HealthReport(facts) }
}
