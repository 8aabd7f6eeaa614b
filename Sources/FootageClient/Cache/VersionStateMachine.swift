/// Decides what is fetched of a version, who waits for what, and when it is made durable. Does nothing itself.

struct VersionStateMachine: Sendable {
  typealias ReaderID = UInt64
  typealias FetchID = UInt64

  let length: UInt64
  let limits: MediaCacheLimits
  private var canStore: Bool
  /// In the file, but perhaps not yet for good.
  private(set) var available: RangeSet
  /// In the file for good, and claimed in the index.
  private(set) var durable: RangeSet
  /// Being made durable just now.
  private(set) var committing = RangeSet()
  private(set) var pendingSince: Duration?
  /// Why nothing is stored.
  private(set) var storageProblem: (reason: String, since: Duration)?
  private(set) var readers: [ReaderID: Reader] = [:]
  private(set) var fetches: [FetchID: Fetch] = [:]
  private(set) var trouble: Trouble?
  /// Why missing bytes will not come, until somebody new asks.
  private(set) var failure: FetchFailure?
  /// What the robot said when it was asked about the recording itself.
  private(set) var robotSaid: RobotError?
  private(set) var rate = ByteRate()
  private(set) var lastByte: Duration?
  private var commitFailures = 0
  private var readFailures = 0
  private var nextID: UInt64 = 1

  /// - Parameter problem: why nothing can be stored, ever.
  init(length: UInt64, durable: RangeSet, limits: MediaCacheLimits, problem: String? = nil) {
    self.length = length
    self.limits = limits
    canStore = problem == nil
    storageProblem = problem.map { ($0, .zero) }
    self.durable = durable
    available = durable
  }

  /// Received, and not yet claimed.
  var pending: RangeSet {
    var pending = available
    pending.subtract(durable)
    return pending
  }

  var isComplete: Bool { durable.contains(0..<length) }
  var isStoring: Bool { storageProblem == nil }
  /// Whether there is nothing to look after.
  var isAtRest: Bool {
    readers.isEmpty && fetches.isEmpty && committing.isEmpty && (pending.isEmpty || commitFailures >= Self.tries)
  }

  /// Failures of the disk in a row after which it is let be.
  private static let tries = 3
}

// MARK: Readers

extension VersionStateMachine {
  /// Somebody begins to read: a reason to try again at once what had failed for the time being.
  mutating func add(_ use: Use, _ range: Range<UInt64>, now: Duration) -> (ReaderID, [Action]) {
    let id = newID()
    readers[id] = Reader(use: use, range: range, position: range.lowerBound)
    switch failure {
    case .replaced, .final(.trust): break
    case .passing, .final, nil: failure = nil
    }
    if use == .play { trouble?.due = now }
    if canStore, let problem = storageProblem, now - problem.since >= limits.storeAgain {
      storageProblem = nil
      commitFailures = 0
      readFailures = 0
    }
    return (id, decide(now))
  }

  mutating func remove(_ id: ReaderID, now: Duration) -> [Action] {
    readers[id] = nil
    return decide(now)
  }

  /// The reader wants `count` bytes at `offset`, of which it takes what is there.
  mutating func read(_ id: ReaderID, at offset: UInt64, count: Int, now: Duration) -> (ReadDecision, [Action]) {
    guard var reader = readers[id] else { return (.fail(.final(.cancelled)), []) }
    reader.position = offset
    let end = min(available.end(from: offset), reader.range.upperBound)
    let decision: ReadDecision
    if end > offset {
      decision = .local(offset..<min(end, offset.addingClamped(UInt64(max(1, count)))))
    } else if let failure {
      decision = .fail(failure)
    } else if !isStoring {
      let next = available.parts(in: offset..<reader.range.upperBound).first?.lowerBound ?? reader.range.upperBound
      decision = .direct(offset..<next)
    } else {
      decision = .wait
    }
    if case .wait = decision { reader.waitingSince = reader.waitingSince ?? now } else { reader.waitingSince = nil }
    readers[id] = reader
    return (decision, decide(now))
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
    return (decision, decide(now))
  }

  func isWaiting(_ id: ReaderID) -> Bool { readers[id]?.waitingSince != nil }

  /// Bytes that should have been in the file could not be read.
  ///
  /// - Parameter unclaimed: what the index no longer claims, of which the bytes may still be good; nil where it still
  ///   claims all of it. Then nothing is stored any more: it would be written over what is claimed.
  mutating func readFailed(
    _ range: Range<UInt64>, _ reason: String, unclaimed: [Range<UInt64>]?, now: Duration
  ) -> [Action] {
    available.remove(range)
    guard let unclaimed else {
      canStore = false
      return storingFailed(reason, now: now)
    }
    for range in unclaimed + [range] { durable.remove(range) }
    readFailures += 1
    return readFailures >= Self.tries ? storingFailed(reason, now: now) : decide(now)
  }

