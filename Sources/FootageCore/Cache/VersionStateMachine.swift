internal import FootageBase
internal import FootageMedia

/// A state machine that decides which bytes of a version are fetched, which reader waits for which bytes, and when they
/// are made durable. It does nothing itself, but returns the actions to carry out.
///
/// Its policy:
///
/// - *Order.* Players are served before preloads, and preloads before the filling of holes. A player that has enough
///   bytes to continue leaves the link to the others. Among readers with the same purpose, those that wait are served
///   before those that do not, and the longest wait comes first. A reader near a running fetch waits for it. Any other
///   reader gets a fetch of its own, up to `MediaCacheLimits.fetches`.
/// - *The range of a fetch.* A fetch begins at the first byte that its reader lacks. It ends at the first of these: the
///   end of the bytes that the reader wants for now (a player's read-ahead), cached bytes (except slivers), another
///   fetch, or the end of a piece. A piece has the bytes that the link delivers in a round trip or in a tenth of a
///   second, whichever is longer. The next piece is requested while the last bytes of the present one are still
///   arriving.
/// - *The end of a fetch.* A fetch ends when no reader needs it any more, unless so few bytes are outstanding that it
///   may finish.
/// - *Failures.* After a temporary failure, all fetches are tried again after the same pause, which is short while a
///   player waits. A reader that has waited for a minute gets the error, and its next read tries again. A permanent
///   failure is reported to all readers at once. A player that waits for three seconds gets a second fetch on a new
///   connection. The first of the two to deliver a byte continues alone.
/// - *Durability.* `VersionRanges` decides when bytes are made durable.
struct VersionStateMachine: Sendable {
  typealias ReaderID = UInt64
  typealias FetchID = UInt64

  let length: UInt64
  let limits: MediaCacheLimits
  private var storage: VersionContents
  private(set) var readers: [ReaderID: Reader] = [:]
  private var running = RunningFetches()
  private var robot = RobotAvailability()
  private(set) var rate = ByteRate()
  private(set) var lastByte: Duration?
  private(set) var link = LinkEstimate()
  private var window = ReadAheadWindow()
  private(set) var isFillPaced = false
  private var nextID: UInt64 = 1

  /// - Parameter problem: the reason why nothing can ever be stored; nil if there is none.
  init(length: UInt64, durable: RangeSet, limits: MediaCacheLimits, problem: FileFailure? = nil) {
    self.length = length
    self.limits = limits
    storage = VersionContents(length: length, durable: durable, limits: limits, problem: problem)
  }

  /// The bytes that are in the file, though perhaps not durably yet.
  var available: RangeSet { storage.available }
  /// The bytes that are durably in the file, and claimed.
  var durable: RangeSet { storage.durable }
  var isComplete: Bool { storage.isComplete }
  var isStoring: Bool { storage.isStoring }
  /// The reason why nothing is stored.
  var storageProblem: FileFailure? { storage.problem?.reason }
  /// True if there is no reader, no fetch, and nothing to make durable.
  var isAtRest: Bool { readers.isEmpty && fetches.isEmpty && storage.isAtRest }
  /// The running requests.
  var fetches: [FetchID: Fetch] { running.byID }
  var outage: RobotAvailability.Outage? { robot.outage }
  /// The failure after which missing bytes are no longer requested, until a new reader is added.
  var failure: FetchFailure? { robot.failure }
  /// The error with which the robot answered when it was asked about the recording itself.
  var robotSaid: RobotError? { robot.robotSaid }
  /// The distance that is fetched ahead of what a player has read.
  var readAhead: ReadAhead { window.readAhead }
  /// The map between bytes and seconds, once it is known.
  var timeline: MovieTimeline? { window.timeline }

  /// The number of bytes that one request asks for.
  var pieceBytes: UInt64 { link.pieceBytes(limits) }

  /// The number of outstanding bytes below which the next piece is requested.
  var lookAheadBytes: UInt64 { link.lookAheadBytes(limits) }

  /// Returns the offset up to which bytes are fetched for a reader, beyond those that it has read.
  func readAheadEnd(of reader: Reader) -> UInt64 {
    reader.use == .play ? window.end(from: reader.position, limits) : .max
  }

  /// Returns the requests that will soon deliver this byte.
  func fetches(near offset: UInt64, for use: FetchPriority) -> [FetchID] { running.near(offset, for: use, limits) }
}

// MARK: Readers

extension VersionStateMachine {
  /// Adds a reader. After a temporary failure, the robot is then asked again at once.
  mutating func add(_ use: FetchPriority, _ range: Range<UInt64>, now: Duration) -> (ReaderID, [Action]) {
    let id = newID()
    readers[id] = Reader(use: use, range: range, position: range.lowerBound)
    robot.readerCame(use, isAlone: readers.count == 1, now: now)
    storage.readerCame(now: now, limits)
    return (id, nextActions(now))
  }

