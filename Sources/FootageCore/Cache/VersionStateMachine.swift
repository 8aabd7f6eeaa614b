internal import FootageBase
internal import FootageMedia

/// Decides what is fetched of a version, who waits for what, and when it is made durable. It does nothing itself: what
/// is to be done comes back as actions.
///
/// Its policy:
/// - *Who goes first.* A player goes before a preload, and that before the filling of holes, but a player that has
///   enough to go on with leaves the link to the others. Among equals, a reader that waits goes before one that does
///   not, and of two that wait the one that does so for longer. A reader near a running fetch waits for it; any other
///   one has a fetch of its own, as long as there are not too many (`MediaCacheLimits.fetches`).
/// - *What a fetch may grow to.* It begins at the first byte that its reader lacks, and ends with what comes first:
///   what the reader wants for now (a player's read-ahead), bytes that are here (slivers aside), another fetch, or a
///   piece, which is what the link brings in a round trip or a tenth of a second. The next piece is asked for while the
///   last ones still come.
/// - *What ends one.* Nobody needs it any more; if it is over in a moment, it may run out.
/// - *What fails.* What can pass is tried again after a pause, the same for all fetches, which is short while a player
///   waits; who waits for a minute is told, and goes on with the next read. What cannot pass is told to all at once. A
///   player that waits for three seconds gets a second fetch on a connection of its own; the first of the two to bring
///   a byte goes on alone.
/// - *What is made durable.* `VersionRanges` says when.
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

  /// - Parameter problem: why nothing can be stored, ever.
  init(length: UInt64, durable: RangeSet, limits: MediaCacheLimits, problem: FileFailure? = nil) {
    self.length = length
    self.limits = limits
    storage = VersionContents(length: length, durable: durable, limits: limits, problem: problem)
  }

  /// In the file, but perhaps not yet for good.
  var available: RangeSet { storage.available }
  /// In the file for good, and claimed.
  var durable: RangeSet { storage.durable }
  var isComplete: Bool { storage.isComplete }
  var isStoring: Bool { storage.isStoring }
  /// Why nothing is stored.
  var storageProblem: FileFailure? { storage.problem?.reason }
  /// Whether there is nothing to look after.
  var isAtRest: Bool { readers.isEmpty && fetches.isEmpty && storage.isAtRest }
  /// The requests that run.
  var fetches: [FetchID: Fetch] { running.byID }
  var outage: RobotAvailability.Outage? { robot.outage }
  /// Why missing bytes will not come, until somebody new asks.
  var failure: FetchFailure? { robot.failure }
  /// What the robot said when it was asked about the recording itself.
  var robotSaid: RobotError? { robot.robotSaid }
  /// How far players are ahead of what they have read.
  var readAhead: ReadAhead { window.readAhead }
  /// Which bytes belong to which seconds, once that is known.
  var timeline: MovieTimeline? { window.timeline }

  /// What one request asks for, in bytes.
  var pieceBytes: UInt64 { link.pieceBytes(limits) }

  /// With less than this to come, the next piece is asked for; in bytes.
  var lookAheadBytes: UInt64 { link.lookAheadBytes(limits) }

  /// Up to where a reader is served ahead of what it has read.
  func readAheadEnd(of reader: Reader) -> UInt64 {
    reader.use == .play ? window.end(from: reader.position, limits) : .max
  }

  /// The requests that will soon bring this byte.
  func fetches(near offset: UInt64, for use: FetchPriority) -> [FetchID] { running.near(offset, for: use, limits) }
}

// MARK: Readers

extension VersionStateMachine {
  /// Somebody begins to read: a reason to try again at once what had failed for the time being.
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

  /// - Parameter isPaced: whether holes are filled at a rate, and not as fast as it goes.
  mutating func setFilling(isPaced: Bool) { isFillPaced = isPaced }

  /// The recording's own index is here.
  mutating func knows(_ timeline: MovieTimeline, now: Duration) -> [Action] {
    window.timeline = timeline
    return nextActions(now)
  }