  /// Bytes in the file are not those that came.
  mutating func dropped(_ range: Range<UInt64>, now: Duration) -> [Action] {
    available.remove(range)
    durable.remove(range)
    return decide(now)
  }
}

// MARK: Fetches

extension VersionStateMachine {
  func isRunning(_ id: FetchID) -> Bool { fetches[id] != nil }

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
  mutating func stored(_ id: FetchID, _ range: Range<UInt64>, now: Duration) -> [Action] {
    guard var fetch = fetches[id], range.lowerBound <= fetch.position else { return [] }
    let before = available
    available.insert(range)
    if pendingSince == nil, !pending.isEmpty { pendingSince = now }
    rate.add(range.upperBound - range.lowerBound, at: now)
    lastByte = now
    trouble = nil
    fetch.position = max(fetch.position, range.upperBound)
    fetch.lastByte = now
    fetches[id] = fetch.position < fetch.end ? fetch : nil
    var actions: [Action] = []
    for (reader, state) in readers where state.waitingSince != nil {
      // Background readers wait for all of it, and are woken by each new byte to look.
      if available.end(from: state.position) > state.position || (state.use != .play && before != available) {
        actions += wake(reader)
      }
    }
    return actions + decide(now)
  }

  /// Nothing was taken from the fetch on purpose.
  mutating func rested(_ id: FetchID, now: Duration) { fetches[id]?.lastByte = now }

  /// Bytes came straight to a reader, past the cache.
  mutating func passed(_ count: Int, now: Duration) {
    rate.add(UInt64(max(0, count)), at: now)
    lastByte = now
    trouble = nil
  }

  /// Nothing more can be stored; who waits is served past the cache.
  mutating func storingFailed(_ reason: String, now: Duration) -> [Action] {
    storageProblem = (reason, now)
    return decide(now) + wakeAll()
  }

  /// The robot's answer is over.
  ///
  /// - Parameters:
  ///   - failure: nil where it ended in good order.
  ///   - random: 0 to 1, so that many clients do not all come back at once.
  mutating func ended(_ id: FetchID, _ failure: FetchFailure?, random: Double, now: Duration) -> [Action] {
    // One that was stopped fails too, and that means nothing.
    guard fetches.removeValue(forKey: id) != nil else { return decide(now) }
    return failed(failure ?? .passing(.endedEarly), random: random, now: now)
  }

  /// A fetch, or a reader that goes past the cache, has failed.
  mutating func failed(_ failure: FetchFailure, random: Double, now: Duration) -> [Action] {
    switch failure {
    case .replaced, .final:
      self.failure = failure
      trouble = nil
      return decide(now) + wakeAll()
    case .passing(let error):
      // What breaks off together is one failure: six fetches must not wait as if the robot had been asked six times.
      if let trouble, now < trouble.due { return giveUpIfTooLong(now) + decide(now) }
      let attempt = (trouble?.attempt ?? 0) + 1
      let doubled = limits.retryBase * (1 << min(attempt - 1, 20))
      let pause = min(limits.retryMaximum, doubled) * (0.5 + random / 2)
      trouble = Trouble(error: error, attempt: attempt, since: trouble?.since ?? now, due: now + pause)
      return giveUpIfTooLong(now) + decide(now)
    }
  }

  private mutating func giveUpIfTooLong(_ now: Duration) -> [Action] {
    guard let trouble, now - trouble.since >= limits.giveUp else { return [] }
    failure = .passing(trouble.error)
    self.trouble = nil
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
  }
}

// MARK: Durability

extension VersionStateMachine {
  /// Takes what is to be made durable now; empty where that is under way already, or nothing is there.
  mutating func beginCommit() -> RangeSet {
    guard committing.isEmpty else { return RangeSet() }
    committing = pending
    pendingSince = nil
    return committing
  }

  /// It is in the index.
  mutating func committed(now: Duration) -> [Action] {
    durable.formUnion(committing)
    committing = RangeSet()
    commitFailures = 0
    pendingSince = pending.isEmpty ? nil : pendingSince ?? now
    // A background reader waits for what is durable.
    return readers.filter { $0.value.use != .play }.flatMap { wake($0.key) } + decide(now)
  }

  /// The file could not be synced: nothing of what was written since the last time can be relied upon.
  mutating func syncFailed(_ reason: String, now: Duration) -> [Action] {
    available = durable
    committing = RangeSet()
    pendingSince = nil
    return storingFailed(reason, now: now)
  }