  mutating func remove(_ id: ReaderID, now: Duration) -> [Action] {
    readers[id] = nil
    return nextActions(now)
  }

  mutating func setReadAhead(_ readAhead: ReadAhead, now: Duration) -> [Action] {
    window.readAhead = readAhead
    return nextActions(now)
  }

  /// - Parameter isPaced: true if holes are filled at a rate, and not as fast as possible.
  mutating func setFilling(isPaced: Bool) { isFillPaced = isPaced }

  /// Records the recording's time line, which was read from the tables or the sample index of the recording.
  mutating func knows(_ timeline: MovieTimeline, now: Duration) -> [Action] {
    window.timeline = timeline
    return nextActions(now)
  }

  /// Decides on a read of `count` bytes at `offset`. The reader accepts fewer bytes if the rest is not cached.
  mutating func read(_ id: ReaderID, at offset: UInt64, count: Int, now: Duration) -> (ReadDecision, [Action]) {
    guard var reader = readers[id] else { return (.fail(.final(.cancelled)), []) }
    reader.position = offset
    reader.waitsForAll = false
    // The reader was told of the failure, and tries again.
    if reader.wasLetGo, robot.tryAgain() { reader.wasLetGo = false }
    let end = min(available.end(from: offset), reader.range.upperBound)
    let decision: ReadDecision
    if end > offset {
      decision = .local(offset..<min(end, offset.addingClamped(UInt64(max(1, count)))))
    } else if let failure {
      reader.wasLetGo = failure.canPass
      decision = .fail(failure)
    } else if !isStoring {
      let next = available.parts(in: offset..<reader.range.upperBound).first?.lowerBound ?? reader.range.upperBound
      decision = .direct(offset..<next)
    } else {
      decision = .wait
    }
    if case .wait = decision { reader.waitingSince = reader.waitingSince ?? now } else { reader.waitingSince = nil }
    readers[id] = reader
    return (decision, nextActions(now))
  }

  /// Decides whether a background reader must wait longer until its whole range is cached.
  ///
  /// - Parameter durably: true if the range must be durable as well.
  mutating func hold(_ id: ReaderID, durably: Bool, now: Duration) -> (HoldDecision, [Action]) {
    guard let reader = readers[id] else { return (.fail(.final(.cancelled)), []) }
    let decision: HoldDecision
    if (durably ? durable : available).contains(reader.range) {
      decision = .done
    } else if let failure, !available.contains(reader.range) {
      decision = .fail(failure)
    } else if let storageProblem {
      decision = .noRoom(storageProblem)
    } else {
      decision = .wait
    }
    readers[id]?.waitingSince = decision == .wait ? reader.waitingSince ?? now : nil
    readers[id]?.waitsForAll = true
    return (decision, nextActions(now))
  }

  func isWaiting(_ id: ReaderID) -> Bool { readers[id]?.waitingSince != nil }

  /// Records whether a reader waits for bytes that it fetches itself, bypassing the cache.
  mutating func setWaiting(_ id: ReaderID, _ isWaiting: Bool, now: Duration) {
    readers[id]?.waitingSince = isWaiting ? now : nil
  }

  /// Records that bytes that should have been in the file could not be read.
  ///
  /// - Parameter unclaimed: the ranges whose claims were withdrawn, and whose bytes may still be intact. If it is nil,
  ///   the claims could not be withdrawn, and nothing more is stored, because that could overwrite claimed bytes.
  mutating func readFailed(
    _ range: Range<UInt64>, _ reason: FileFailure, unclaimed: [Range<UInt64>]?, now: Duration
  ) -> [Action] {
    let isOver = storage.readFailed(range, reason, unclaimed: unclaimed, now: now)
    return nextActions(now) + (isOver ? wakeAll() : [])
  }

  /// Gives up bytes in the file that differ from those that were received.
  mutating func dropped(_ range: Range<UInt64>, now: Duration) -> [Action] {
    storage.drop(range)
    return nextActions(now)
  }
}

// MARK: Fetches

extension VersionStateMachine {
  func isRunning(_ id: FetchID) -> Bool { fetches[id] != nil }

  /// Records that the head of the response has arrived.
  ///
  /// - Parameter tellsRoundTrip: true if the request was sent just now, so that the delay of the response is one round
  ///   trip.
  mutating func answered(_ id: FetchID, tellsRoundTrip: Bool = true, now: Duration) {
    guard let fetch = fetches[id] else { return }
    if tellsRoundTrip, !fetch.isRival { link.answered(after: now - fetch.started) }
    running.isHeard(id, now: now)
  }

