internal import Formats
internal import ISOMedia

/// Decides what is fetched of a version, who waits for what, and when it is made durable. It does nothing itself: what is to
/// be done comes back as actions.
///
/// Its policy:
/// - *Who goes first.* A player goes before a preload, and that before the filling of holes, but a player that has enough to
///   go on with leaves the link to the others. Among equals, a reader that waits goes before one that does not, and of
///   two that wait the one that does so for longer. A reader near a running fetch waits for it; any other one has a fetch of
///   its own, as long as there are not too many (`MediaCacheLimits.fetches`).
/// - *What a fetch may grow to.* It begins at the first byte that its reader lacks, and ends with what comes first: what the
///   reader wants for now (a player's read-ahead), bytes that are here (slivers aside), another fetch, or a piece, which is
///   what the link brings in a round trip or a tenth of a second. The next piece is asked for while the last ones still come.
/// - *What ends one.* Nobody needs it any more; if it is over in a moment, it may run out.
/// - *What fails.* What can pass is tried again after a pause, the same for all fetches, which is short while a player
///   waits; who waits for a minute is told, and goes on with the next read. What cannot pass is told to all at once. A
///   player that waits for three seconds gets a second fetch on a connection of its own; the first of the two to bring a
///   byte goes on alone.
/// - *What is made durable.* `VersionRanges` says when.
struct VersionStateMachine: Sendable {
  typealias ReaderID = UInt64
  typealias FetchID = UInt64

  let length: UInt64
  let limits: MediaCacheLimits
  private var canStore: Bool
  private var ranges: VersionRanges
  /// Why nothing is stored.
  private(set) var storageProblem: (reason: FileFailure, since: Duration)?
  private(set) var readers: [ReaderID: Reader] = [:]
  private(set) var fetches: [FetchID: Fetch] = [:]
  private(set) var outage: Outage?
  /// Why missing bytes will not come, until somebody new asks.
  private(set) var failure: FetchFailure?
  /// What the robot said when it was asked about the recording itself.
  private(set) var robotSaid: RobotError?
  private(set) var rate = ByteRate()
  private(set) var lastByte: Duration?
  private(set) var link = LinkEstimate()
  /// How far players are ahead of what they have read.
  private(set) var readAhead = ReadAhead.seconds(60)
  /// Which bytes belong to which seconds, once that is known.
  private(set) var timeline: MovieTimeline?
  private(set) var isFillPaced = false
  private var lastRival: Duration?
  private var readFailures = 0
  private var nextID: UInt64 = 1

  /// - Parameter problem: why nothing can be stored, ever.
  init(length: UInt64, durable: RangeSet, limits: MediaCacheLimits, problem: FileFailure? = nil) {
    self.length = length
    self.limits = limits
    canStore = problem == nil
    storageProblem = problem.map { ($0, .zero) }
    ranges = VersionRanges(length: length, durable: durable, limits: limits)
  }

  /// In the file, but perhaps not yet for good.
  var available: RangeSet { ranges.available }
  /// In the file for good, and claimed.
  var durable: RangeSet { ranges.durable }
  var isComplete: Bool { ranges.isComplete }
  var isStoring: Bool { storageProblem == nil }
  /// Whether there is nothing to look after.
  var isAtRest: Bool { readers.isEmpty && fetches.isEmpty && ranges.isAtRest }

  /// What one request asks for, in bytes.
  var pieceBytes: UInt64 {
    guard let bytes = link.bytes(inRoundTrips: 1, atLeast: limits.pieceTime) else {
      return min(limits.firstPieceBytes, limits.requestBytes)
    }
    let growing = link.isGrowing ? 2 * bytes : bytes
    return min(max(growing, limits.leastPieceBytes), limits.requestBytes)
  }

  /// With less than this to come, the next piece is asked for; in bytes.
  var lookAheadBytes: UInt64 {
    max(limits.lookAheadBytes, (link.bytes(inRoundTrips: limits.lookAhead) ?? 0) * (link.isGrowing ? 2 : 1))
  }

  /// Up to where a reader is served ahead of what it has read.
  func readAheadEnd(of reader: Reader) -> UInt64 {
    guard reader.use == .play else { return .max }
    let end: UInt64
    switch readAhead {
    case .all: return .max
    case .bytes(let count): end = reader.position.addingClamped(count)
    case .seconds(let seconds):
      guard let timeline else { return reader.position.addingClamped(limits.unknownReadAheadBytes) }
      end = timeline.end(ofNext: seconds, after: reader.position)
      // What lies behind the last second is nobody's second: who has come so far takes it all.
      if end >= timeline.end(ofFirst: .infinity) { return .max }
    }
    return max(end, reader.position.addingClamped(limits.leastReadAheadBytes))
  }

