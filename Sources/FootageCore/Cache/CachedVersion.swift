internal import FootageBase
internal import FootageMedia
internal import FootageSystem
internal import Synchronization

/// One version that is open: carries out what its state machine decides, for all of its readers.
///
/// Lives for as long as a playback, a reader or an unfinished commit does.
final class CachedVersion: Sendable {
  typealias Machine = VersionStateMachine

  /// Where its bytes are kept.
  struct Place: Sendable {
    let id: Int64
    let file: any CacheFile
  }

  struct State {
    var machine: Machine
    var source: any RangeSource
    var waiting: [Machine.ReaderID: CheckedContinuation<Void, Never>] = [:]
    var fetching: [Machine.FetchID: Task<Void, Never>] = [:]
    var committer: Task<Void, Never>?
    var keeper: Task<Void, Never>?
    var observers: [UInt64: AsyncStream<PlaybackState>.Continuation] = [:]
    var nextObserver: UInt64 = 0
    var lastShown: PlaybackState?
    /// Bytes that may be written before room has to be asked for again.
    var allowance: UInt64 = 0
    /// Bytes a second for hole filling.
    var fillRate: Double?
    var timelineSearch = TimelineSearch.open
    /// Whether somebody has asked for a state, which speaks of seconds.
    var isTimelineWanted = false
    /// What the last search lacked.
    var timelineNeeds: Range<UInt64>?
    /// The film, once one was opened by an index: then the time line is read from that.
    var film: VersionFilm?
    var holds = 0
    /// Of what was received and is not all claimed.
    var checksums: ReceivedChecksums
    /// Claimed before this version was opened, and not compared with its checksums since.
    var unchecked: RangeSet
    /// What was found damaged, and has not come again.
    var damaged = RangeSet()
    var voided = VoidedRanges()
  }

  enum TimelineSearch { case open, running, over }

  let key: RecordingKey
  let version: RecordingVersion
  /// Nil where nothing can be kept.
  let place: Place?
  /// What was claimed when it was opened.
  let fragments: [ChecksummedRange]
  let limits: MediaCacheLimits
  let clock: Clock
  let store: any VersionStore
  let disk: CacheDisk
  let syncer: CacheDisk
  let state: Mutex<State>

  init(
    _ key: RecordingKey, _ version: RecordingVersion, place: Place?, problem: FileFailure?,
    fragments: [ChecksummedRange],
    checksums: ReceivedChecksums? = nil, source: any RangeSource, store: any VersionStore, disk: CacheDisk,
    syncer: CacheDisk, limits: MediaCacheLimits,
    clock: Clock
  ) {
    self.key = key
    self.version = version
    self.place = place
    self.fragments = fragments
    self.store = store
    self.disk = disk
    self.syncer = syncer
    self.limits = limits
    self.clock = clock
    let durable = RangeSet(fragments.map(\.range))
    let machine = Machine(length: version.length, durable: durable, limits: limits, problem: problem)
    let checksums =
      checksums ?? ReceivedChecksums(fragmentBytes: limits.fragmentBytes, blockBytes: limits.checksumBytes)
    state = Mutex(State(machine: machine, source: source, checksums: checksums, unchecked: durable))
  }

  // MARK: Holding

  /// A later source takes the place of the one before it: the same robot at another address, say.
  func hold(source: (any RangeSource)? = nil) {
    state.withLock { state in
      state.holds += 1
      guard let source else { return }
      state.source = source
      state.machine.openedAnew()
    }
  }

  /// What the robot says of the recording; nil where it has this very version.
  func robotSaid(_ error: RobotError?) {
    act { state, now in state.machine.robotSaid(error, now: now) }
    publish()
  }

  func release() {
    act { state, _ in
      state.holds -= 1
      return []
    }
  }

  var isHeld: Bool { state.withLock { $0.holds > 0 } }

  func addReader(_ use: FetchPriority, _ range: Range<UInt64>, fillRate: Double? = nil) -> Machine.ReaderID {
    var id: Machine.ReaderID = 0
    act { state, now in
      if use == .fill {
        state.fillRate = fillRate
        state.machine.setFilling(isPaced: fillRate != nil)
      }
      let (reader, actions) = state.machine.add(use, range, now: now)
      id = reader
      return actions
    }
    return id
  }

  func removeReader(_ id: Machine.ReaderID) {
    act { state, now in state.machine.remove(id, now: now) }
    // Who still waits under this number learns that it is closed.
    let waiting = state.withLock { $0.waiting.removeValue(forKey: id) }
    waiting?.resume()
  }

  var readAhead: ReadAhead { state.withLock { $0.machine.readAhead } }

  func setReadAhead(_ readAhead: ReadAhead) { act { state, now in state.machine.setReadAhead(readAhead, now: now) } }

  // MARK: Reading