  /// Returns the range of bytes that have arrived.
  ///
  /// - Returns: the range, limited to the bytes that are still wanted, and the parts of it that are not stored yet; nil
  ///   if the fetch has ended.
  func arrived(_ id: FetchID, count: Int) -> (range: Range<UInt64>, new: [Range<UInt64>])? {
    guard let range = running.range(ofNext: count, from: id) else { return nil }
    return (range, available.gaps(in: range))
  }

  /// Records that the bytes for which `arrived` returned a range are in the file. If the fetch was stopped meanwhile,
  /// they do not count, because a failed sync may have lost them.
  ///
  /// - Parameter written: the parts of the range that were missing when it was written; nil if all of the range was
  ///   missing. The other parts were in the file already. They count only if they were not given up since.
  mutating func stored(
    _ id: FetchID, _ range: Range<UInt64>, written: [Range<UInt64>]? = nil, now: Duration
  ) -> [Action] {
    guard let fetch = fetches[id], range.lowerBound <= fetch.position else { return [] }
    for part in written ?? [range] { storage.insert(part, now: now) }
    rate.add(range.upperBound - range.lowerBound, at: now)
    link.received(range.upperBound - range.lowerBound, wasComing: running.haveBytes, at: now)
    lastByte = now
    robot.bytesCame()
    var actions = running.stored(id, upTo: range.upperBound, now: now).map { Action.stop($0) }
    for (reader, state) in readers where state.waitingSince != nil {
      if state.waitsForAll ? available.contains(state.range) : available.end(from: state.position) > state.position {
        actions += wake(reader)
      }
    }
    return actions + nextActions(now)
  }

  /// Records a deliberate pause in which nothing was read from the fetch.
  mutating func rested(_ id: FetchID, now: Duration) { running.isHeard(id, now: now) }

  /// Records that bytes reached a reader directly, bypassing the cache.
  mutating func passed(_ count: Int, now: Duration) {
    rate.add(UInt64(max(0, count)), at: now)
    lastByte = now
    robot.bytesCame()
  }

  /// Records that nothing more can be stored. Waiting readers then fetch for themselves, bypassing the cache.
  mutating func storingFailed(_ reason: FileFailure, now: Duration) -> [Action] {
    storage.failed(reason, now: now)
    return nextActions(now) + wakeAll()
  }

  /// Records that the body of the robot's response has ended.
  ///
  /// - Parameters:
  ///   - failure: nil if the body is complete.
  ///   - random: a number from 0 to 1, so that many clients do not all retry at once.
  mutating func ended(_ id: FetchID, _ failure: FetchFailure?, random: Double, now: Duration) -> [Action] {
    // A fetch that was stopped fails as well, which means nothing.
    guard let fetch = running.remove(id), !fetch.isRunningOut else { return nextActions(now) }
    // The fetch that the rival was to stand in for is still running.
    if fetch.isRival, running.bring(fetch.position), failure?.canPass ?? true { return nextActions(now) }
    return failed(failure ?? .passing(.endedEarly), random: random, now: now)
  }

  /// Records that a fetch, or a reader that bypasses the cache, has failed.
  mutating func failed(_ failure: FetchFailure, random: Double, now: Duration) -> [Action] {
    let isWaitedFor = readers.values.contains { $0.use == .play && ($0.waitingSince != nil || !isStoring) }
    guard robot.failed(failure, isWaitedFor: isWaitedFor, random: random, now: now, limits) else {
      return giveUpIfTooLong(now) + nextActions(now)
    }
    return nextActions(now) + wakeAll()
  }

  private mutating func giveUpIfTooLong(_ now: Duration) -> [Action] {
    let longest = readers.values.compactMap(\.waitingSince).min()
    return robot.giveUpIfTooLong(waitingSince: longest, isStoring: isStoring, now: now, limits) ? wakeAll() : []
  }
}

// MARK: What the robot says

extension VersionStateMachine {
  /// Records the robot's answer about the recording. If another server answers in its place, nothing more is requested.
  mutating func robotSaid(_ error: RobotError?, now: Duration) -> [Action] {
    robot.robotSaid(error)
    guard let error, case .trust = error else { return [] }
    return failed(.final(error), random: 0, now: now)
  }

  /// Forgets all failures, because the source was replaced: the robot is now asked over a connection that has not
  /// failed.
  mutating func openedAnew() { robot.openedAnew() }
}

// MARK: Durability

extension VersionStateMachine {
  /// Begins a commit, and returns the bytes to make durable. The result is empty if a commit is already running, or
  /// there is nothing to commit.
  mutating func beginCommit() -> RangeSet { storage.beginCommit() }