  /// The requests that will soon bring this byte.
  func fetches(near offset: UInt64, for use: FetchPriority) -> [FetchID] {
    fetches.filter { _, fetch in
      fetch.position <= offset && offset < fetch.end && offset - fetch.position <= limits.waitAheadBytes
        && fetch.isFill == (use == .fill)
    }.keys.sorted()
  }
}

// MARK: Readers

extension VersionStateMachine {
  /// Somebody begins to read: a reason to try again at once what had failed for the time being.
  mutating func add(_ use: FetchPriority, _ range: Range<UInt64>, now: Duration) -> (ReaderID, [Action]) {
    let id = newID()
    readers[id] = Reader(use: use, range: range, position: range.lowerBound)
    switch failure {
    case .replaced, .final(.trust): break
    case .passing, .final, nil: failure = nil
    }
    if use == .play {
      outage?.due = now
      if readers.count == 1 { outage?.since = now }
    }
    if canStore, let problem = storageProblem, now - problem.since >= limits.storeAgain {
      storageProblem = nil
      ranges.tryAgain()
      readFailures = 0
    }
    return (id, nextActions(now))
  }

  mutating func remove(_ id: ReaderID, now: Duration) -> [Action] {
    readers[id] = nil
    return nextActions(now)
  }

  mutating func setReadAhead(_ readAhead: ReadAhead, now: Duration) -> [Action] {
    self.readAhead = readAhead
    return nextActions(now)
  }

  /// - Parameter isPaced: whether holes are filled at a rate, and not as fast as it goes.
  mutating func setFilling(isPaced: Bool) { isFillPaced = isPaced }

  /// The recording's own index is here.
  mutating func knows(_ timeline: MovieTimeline, now: Duration) -> [Action] {
    self.timeline = timeline
    return nextActions(now)
  }

  /// The reader wants `count` bytes at `offset`, of which it takes what is there.
  mutating func read(_ id: ReaderID, at offset: UInt64, count: Int, now: Duration) -> (ReadDecision, [Action]) {
    guard var reader = readers[id] else { return (.fail(.final(.cancelled)), []) }
    reader.position = offset
    reader.waitsForAll = false
    if reader.wasLetGo, failure?.canPass == true {
      // It was told, and tries again.
      failure = nil
      outage = nil
      reader.wasLetGo = false
    }
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
      decision = .noRoom(storageProblem.reason)
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
    ranges.remove(range)
    guard let unclaimed else {
      canStore = false
      return storingFailed(reason, now: now)
    }
    for range in unclaimed + [range] { ranges.unclaim(range) }
    readFailures += 1
    return readFailures >= VersionRanges.tries ? storingFailed(reason, now: now) : nextActions(now)
  }

  /// Bytes in the file are not those that came.
  mutating func dropped(_ range: Range<UInt64>, now: Duration) -> [Action] {
    ranges.remove(range)
    ranges.unclaim(range)
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
    fetches[id]?.lastByte = now
  }

  /// Bytes have come.
  ///
  /// - Returns: where they belong, as far as they are wanted, and what of it is new; nil where the fetch is over.
  func arrived(_ id: FetchID, count: Int) -> (range: Range<UInt64>, new: [Range<UInt64>])? {
    guard let fetch = fetches[id], fetch.position < fetch.end else { return nil }
    let range = fetch.position..<(fetch.position + min(UInt64(max(0, count)), fetch.end - fetch.position))
    return (range, available.gaps(in: range))
  }

  /// What `arrived` told of is in the file. For a fetch that was stopped meanwhile it does not count: a sync may have
  /// failed since, and taken it.
  ///
  /// - Parameter written: what of the range was lacking when it was written; nil where that was all of it. What was there then
  ///   and has been given up since is not.
  mutating func stored(
    _ id: FetchID, _ range: Range<UInt64>, written: [Range<UInt64>]? = nil, now: Duration
  ) -> [Action] {
    guard var fetch = fetches[id], range.lowerBound <= fetch.position else { return [] }
    for part in written ?? [range] { ranges.insert(part, now: now) }
    rate.add(range.upperBound - range.lowerBound, at: now)
    link.received(
      range.upperBound - range.lowerBound, wasComing: fetches.values.contains { $0.hasBytes }, at: now)
    lastByte = now
    outage = nil
    fetch.hasBytes = true
    fetch.position = max(fetch.position, range.upperBound)
    fetch.lastByte = now
    var actions = stopRivals(of: id, fetch)
    fetch.isRival = false
    fetches[id] = fetch.position < fetch.end ? fetch : nil
    for (reader, state) in readers where state.waitingSince != nil {
      if state.waitsForAll ? available.contains(state.range) : available.end(from: state.position) > state.position {
        actions += wake(reader)
      }
    }
    return actions + nextActions(now)
  }