  func decideRead(_ id: Machine.ReaderID, at offset: UInt64, count: Int) -> Machine.ReadDecision {
    var decision = Machine.ReadDecision.wait
    act { state, now in
      let (decided, actions) = state.machine.read(id, at: offset, count: count, now: now)
      decision = decided
      return actions
    }
    return decision
  }

  /// Returns when the background reader's range is here.
  func hold(_ id: Machine.ReaderID, durably: Bool) async throws(MediaCacheError) {
    switch await outcome(of: id, durably: durably) {
    case .done: return
    case .wait: throw .cancelled
    case .fail(let failure): throw error(failure)
    case .noRoom(let reason): throw .noRoom(key, reason: reason)
    }
  }

  /// Returns when the background reader's range is here, or will not be.
  ///
  /// - Returns: `.wait` where the task was cancelled.
  func outcome(of id: Machine.ReaderID, durably: Bool) async -> Machine.HoldDecision {
    var decision = Machine.HoldDecision.wait
    while !Task.isCancelled {
      act { state, now in
        let (decided, actions) = state.machine.hold(id, durably: durably, now: now)
        decision = decided
        return actions
      }
      guard decision == .wait else { return decision }
      await wait(id)
    }
    return .wait
  }

  /// Until the reader is woken, closed, or its task cancelled.
  func wait(_ id: Machine.ReaderID) async {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isToWait = state.withLock { state in
          // It may have been woken, or cancelled, before it fell asleep.
          guard state.machine.isWaiting(id), !Task.isCancelled else { return false }
          state.waiting[id] = continuation
          return true
        }
        if !isToWait { continuation.resume() }
      }
    } onCancel: {
      let waiting = state.withLock { $0.waiting.removeValue(forKey: id) }
      waiting?.resume()
    }
  }

  /// Bytes that the state machine said are here.
  ///
  /// - Returns: nil where they could not be read after all; they are fetched again.
  func readLocally(_ range: Range<UInt64>) async -> [UInt8]? {
    guard let place, await check(range, in: place.file) else { return nil }
    let count = Int(range.upperBound - range.lowerBound)
    do throws(StorageError) {
      return try await disk.read(place.file, at: range.lowerBound, count: count)
    } catch {
      await lost(range, FileFailure(error))
      return nil
    }
  }

  /// What of the range is in memory, and was compared with its checksums; never waits.
  func readImmediately(_ range: Range<UInt64>, into buffer: UnsafeMutableRawBufferPointer) -> Int {
    guard let place else { return 0 }
    let end = state.withLock { state in
      // What was found damaged since the machine said that it is here is unchecked no more.
      guard state.machine.available.contains(range) else { return range.lowerBound }
      return state.unchecked.parts(in: range).first?.lowerBound ?? range.upperBound
    }
    let count = min(buffer.count, Int(end - range.lowerBound))
    guard count > 0 else { return 0 }
    // Safe because `count` is at most the buffer's. A failure shows again, and is dealt with, in the read that waits.
    return
      (unsafe try? place.file.readImmediately(
        at: range.lowerBound, into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<count]))) ?? 0
  }

  /// The claim goes before the bytes are fetched again: what is claimed is never written over.
  func lost(_ range: Range<UInt64>, _ reason: FileFailure) async {
    beginVoiding(range)
    let unclaimed = await store.unclaim(range, of: self)
    act { state, now in
      state.voided.end(range)
      for range in (unclaimed ?? []) + [range] { state.forget(range) }
      return state.machine.readFailed(range, reason, unclaimed: unclaimed, now: now)
    }
  }

  func error(_ failure: FetchFailure) -> MediaCacheError {
    switch failure {
    case .passing(let error): .unreachable(key, error)
    case .replaced(let error): .replaced(key, error)
    case .final(.cache(let error)): error
    case .final(.cancelled): .cancelled
    case .final(let error): .refused(key, error)
    }
  }

  // MARK: Past the cache

  /// - Parameter isAnew: on a new connection, since those that are open may be dead.
  func open(_ range: Range<UInt64>, isAnew: Bool) async throws(FetchFailure) -> any RangeStream {
    let source = state.withLock { $0.source }
    return isAnew
      ? try await source.openAnew(range, of: key, version) : try await source.open(range, of: key, version)
  }

  /// A reader's own fetch is waited for, or no longer.
  func setWaiting(_ id: Machine.ReaderID, _ isWaiting: Bool) {
    act { state, now in
      state.machine.setWaiting(id, isWaiting, now: now)
      return []
    }
  }

  func passed(_ count: Int) {
    act { state, now in
      state.machine.passed(count, now: now)
      return []
    }
  }

  /// A reader's own fetch has failed.
  ///
  /// - Returns: how long to wait before the next try; nil where there is none.
  func failedDirectly(_ failure: FetchFailure) -> Duration? {
    var pause: Duration?
    act { state, now in
      let actions = state.machine.failed(failure, random: .random(in: 0...1), now: now)
      pause = state.machine.outage.map { max(.zero, $0.due - now) }
      return actions
    }
    return pause
  }
}