  /// The index could not be written: the bytes are good, and may be claimed later.
  mutating func commitFailed(_ reason: String, now: Duration) -> [Action] {
    committing = RangeSet()
    pendingSince = now
    commitFailures += 1
    return commitFailures >= Self.tries ? storingFailed(reason, now: now) : decide(now)
  }
}

// MARK: Time

extension VersionStateMachine {
  /// To be called every now and then while there is anything to look after.
  mutating func tick(random: Double, now: Duration) -> [Action] {
    var actions: [Action] = []
    for (id, fetch) in fetches where now - fetch.lastByte >= limits.fetchIdle {
      fetches[id] = nil
      actions.append(.stop(id))
      let seconds = limits.fetchIdle.components.seconds
      actions += failed(
        .passing(.unreachable("no byte has come for \(seconds) seconds")), random: random, now: now)
    }
    return actions + giveUpIfTooLong(now) + decide(now)
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
  private mutating func decide(_ now: Duration) -> [Action] {
    var actions = isStoring && failure == nil ? steer(now) : stop(except: [])
    let isDue =
      pendingSince.map { now - $0 >= limits.commitDelay } ?? false || readers.isEmpty
      || pending.byteCount >= limits.commitBytes || available.contains(0..<length) || !isStoring
    let mayTry =
      commitFailures == 0
      || (commitFailures < Self.tries && now - (pendingSince ?? now) >= limits.commitDelay)
    // What is in the file is worth keeping even where nothing more can be added.
    if isDue, mayTry, committing.isEmpty, !pending.isEmpty { actions.append(.commit) }
    return actions
  }

  private mutating func steer(_ now: Duration) -> [Action] {
    let wanting = readers.compactMap { id, reader -> (id: ReaderID, reader: Reader, missing: UInt64)? in
      let missing = available.end(from: reader.position)
      return missing < reader.range.upperBound ? (id, reader, missing) : nil
    }
    // Who plays outranks who does not; who waits, and for longest, outranks who has something to go on with.
    let use = wanting.map(\.reader.use).min()
    let ranked = wanting.filter { $0.reader.use == use }.sorted { one, other in
      switch (one.reader.waitingSince, other.reader.waitingSince) {
      case (let since?, let otherSince?): (since, one.id) < (otherSince, other.id)
      case (nil, nil): one.id < other.id
      case (let since, _): since != nil
      }
    }
    var claimed: Set<FetchID> = []
    var unserved: [(reader: Reader, missing: UInt64)] = []
    var served = 0
    for want in ranked {
      if let id = fetch(near: want.missing, for: want.reader.use) {
        if claimed.contains(id) { continue }
        guard served < limits.fetches else { continue }
        claimed.insert(id)
        served += 1
      } else if served < limits.fetches {
        served += 1
        unserved.append((want.reader, want.missing))
      }
    }
    var actions = stop(except: claimed)
    // While the robot is away nothing new is begun before its time.
    if let trouble, now < trouble.due { return actions }
    // From the end, so that no request is made for what the next one asks for.
    for want in unserved.sorted(by: { $0.missing > $1.missing }) {
      // One of those just begun may have it.
      if fetch(near: want.missing, for: want.reader.use) != nil { continue }
      actions += start(want.reader, at: want.missing, now)
    }
    return actions
  }

  /// The fetch that will soon bring this byte.
  private func fetch(near offset: UInt64, for use: Use) -> FetchID? {
    fetches.filter { _, fetch in
      fetch.position <= offset && offset < fetch.end && offset - fetch.position <= limits.waitAheadBytes
        && fetch.isPaced == (use == .fill)
    }.max { $0.value.position < $1.value.position }?.key
  }

  /// Begins a fetch at a missing byte, up to where the cache, the reader's wish, another fetch or its fair share of a
  /// connection ends it.
  private mutating func start(_ reader: Reader, at missing: UInt64, _ now: Duration) -> [Action] {
    var end = min(reader.range.upperBound, missing.addingClamped(limits.requestBytes))
    for (id, fetch) in fetches {
      if fetch.position > missing { end = min(end, fetch.position) }
      // The other one is far behind: it ends where this one begins.
      if fetch.position <= missing, missing < fetch.end { fetches[id]?.end = missing }
    }
    let plan = FetchPlan(for: missing..<end, cached: available, policy: limits.plan)
    guard let range = plan.requests.first else { return [] }
    let id = newID()
    fetches[id] = Fetch(
      isPaced: reader.use == .fill, position: range.lowerBound, end: range.upperBound, lastByte: now)
    return [.start(id, range, isPaced: reader.use == .fill)]
  }

  private mutating func stop(except wanted: Set<FetchID>) -> [Action] {
    let unwanted = fetches.keys.filter { !wanted.contains($0) }.sorted()
    for id in unwanted { fetches[id] = nil }
    return unwanted.map { .stop($0) }
  }
}