  /// The reader wants `count` bytes at `offset`, of which it takes what is there.
  mutating func read(_ id: ReaderID, at offset: UInt64, count: Int, now: Duration) -> (ReadDecision, [Action]) {
    guard var reader = readers[id] else { return (.fail(.final(.cancelled)), []) }
    reader.position = offset
    reader.waitsForAll = false
    // It was told, and tries again.
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

  /// A background reader wants all of its range to be here.
  ///
  /// - Parameter durably: and to survive a power cut.
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

  /// Whether a reader waits for what comes past the cache.
  mutating func setWaiting(_ id: ReaderID, _ isWaiting: Bool, now: Duration) {
    readers[id]?.waitingSince = isWaiting ? now : nil
  }

  /// Bytes that should have been in the file could not be read.
  ///
  /// - Parameter unclaimed: what the index no longer claims, of which the bytes may still be good; nil where it still
  ///   claims all of it. Then nothing is stored any more: it would be written over what is claimed.
  mutating func readFailed(
    _ range: Range<UInt64>, _ reason: FileFailure, unclaimed: [Range<UInt64>]?, now: Duration
  ) -> [Action] {
    let isOver = storage.readFailed(range, reason, unclaimed: unclaimed, now: now)
    return nextActions(now) + (isOver ? wakeAll() : [])
  }

  /// Bytes in the file are not those that came.
  mutating func dropped(_ range: Range<UInt64>, now: Duration) -> [Action] {
    storage.drop(range)
    return nextActions(now)
  }
}

// MARK: Fetches

extension VersionStateMachine {
  func isRunning(_ id: FetchID) -> Bool { fetches[id] != nil }

  /// The head of the answer has come.
  ///
  /// - Parameter tellsRoundTrip: whether it was asked for just now.
  mutating func answered(_ id: FetchID, tellsRoundTrip: Bool = true, now: Duration) {
    guard let fetch = fetches[id] else { return }
    if tellsRoundTrip, !fetch.isRival { link.answered(after: now - fetch.started) }
    running.isHeard(id, now: now)
  }

  /// Bytes have come.
  ///
  /// - Returns: where they belong, as far as they are wanted, and what of it is new; nil where the fetch is over.
  func arrived(_ id: FetchID, count: Int) -> (range: Range<UInt64>, new: [Range<UInt64>])? {
    guard let range = running.range(ofNext: count, from: id) else { return nil }
    return (range, available.gaps(in: range))
  }

  /// What `arrived` told of is in the file. For a fetch that was stopped meanwhile it does not count: a sync may have
  /// failed since, and taken it.
  ///
  /// - Parameter written: what of the range was lacking when it was written; nil where that was all of it. What was
  ///   there then and has been given up since is not.
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

  /// Nothing was taken from the fetch on purpose.
  mutating func rested(_ id: FetchID, now: Duration) { running.isHeard(id, now: now) }

  /// Bytes came straight to a reader, past the cache.
  mutating func passed(_ count: Int, now: Duration) {
    rate.add(UInt64(max(0, count)), at: now)
    lastByte = now
    robot.bytesCame()
  }

  /// Nothing more can be stored; who waits is served past the cache.
  mutating func storingFailed(_ reason: FileFailure, now: Duration) -> [Action] {
    storage.failed(reason, now: now)
    return nextActions(now) + wakeAll()
  }

  /// The robot's answer is over.
  ///
  /// - Parameters:
  ///   - failure: nil where it ended in good order.
  ///   - random: 0 to 1, so that many clients do not all come back at once.
  mutating func ended(_ id: FetchID, _ failure: FetchFailure?, random: Double, now: Duration) -> [Action] {
    // One that was stopped fails too, and that means nothing.
    guard let fetch = running.remove(id), !fetch.isRunningOut else { return nextActions(now) }
    // The one that it was to stand in for still runs.
    if fetch.isRival, running.bring(fetch.position), failure?.canPass ?? true { return nextActions(now) }
    return failed(failure ?? .passing(.endedEarly), random: random, now: now)
  }

