/// One version that is open: carries out what its state machine decides, for all of its readers.

internal import ISOMedia
internal import Storage
internal import Synchronization

/// Lives for as long as a playback, a reader or an unfinished commit does.
final class CachedVersion: Sendable {
  typealias Machine = VersionStateMachine

  /// Where its bytes are kept.
  struct Place: Sendable {
    let id: Int64
    let file: any CacheFile
  }

  private struct State {
    var machine: Machine
    var source: any FragmentSource
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
    var timeline: MovieTimeline?
    var timelineSearch = TimelineSearch.open
    /// What the last search lacked.
    var timelineNeeds: Range<UInt64>?
    var holds = 0
  }

  private enum TimelineSearch { case open, running, over }

  let key: RecordingKey
  let version: RecordingVersion
  /// Nil where nothing can be kept.
  let place: Place?
  let limits: MediaCacheLimits
  let clock: CacheClock
  private let cache: MediaCache
  private let disk: CacheDisk
  private let syncer: CacheDisk
  private let state: Mutex<State>

  init(
    _ key: RecordingKey, _ version: RecordingVersion, place: Place?, problem: String?, durable: RangeSet,
    source: any FragmentSource, cache: MediaCache, disk: CacheDisk, syncer: CacheDisk, limits: MediaCacheLimits,
    clock: CacheClock
  ) {
    self.key = key
    self.version = version
    self.place = place
    self.cache = cache
    self.disk = disk
    self.syncer = syncer
    self.limits = limits
    self.clock = clock
    let machine = Machine(length: version.length, durable: durable, limits: limits, problem: problem)
    state = Mutex(State(machine: machine, source: source))
  }

  // MARK: Holding

  /// A later source takes the place of the one before it: the same robot at another address, say.
  func hold(source: (any FragmentSource)? = nil) {
    state.withLock { state in
      state.holds += 1
      if let source { state.source = source }
    }
  }

  func release() {
    act { state, _ in
      state.holds -= 1
      return []
    }
  }

  var isHeld: Bool { state.withLock { $0.holds > 0 } }

