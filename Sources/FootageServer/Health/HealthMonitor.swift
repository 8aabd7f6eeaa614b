internal import FootageAPI
internal import FootageBase
internal import FootageStore
internal import FootageLibrary
internal import Synchronization
internal import FootageSystem

/// Looks after how the robot is, on a thread of its own: no loop waits for a disk that does not answer, and what such a
/// disk holds up is told by the clock.
final class HealthMonitor: HealthReporting {
  /// What was found out last, and when.
  private struct State {
    var facts: HealthFacts?
    /// By the clock that deadlines go by, which stands still while the machine sleeps.
    var observed: Deadline
    /// The snapshot that the statistics are of, and when they were made.
    var statistics: LibraryStatistics?
    var generation: UInt64?
    var summed: Int64 = 0
    var certificateEnd: UnixTimestamp?
    var certificateFailure: String?
    /// Ends of the process that reads files, with when they were heard of.
    var restarts: [(moment: Int64, count: UInt64)] = [(.min / 2, 0)]
  }

  private let state: Mutex<State>
  private let library: RecordingLibrary
  private let clock: Clock
  private let built: UnixTimestamp
  private let worker = Worker("footage-health")
  /// How bringing recordings into the store goes; nil where they go nowhere.
  private let offload: OffloadProgress?
  /// How much of the disk one viewer may protect.
  private let keepShare: RetentionRules.Room

  /// Between two looks.
  private static let interval = Duration.seconds(3)
  /// Sums over all recordings are made anew after so long even where no recording has changed, in nanoseconds.
  private static let summingNanoseconds: Int64 = 60_000_000_000
  private static let hour: Int64 = 3_600_000_000_000

  /// - Parameter built: when this program was made, in seconds since 1970.
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

  /// Looks for the first time, and then every few seconds. Blocks no longer than the first look takes to begin.
  func start() throws(SystemError) {
    try worker.start { [self] in
      return { [self] in
        observe()
        worker.sleep(until: Clock.system.deadline(after: Self.interval))
      }
    }
  }

  /// Ends the thread when it can; nobody waits for it, for the disk may never answer.
  func stop() {
    worker.abandon()
  }

  /// - Parameters:
  ///   - end: of the certificate in use, in seconds since 1970.
  ///   - failure: why the certificates that lie there now cannot be used; nil where they can.
  func noteCertificates(end: Int64?, failure: String?) {
    state.withLock { state in
      state.certificateEnd = end.map { UnixTimestamp(seconds: $0) }
      state.certificateFailure = failure
    }
  }

  /// One look at everything. Blocks on the disk of the recordings.
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
      // The last one before the hour stays, to be counted from.
      while state.restarts.count > 1, state.restarts[1].moment < uptime - Self.hour { state.restarts.removeFirst() }
      var facts = HealthFacts(now: now, built: built, statistics: statistics)
      facts.space = space
      facts.indexerRestartsOfLastHour = restarts - (state.restarts.first?.count ?? 0)
      (state.facts, state.observed) = (facts, clock.now)
    }
  }

  /// What there is to judge by now. Waits for no disk.
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

  /// How the robot is now. Waits for no disk.
  var report: HealthReport { HealthReport(facts) }
}
