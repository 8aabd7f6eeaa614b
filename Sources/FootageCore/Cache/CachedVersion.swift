internal import FootageBase
internal import FootageMedia
internal import FootageSystem
internal import Synchronization

/// A version that is open. It carries out what its state machine decides, for all of its readers.
///
/// It exists for as long as a playback, a reader or an unfinished commit uses it.
final class CachedVersion: Sendable {
  typealias Machine = VersionStateMachine

  /// The place in the store where the version's bytes are kept.
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
    /// The number of bytes that may be written before more room has to be requested.
    var allowance: UInt64 = 0
    /// The rate at which holes are filled, in bytes per second.
    var fillRate: Double?
    var timelineSearch = TimelineSearch.open
    /// True once a caller has asked for the state, which includes times in seconds.
    var isTimelineWanted = false
    /// The range that was missing in the last search for the time line.
    var timelineNeeds: Range<UInt64>?
    /// The film, once one was opened with an index. The time line is then read from it.
    var film: VersionFilm?
    var holds = 0
    /// The checksums of the received bytes that are not all claimed yet.
    var checksums: ReceivedChecksums
    /// The bytes that were claimed before this version was opened, and have not been compared with their checksums
    /// since.
    var unchecked: RangeSet
    /// The bytes that were found damaged and have not been received again.
    var damaged = RangeSet()
    var voided = VoidedRanges()
  }

  enum TimelineSearch { case open, running, over }

  let key: RecordingKey
  let version: RecordingVersion
  /// The place of the version's bytes; nil if nothing can be kept.
  let place: Place?
  /// The ranges that were claimed when the version was opened.
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

  /// Adds a hold, which keeps the version open. A new source replaces the previous one, because the robot may have a
  /// different address now.
  func hold(source: (any RangeSource)? = nil) {
    state.withLock { state in
      state.holds += 1
      guard let source else { return }
      state.source = source
      state.machine.openedAnew()
    }
  }

  /// Records the robot's answer about the recording.
  ///
  /// - Parameter error: nil if the robot has exactly this version.
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
    // A read that still waits under this number learns that the reader is closed.
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

  /// Returns when the background reader's range is cached.
  ///
  /// - Parameter durably: true to wait until the range is durable.
  func hold(_ id: Machine.ReaderID, durably: Bool) async throws(MediaCacheError) {
    switch await outcome(of: id, durably: durably) {
    case .done: return
    case .wait: throw .cancelled
    case .fail(let failure): throw error(failure)
    case .noRoom(let reason): throw .noRoom(key, reason: reason)
    }
  }

  /// Returns when the background reader's range is cached, or cannot be fetched.
  ///
  /// - Parameter durably: true to wait until the range is durable.
  /// - Returns: `.wait` if the task was canceled.
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

  /// Waits until the reader is woken or closed, or its task is canceled.
  func wait(_ id: Machine.ReaderID) async {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isToWait = state.withLock { state in
          // The reader may have been woken or cancelled before it began to wait.
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

  /// Reads bytes that are cached according to the state machine.
  ///
  /// - Returns: nil if the bytes could not be read. They are fetched again.
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

  /// Reads the first bytes of the range, up to the first that is not in memory or was not compared with its checksum.
  /// Never waits.
  func readImmediately(_ range: Range<UInt64>, into buffer: UnsafeMutableRawBufferPointer) -> Int {
    guard let place else { return 0 }
    let end = state.withLock { state in
      // Bytes that were found damaged since the machine reported them as available are no longer unchecked.
      guard state.machine.available.contains(range) else { return range.lowerBound }
      return state.unchecked.parts(in: range).first?.lowerBound ?? range.upperBound
    }
    let count = min(buffer.count, Int(end - range.lowerBound))
    guard count > 0 else { return 0 }
    // Safe because `count` is at most the buffer's size. The read that waits meets a failure again, and handles it.
    return
      (unsafe try? place.file.readImmediately(
        at: range.lowerBound, into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<count]))) ?? 0
  }

  /// Gives up a range that cannot be read. Its claim is withdrawn before the bytes are fetched again, because claimed
  /// bytes are never overwritten.
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

  /// - Parameter isAnew: true to use a new connection, because open ones may be broken.
  func open(_ range: Range<UInt64>, isAnew: Bool) async throws(FetchFailure) -> any RangeStream {
    let source = state.withLock { $0.source }
    return isAnew
      ? try await source.openAnew(range, of: key, version) : try await source.open(range, of: key, version)
  }

  /// Records whether a reader waits for the fetch that it made itself.
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

  /// Records that a reader's own fetch has failed.
  ///
  /// - Returns: the time to wait before the next attempt; nil if there is none.
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