  /// Whoever is first to bring a byte goes on alone. What has said nothing since before a rival was sent that was answered is
  /// as dead as what that one stands in for.
  private mutating func stopRivals(of id: FetchID, _ fetch: Fetch) -> [Action] {
    let others = fetches.filter { other, rival in
      other != id
        && ((rival.isRival || fetch.isRival) && rival.position < fetch.position && fetch.position <= rival.end
          || fetch.isRival && rival.lastByte <= fetch.started)
    }
    for other in others.keys { fetches[other] = nil }
    return others.keys.sorted().map { .stop($0) }
  }

  /// Nothing was taken from the fetch on purpose.
  mutating func rested(_ id: FetchID, now: Duration) { fetches[id]?.lastByte = now }

  /// Bytes came straight to a reader, past the cache.
  mutating func passed(_ count: Int, now: Duration) {
    rate.add(UInt64(max(0, count)), at: now)
    lastByte = now
    outage = nil
  }

  /// Nothing more can be stored; who waits is served past the cache.
  mutating func storingFailed(_ reason: FileFailure, now: Duration) -> [Action] {
    storageProblem = (reason, now)
    return nextActions(now) + wakeAll()
  }

  /// The robot's answer is over.
  ///
  /// - Parameters:
  ///   - failure: nil where it ended in good order.
  ///   - random: 0 to 1, so that many clients do not all come back at once.
  mutating func ended(_ id: FetchID, _ failure: FetchFailure?, random: Double, now: Duration) -> [Action] {
    // One that was stopped fails too, and that means nothing.
    guard let fetch = fetches.removeValue(forKey: id), !fetch.isRunningOut else { return nextActions(now) }
    // The one that it was to stand in for still runs.
    let isStoodInFor = fetches.values.contains { $0.position <= fetch.position && fetch.position < $0.end }
    if fetch.isRival, isStoodInFor, failure?.canPass ?? true { return nextActions(now) }
    return failed(failure ?? .passing(.endedEarly), random: random, now: now)
  }

  /// A fetch, or a reader that goes past the cache, has failed.
  mutating func failed(_ failure: FetchFailure, random: Double, now: Duration) -> [Action] {
    // That somebody else answers is not undone by what fails after it.
    if case .final(.trust)? = self.failure { return nextActions(now) + wakeAll() }
    switch failure {
    case .replaced, .final:
      self.failure = failure
      outage = nil
      return nextActions(now) + wakeAll()
    case .passing(let error):
      // What breaks off together is one failure: six fetches must not wait as if the robot had been asked six times.
      if let outage, now < outage.due { return giveUpIfTooLong(now) + nextActions(now) }
      var backoff = outage?.backoff ?? Backoff(base: limits.retryBase, maximum: limits.retryMaximum)
      let isWaitedFor = readers.values.contains { $0.use == .play && ($0.waitingSince != nil || !isStoring) }
      let pause = backoff.pause(atMost: isWaitedFor ? limits.retryWaiting : nil, random: random)
      outage = Outage(error: error, backoff: backoff, since: outage?.since ?? now, due: now + pause)
      return giveUpIfTooLong(now) + nextActions(now)
    }
  }

  private mutating func giveUpIfTooLong(_ now: Duration) -> [Action] {
    guard let outage, failure == nil else { return [] }
    // Nobody's patience ends while nobody waits.
    let longest = readers.values.compactMap(\.waitingSince).min()
    guard let since = longest.map({ max($0, outage.since) }) ?? (isStoring ? nil : outage.since),
      now - since >= limits.giveUp
    else { return [] }
    failure = .passing(outage.error)
    self.outage = nil
    return wakeAll()
  }
}

// MARK: What the robot says

extension VersionStateMachine {
  /// Who answers in the robot's place is asked for nothing more.
  mutating func robotSaid(_ error: RobotError?, now: Duration) -> [Action] {
    robotSaid = error
    guard let error, case .trust = error else { return [] }
    return failed(.final(error), random: 0, now: now)
  }

  /// By a connection of which nothing is known yet.
  mutating func openedAnew() {
    robotSaid = nil
    failure = nil
    outage = nil
  }
}

// MARK: Durability