  /// A fetch, or a reader that goes past the cache, has failed.
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
  /// Who answers in the robot's place is asked for nothing more.
  mutating func robotSaid(_ error: RobotError?, now: Duration) -> [Action] {
    robot.robotSaid(error)
    guard let error, case .trust = error else { return [] }
    return failed(.final(error), random: 0, now: now)
  }

  /// By a connection of which nothing is known yet.
  mutating func openedAnew() { robot.openedAnew() }
}

// MARK: Durability

extension VersionStateMachine {
  /// Takes what is to be made durable now; empty where that is under way already, or nothing is there.
  mutating func beginCommit() -> RangeSet { storage.beginCommit() }

  /// It is claimed.
  mutating func committed(now: Duration) -> [Action] {
    storage.committed(now: now)
    // A background reader waits for what is durable.
    return readers.filter { $0.value.use != .play }.flatMap { wake($0.key) } + nextActions(now)
  }

  /// The file could not be synced.
  mutating func syncFailed(_ reason: FileFailure, now: Duration) -> [Action] {
    storage.syncFailed(reason, now: now)
    return nextActions(now) + wakeAll()
  }

  /// The claim could not be written.
  mutating func commitFailed(_ reason: FileFailure, now: Duration) -> [Action] {
    let isOver = storage.commitFailed(reason, now: now)
    return nextActions(now) + (isOver ? wakeAll() : [])
  }
}

// MARK: Time

extension VersionStateMachine {
  /// To be called every now and then while there is anything to look after.
  mutating func tick(random: Double, now: Duration) -> [Action] {
    var actions: [Action] = []
    for (id, fetch) in fetches where running.isSilent(fetch, now: now, limits) {
      running.remove(id)
      actions.append(.stop(id))
      guard !fetch.isRunningOut else { continue }
      let seconds = limits.fetchIdle.components.seconds
      actions += failed(
        .passing(.unreachable("no byte has come for \(seconds) seconds")), random: random, now: now)
    }
    return actions + giveUpIfTooLong(now) + sendRivals(now) + nextActions(now)
  }

  /// A player that waits for what does not come gets another request.
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

  /// Makes the fetches those that the readers need, and says when to commit.
  private mutating func nextActions(_ now: Duration) -> [Action] {
    var actions = isStoring && failure == nil ? planFetches(now) : stop(except: [])
    if storage.isCommitDue(isUrgent: readers.isEmpty, now: now) { actions.append(.commit) }
    return actions
  }

  private mutating func planFetches(_ now: Duration) -> [Action] {
    let selection = NextFetches(self)
    var actions = stop(except: selection.claimed)
    guard robot.isDue(now) else { return actions }
    // From the end, so that no request is made for what the next one asks for.
    for want in selection.unserved.sorted(by: { $0.missing > $1.missing }) {
      // One of those just begun may have it.
      if !fetches(near: want.missing, for: want.reader.use).isEmpty { continue }
      actions += start(want, now)
    }
    return actions
  }

  /// Begins a fetch at a missing byte, up to where the cache, the reader's wish, another fetch or its fair share of a
  /// connection ends it.
  private mutating func start(_ want: NextFetches.Want, _ now: Duration) -> [Action] {
    let end = running.end(from: want.missing, upTo: min(want.end, want.missing.addingClamped(pieceBytes)))
    let plan = FetchPlan(for: want.missing..<end, cached: available, policy: limits.plan)
    guard let range = plan.requests.first else { return [] }
    let id = newID()
    let isFill = want.reader.use == .fill
    running.begin(id, range, isFill: isFill, now: now)
    return [.start(id, range, isFill && isFillPaced ? .paced : .usual)]
  }

  /// Ends what nobody needs; what is over in a moment may come to its end.
  private mutating func stop(except wanted: Set<FetchID>) -> [Action] {
    let runningOut = isStoring && failure == nil ? link.bytes(inRoundTrips: limits.runningOut) ?? 0 : 0
    return running.stop(except: wanted, runningOut: runningOut).map { .stop($0) }
  }
}