  func addReader(_ use: Use, _ range: Range<UInt64>, fillRate: Double? = nil) -> Machine.ReaderID {
    var id: Machine.ReaderID = 0
    act { state, now in
      if let fillRate { state.fillRate = fillRate }
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
    while true {
      guard !Task.isCancelled else { throw .cancelled }
      var decision = Machine.HoldDecision.wait
      act { state, now in
        let (decided, actions) = state.machine.hold(id, durably: durably, now: now)
        decision = decided
        return actions
      }
      switch decision {
      case .done: return
      case .wait: await wait(id)
      case .fail(let failure): throw error(failure)
      case .noRoom(let reason): throw .noRoom(key, reason: reason)
      }
    }
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
    guard let place else { return nil }
    let count = Int(range.upperBound - range.lowerBound)
    do throws(StorageError) {
      return try await disk.read(place.file, at: range.lowerBound, count: count)
    } catch {
      await lost(range, error.description)
      return nil
    }
  }

  /// What of the range is in memory; never waits.
  func readImmediately(_ range: Range<UInt64>, into buffer: UnsafeMutableRawBufferPointer) -> Int {
    guard let place else { return 0 }
    let count = min(buffer.count, Int(range.upperBound - range.lowerBound))
    // Safe because `count` is at most the buffer's. A failure shows again, and is dealt with, in the read that waits.
    return
      (unsafe try? place.file.readImmediately(
        at: range.lowerBound, into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<count]))) ?? 0
  }

  private func lost(_ range: Range<UInt64>, _ reason: String) async {
    act { state, now in state.machine.readFailed(range, reason, now: now) }
    await unclaim(range)
  }

  /// Bytes that turned out not to be those that were received: they are fetched again.
  func drop(_ range: Range<UInt64>) {
    act { state, now in state.machine.dropped(range, now: now) }
  }

  private func unclaim(_ range: Range<UInt64>) async {
    let unclaimed = await cache.unclaim(range, of: self)
    act { state, _ in
      state.machine.unclaimed(unclaimed)
      return []
    }
  }

  func error(_ failure: FetchFailure) -> MediaCacheError {
    switch failure {
    case .passing(let reason): .unreachable(key, reason: reason)
    case .replaced(let reason): .replaced(key, reason: reason)
    case .final(let reason): .refused(key, reason: reason)
    }
  }

  // MARK: Past the cache

  func open(_ range: Range<UInt64>) async throws(FetchFailure) -> any FragmentStream {
    let source = state.withLock { $0.source }
    return try await source.open(range, of: key, version)
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
      pause = state.machine.trouble.map { max(.zero, $0.due - now) }
      return actions
    }
    return pause
  }

  // MARK: Acting

  /// Lets the state machine decide, and does what it says.
  private func act(_ decide: (inout State, Duration) -> [Machine.Action]) {
    let now = clock.now()
    var woken: [CheckedContinuation<Void, Never>] = []
    var stopped: [Task<Void, Never>] = []
    state.withLock { state in
      for action in decide(&state, now) {
        switch action {
        case .start(let id, let range, let isPaced):
          let source = state.source
          let pace = isPaced ? state.fillRate : nil
          state.fetching[id] = Task { await self.fetch(id, range, from: source, pace: pace) }
        case .stop(let id):
          if let task = state.fetching.removeValue(forKey: id) { stopped.append(task) }
        case .wake(let id):
          if let continuation = state.waiting.removeValue(forKey: id) { woken.append(continuation) }
        case .commit:
          if state.committer == nil { state.committer = Task { await self.commit() } }
        }
      }
      if state.keeper == nil, !(state.machine.isAtRest && state.holds > 0) {
        state.keeper = Task { await self.keep() }
      }
    }
    // Neither may run under the lock: both run code of others at once.
    for task in stopped { task.cancel() }
    for continuation in woken { continuation.resume() }
  }

  private func fetch(
    _ id: Machine.FetchID, _ range: Range<UInt64>, from source: any FragmentSource, pace: Double?
  ) async {
    var failure: FetchFailure?
    do throws(FetchFailure) {
      let stream = try await source.open(range, of: key, version)
      while let bytes = try await stream.next() {
        guard await take(bytes, id) else { break }
        if let pace, pace > 0 { await clock.sleep(.seconds(Double(bytes.count) / pace)) }
      }
    } catch {
      failure = error
    }
    act { state, now in
      state.fetching[id] = nil
      return state.machine.ended(id, failure, random: .random(in: 0...1), now: now)
    }
  }

  /// - Returns: whether the fetch is to go on.
  private func take(_ bytes: [UInt8], _ id: Machine.FetchID) async -> Bool {
    guard let arrival = state.withLock({ $0.machine.arrived(id, count: bytes.count) }) else { return false }
    guard let place else { return false }
    let count = arrival.new.reduce(UInt64(0)) { $0 + ($1.upperBound - $1.lowerBound) }
    if let problem = await room(for: count) {
      act { state, now in state.machine.storingFailed(problem, now: now) }
      return false
    }
    return await disk.perform { self.store(bytes, id, in: place.file) }
  }

  /// On the disk's thread, so that between the look at what is missing and its being there nobody else writes: bytes that
  /// are claimed are never written over.
  private func store(_ bytes: [UInt8], _ id: Machine.FetchID, in file: any CacheFile) -> Bool {
    guard let arrival = state.withLock({ $0.machine.arrived(id, count: bytes.count) }) else { return false }
    let start = arrival.range.lowerBound
    do throws(StorageError) {
      for part in arrival.new {
        try file.write(bytes, Int(part.lowerBound - start)..<Int(part.upperBound - start), at: part.lowerBound)
      }
    } catch {
      act { state, now in state.machine.storingFailed(error.description, now: now) }
      return false
    }
    act { state, now in state.machine.stored(id, arrival.range, now: now) }
    return state.withLock { $0.machine.isRunning(id) }
  }

  /// - Returns: why there is none.
  private func room(for count: UInt64) async -> String? {
    while true {
      let missing = state.withLock { state -> UInt64 in
        guard state.allowance < count else {
          state.allowance -= count
          return 0
        }
        return count - state.allowance
      }
      guard missing > 0 else { return nil }
      let step = max(missing, min(limits.reservationBytes, version.length))
      switch await cache.reserve(step, atLeast: missing, for: self) {
      case .granted(let granted): state.withLock { $0.allowance += granted }
      case .refused(let reason): return reason
      }
    }
  }

  /// Write, then sync, then claim: in this order nothing is ever claimed that a power cut could take.
  private func commit() async {
    let ranges = state.withLock { $0.machine.beginCommit() }
    if let place, !ranges.isEmpty {
      do throws(StorageError) {
        try await syncer.sync(place.file)
        let fragments = try await syncer.fragments(of: place.file, ranges.ranges, limit: limits.fragmentBytes)
        let problem = await cache.commit(fragments, to: self)
        act { state, now in
          if let problem { return state.machine.commitFailed(problem, now: now) }
          return state.machine.committed(now: now)
        }
      } catch {
        act { state, now in state.machine.syncFailed(error.description, now: now) }
      }
      publish()
    }
    act { state, now in
      state.committer = nil
      return state.machine.tick(random: .random(in: 0...1), now: now)
    }
  }

  /// Stores nothing more, and returns when all that came before is durable, or cannot be made so.
  func finishStoring() async {
    act { state, now in state.machine.storingFailed("the cache was closed", now: now) }
    while let committer = state.withLock({ $0.committer }) { await committer.value }
  }

  /// Looks after deadlines and observers for as long as there is something to look after.
  private func keep() async {
    while true {
      await clock.sleep(limits.tick)
      act { state, now in state.machine.tick(random: .random(in: 0...1), now: now) }
      if state.withLock({ !$0.observers.isEmpty }) { await findTimeline() }
      publish()
      let (isOver, isHeld) = state.withLock { state in
        let isOver = state.machine.isAtRest && state.committer == nil
        if isOver, state.holds > 0 { state.keeper = nil }
        return (isOver, state.holds > 0)
      }
      guard isOver else { continue }
      if isHeld { return }
      guard await cache.retire(self) else { continue }
      for observer in state.withLock({ Array($0.observers.values) }) { observer.finish() }
      return
    }
  }

  // MARK: States

  /// The state as it is now, and whenever it has changed.
  func observe() -> AsyncStream<PlaybackState> {
    let (stream, continuation) = AsyncStream.makeStream(of: PlaybackState.self, bufferingPolicy: .bufferingNewest(1))
    let id = state.withLock { state in
      state.nextObserver += 1
      state.observers[state.nextObserver] = continuation
      return state.nextObserver
    }
    continuation.onTermination = { [weak self] _ in
      self?.state.withLock { $0.observers[id] = nil }
    }
    continuation.yield(currentState)
    return stream
  }

  var currentState: PlaybackState {
    let now = clock.now()
    return state.withLock { Self.state(of: $0, now) }
  }

  private static func state(of state: borrowing State, _ now: Duration) -> PlaybackState {
    var shown = state.machine.state(now: now)
    if let timeline = state.timeline {
      shown.duration = timeline.duration
      shown.cachedSeconds = timeline.seconds(of: shown.cachedBytes)
    }
    return shown
  }

  private func publish() {
    let now = clock.now()
    let (observers, shown) = state.withLock { state -> ([AsyncStream<PlaybackState>.Continuation], PlaybackState?) in
      guard !state.observers.isEmpty else { return ([], nil) }
      let shown = Self.state(of: state, now)
      guard shown != state.lastShown else { return ([], nil) }
      state.lastShown = shown
      return (Array(state.observers.values), shown)
    }
    guard let shown else { return }
    for observer in observers { observer.yield(shown) }
  }

  // MARK: Time line

  /// The recording's own index, once its head is here.
  var timeline: MovieTimeline? { state.withLock { $0.timeline } }

  /// Whether there is no use in waiting for a time line.
  var hasNoTimeline: Bool { state.withLock { $0.timelineSearch == .over && $0.timeline == nil } }

  /// What has to be here before the time line can be read; nil where it is read, or never will be.
  @discardableResult
  func findTimeline() async -> Range<UInt64>? {
    guard let place else {
      state.withLock { $0.timelineSearch = .over }
      return nil
    }
    let (available, needs) = state.withLock { state -> (RangeSet?, Range<UInt64>?) in
      guard state.timelineSearch == .open else { return (nil, nil) }
      if let needs = state.timelineNeeds, !state.machine.available.contains(needs) { return (nil, needs) }
      state.timelineSearch = .running
      return (state.machine.available, nil)
    }
    if let needs { return needs }
    guard let available else { return nil }
    let bytes = AvailableBytes(file: place.file, length: version.length, available: available)
    let outcome = await syncer.timeline(of: bytes, limit: limits.headBytes)
    return state.withLock { state in
      switch outcome {
      case .ready(let timeline):
        state.timeline = timeline
        state.timelineSearch = .over
        return nil
      case .needs(let range):
        state.timelineSearch = .open
        state.timelineNeeds = range
        return range
      case .none:
        state.timelineSearch = .over
        return nil
      }
    }
  }
}

/// The file as far as its bytes are here.
struct AvailableBytes: ByteSource, Sendable {
  let file: any CacheFile
  let length: UInt64
  let available: RangeSet

  func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws(StorageError) {
    guard available.contains(offset..<offset.addingClamped(UInt64(buffer.count))) else {
      throw StorageError("read", "a recording that is not all here", .endOfFile(offset: available.end(from: offset)))
    }
    let bytes = try file.read(at: offset, count: buffer.count)
    // Safe because as many bytes were read as the buffer holds.
    unsafe bytes.withUnsafeBytes { unsafe buffer.copyMemory(from: $0) }
  }
}