extension VersionStateMachine {
  /// Takes what is to be made durable now; empty where that is under way already, or nothing is there.
  mutating func beginCommit() -> RangeSet { ranges.beginCommit() }

  /// It is claimed.
  mutating func committed(now: Duration) -> [Action] {
    ranges.committed(now: now)
    // A background reader waits for what is durable.
    return readers.filter { $0.value.use != .play }.flatMap { wake($0.key) } + nextActions(now)
  }

  /// The file could not be synced.
  mutating func syncFailed(_ reason: FileFailure, now: Duration) -> [Action] {
    ranges.syncFailed()
    return storingFailed(reason, now: now)
  }

  /// The claim could not be written.
  mutating func commitFailed(_ reason: FileFailure, now: Duration) -> [Action] {
    ranges.commitFailed(now: now)
    return ranges.isGivenUp ? storingFailed(reason, now: now) : nextActions(now)
  }
}

// MARK: Time

extension VersionStateMachine {
  /// To be called every now and then while there is anything to look after.
  mutating func tick(random: Double, now: Duration) -> [Action] {
    var actions: [Action] = []
    for (id, fetch) in fetches
    where now - fetch.lastByte >= (fetch.isRunningOut ? min(limits.rival, limits.fetchIdle) : limits.fetchIdle) {
      fetches[id] = nil
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
    guard isStoring, failure == nil, outage.map({ now >= $0.due }) ?? true else { return [] }
    var actions: [Action] = []
    for (_, reader) in readers where reader.use == .play && reader.waitingSince != nil {
      let missing = available.end(from: reader.position)
      let near = fetches(near: missing, for: .play).compactMap { id in fetches[id].map { (id: id, fetch: $0) } }
      guard missing < reader.range.upperBound, let last = near.map({ $0.fetch.lastByte }).max(),
        let end = near.map({ $0.fetch.end }).max()
      else { continue }
      let rivals = near.filter { $0.fetch.isRival }
      guard now - last >= (rivals.isEmpty ? limits.rival : limits.rivalAgain),
        lastRival.map({ now - $0 >= limits.rivalAgain }) ?? true
      else { continue }
      lastRival = now
      for rival in rivals {
        fetches[rival.id] = nil
        actions.append(.stop(rival.id))
      }
      let id = newID()
      fetches[id] = Fetch(
        isFill: false, isRival: true, started: now, position: missing, end: end, lastByte: now)
      actions.append(.start(id, missing..<end, .onNewConnection))
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
    // What is in the file is worth keeping even where nothing more can be added.
    if ranges.isCommitDue(isUrgent: readers.isEmpty || !isStoring, now: now) { actions.append(.commit) }
    return actions
  }

  private mutating func planFetches(_ now: Duration) -> [Action] {
    let selection = FetchSelection(self)
    var actions = stop(except: selection.claimed)
    // While the robot is away nothing new is begun before its time.
    if let outage, now < outage.due { return actions }
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
  private mutating func start(_ want: FetchSelection.Want, _ now: Duration) -> [Action] {
    var end = min(want.end, want.missing.addingClamped(pieceBytes))
    for (id, fetch) in fetches {
      if fetch.position > want.missing { end = min(end, fetch.position) }
      // The other one is far behind: it ends where this one begins.
      if fetch.position <= want.missing, want.missing < fetch.end { fetches[id]?.end = want.missing }
    }
    let plan = FetchPlan(for: want.missing..<end, cached: available, policy: limits.plan)
    guard let range = plan.requests.first else { return [] }
    let id = newID()
    let isFill = want.reader.use == .fill
    fetches[id] = Fetch(
      isFill: isFill, started: now, position: range.lowerBound, end: range.upperBound, lastByte: now)
    return [.start(id, range, isFill && isFillPaced ? .paced : .usual)]
  }

  /// Ends what nobody needs; what is over in a moment may come to its end.
  private mutating func stop(except wanted: Set<FetchID>) -> [Action] {
    for id in wanted { fetches[id]?.isRunningOut = false }
    let unwanted = fetches.filter { !wanted.contains($0.key) }.sorted { one, other in
      (one.value.end - one.value.position, one.key) < (other.value.end - other.value.position, other.key)
    }
    var left = isStoring && failure == nil ? link.bytes(inRoundTrips: limits.runningOut) ?? 0 : 0
    var actions: [Action] = []
    for (id, fetch) in unwanted {
      let rest = fetch.end - fetch.position
      if rest <= left, !fetch.isRival {
        left -= rest
        fetches[id]?.isRunningOut = true
      } else {
        fetches[id] = nil
        actions.append(.stop(id))
      }
    }
    return actions
  }
}