  /// Records that the bytes of the commit are claimed.
  mutating func committed(now: Duration) -> [Action] {
    storage.committed(now: now)
    // A background reader waits for what is durable.
    return readers.filter { $0.value.use != .play }.flatMap { wake($0.key) } + nextActions(now)
  }

  /// Records that the file could not be synced.
  mutating func syncFailed(_ reason: FileFailure, now: Duration) -> [Action] {
    storage.syncFailed(reason, now: now)
    return nextActions(now) + wakeAll()
  }

  /// Records that the claim could not be written.
  mutating func commitFailed(_ reason: FileFailure, now: Duration) -> [Action] {
    let isOver = storage.commitFailed(reason, now: now)
    return nextActions(now) + (isOver ? wakeAll() : [])
  }
}

// MARK: Time

extension VersionStateMachine {
  /// Checks the deadlines. Call this every `MediaCacheLimits.tick` while `isAtRest` is false.
  mutating func tick(random: Double, now: Duration) -> [Action] {
    var actions: [Action] = []
    for (id, fetch) in fetches where running.isSilent(fetch, now: now, limits) {
      running.remove(id)
      actions.append(.stop(id))
      guard !fetch.isRunningOut else { continue }
      let seconds = limits.fetchIdle.components.seconds
      actions += failed(
        .passing(.unreachable("no data received for \(seconds) seconds")), random: random, now: now)
    }
    return actions + giveUpIfTooLong(now) + sendRivals(now) + nextActions(now)
  }

  /// Begins another request for each player whose request is silent.
  private mutating func sendRivals(_ now: Duration) -> [Action] {
    guard isStoring, failure == nil, robot.isDue(now) else { return [] }
    var actions: [Action] = []
    for (_, reader) in readers where reader.use == .play && reader.waitingSince != nil {
      let missing = available.end(from: reader.position)
      guard missing < reader.range.upperBound,
        let rival = running.beginRival(nextID, at: missing, now: now, limits)
      else { continue }
      actions += rival.stopped.map { .stop($0) }
      actions.append(.start(newID(), rival.range, .onNewConnection))
    }
    return actions
  }
}

// MARK: Deciding

extension VersionStateMachine {
  private mutating func newID() -> UInt64 {
    defer { nextID += 1 }
    return nextID
  }

  private mutating func wake(_ id: ReaderID) -> [Action] {
    guard readers[id]?.waitingSince != nil else { return [] }
    readers[id]?.waitingSince = nil
    return [.wake(id)]
  }

  private mutating func wakeAll() -> [Action] { readers.keys.sorted().flatMap { wake($0) } }

  /// Returns the actions that start the fetches that readers need, stop the other fetches, and begin a commit if one is
  /// due.
  private mutating func nextActions(_ now: Duration) -> [Action] {
    var actions = isStoring && failure == nil ? planFetches(now) : stop(except: [])
    if storage.isCommitDue(isUrgent: readers.isEmpty, now: now) { actions.append(.commit) }
    return actions
  }

  private mutating func planFetches(_ now: Duration) -> [Action] {
    let selection = NextFetches(self)
    var actions = stop(except: selection.claimed)
    guard robot.isDue(now) else { return actions }
    // The last one starts first, so that no request asks for the bytes of the next one.
    for want in selection.unserved.sorted(by: { $0.missing > $1.missing }) {
      // One of the fetches just begun may bring this byte.
      if !fetches(near: want.missing, for: want.reader.use).isEmpty { continue }
      actions += start(want, now)
    }
    return actions
  }

  /// Begins a fetch at a missing byte. It ends at cached bytes, at the end of what the reader wants, at another fetch,
  /// or after `pieceBytes`.
  private mutating func start(_ want: NextFetches.Want, _ now: Duration) -> [Action] {
    let end = running.end(from: want.missing, upTo: min(want.end, want.missing.addingClamped(pieceBytes)))
    let plan = FetchPlan(for: want.missing..<end, cached: available, policy: limits.plan)
    guard let range = plan.requests.first else { return [] }
    let id = newID()
    let isFill = want.reader.use == .fill
    running.begin(id, range, isFill: isFill, now: now)
    return [.start(id, range, isFill && isFillPaced ? .paced : .usual)]
  }

  /// Ends the fetches that no reader needs, except those that will end soon anyway.
  private mutating func stop(except wanted: Set<FetchID>) -> [Action] {
    let runningOut = isStoring && failure == nil ? link.bytes(inRoundTrips: limits.runningOut) ?? 0 : 0
    return running.stop(except: wanted, runningOut: runningOut).map { .stop($0) }
  }
}
