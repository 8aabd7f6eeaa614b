internal import FootageAPI
internal import FootageBase
internal import FootageServing
package import FootageLibrary
internal import FootageSystem

/// An actor that copies recordings to the store, one at a time, and carries out tasks in the store.
///
/// It runs on a separate loop, whose thread also reads files. Viewers never wait for it.
package actor Offloader {
  /// The objects that an offloader uses. Tests replace them.
  struct Surroundings {
    let store: any Store
    /// The same store over the connections that are used for viewers. Probes keep these open, so that the first viewer
    /// need not wait for a handshake.
    let reading: any Store
    /// The same store over a connection that is used only for short requests.
    let asking: any Store
    let files: any OffloadLibrary
    /// The prefix of all of the robot's objects, with its slash.
    let prefix: String
    /// The longest manifest that is read, in bytes.
    let manifestLimit: Int
    /// Threads that may wait for the disk.
    let pool: BlockingPool
    /// The time without an answer of the store after which it is probed.
    var probeInterval = Duration.seconds(20)
    let log: @Sendable (LibraryEvent) -> Void
  }

  let loop: EventLoop
  let surroundings: Surroundings
  let record: any OffloadRecord
  package nonisolated let progress: OffloadProgress

  var rows: [VersionKey: OffloadRow] = [:]
  var tasks = OffloadTasks()
  /// The times at which versions that cannot be stored are tried again.
  var retries: [VersionKey: Deadline] = [:]
  /// The reasons why versions cannot be stored.
  private var refusals: [VersionKey: String] = [:]
  var troubles = OffloadTroubles()
  /// The versions that the store has lost. If a version's file is found on the robot, the version is removed from this
  /// list and sent again. The others are missing.
  var lost: [VersionKey: LostVersion] = [:]
  /// The versions that are protected according to their rows.
  private var keptKeys: Set<VersionKey> = []
  private var backoff = Backoff(from: .seconds(1), upTo: .seconds(30))
  private var nextSweep: Deadline
  var nextProbe: Deadline
  /// True if the last sweep found objects that this robot did not sign. The offloader then changes nothing in the
  /// store.
  var isForeign = false
  /// True if the last sweep found manifests that are listed and could not be read.
  private var hasUnread = false
  var nextLossLook = Deadline.never
  private var isStopped = false
  let sleeper: LoopSleeper
  /// True if recordings have changed since the last turn.
  var hasNews = true

  package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

  /// The interval between two sweeps of the whole store.
  private static let sweepInterval = Duration.seconds(86_400)
  /// The interval between sweeps while the store has foreign or unread manifests. The first interval is `foreignRetry`,
  /// so that a single wrong answer of the store does not delay the work for long.
  private static let foreignInterval = Duration.seconds(600)
  private static let foreignRetry = Duration.seconds(20)
  /// The interval after which a version that cannot be stored is tried again.
  private static let retryInterval = Duration.seconds(600)

  init(
    _ surroundings: Surroundings, record: sending any OffloadRecord, on loop: EventLoop, progress: OffloadProgress
  ) throws(OffloadError) {
    self.surroundings = surroundings
    self.loop = loop
    self.progress = progress
    sleeper = LoopSleeper(on: loop)
    nextSweep = loop.clock.now
    nextProbe = loop.clock.now
    var rows: [VersionKey: OffloadRow] = [:]
    for row in try record.rows() { rows[row.key] = row }
    // This precedes the first scan of the folder, so that files that are missing there do not count as lost.
    for row in rows.values where row.state == .stored {
      surroundings.files.noteStored(row)
      if row.isDistrusted { surroundings.files.noteDoubt(row) }
    }
    self.rows = rows
    keptKeys = Set(rows.values.filter(\.isKept).map(\.key))
    self.record = record
  }

  // MARK: Interface

  /// Records that recordings have changed, so that the offloader checks for work.
  package nonisolated func lookAgain() { Task(executorPreference: loop) { await self.noteNews() } }

  /// - Parameter names: the names of recordings, with or without the extensions of their files.
  /// - Returns: the tasks' numbers; nil if too many wait already.
  package func ask(_ verb: OffloadTask.Verb, of names: [String]) -> [UInt64]? {
    let numbers = tasks.add(verb, listedNames(names))
    publish()
    hasNews = true
    // A caller waits for the answer, so a store that was away is tried now.
    sleeper.wake()
    return numbers
  }

  /// Asks the store whether it has a version whose file on the robot is about to be deleted. A version that it does not
  /// have is sent again.
  package func confirm(_ name: String, version: String) async -> StoreAnswer {
    let key = VersionKey(name: name, tag: version)
    guard let row = rows[key], row.state == .stored else { return .unknown("it is not recorded as stored") }
    let presence = StoredPresence(store: surroundings.asking, prefix: surroundings.prefix)
    do throws(OffloadError) {
      do throws(OffloadError) {
        guard !row.isDistrusted else { throw .lost(name: name, .bytes(key: keys(of: row).file)) }
        try await presence.expect(row, manifestLength: try record.manifest(of: key)?.count)
        return .there
      } catch {
        guard case .lost(_, let loss) = error else { throw error }
        if let row = rows[key], row.state == .stored { _ = try noteLoss(row, loss) }
        return .lost
      }
    } catch {
      if let trouble = error.trouble { note(trouble) }
      return .unknown(error.description)
    }
  }

  /// The names of all stored recordings, for tasks that apply to all.
  package var storedNames: [String] {
    Set(rows.values.lazy.filter { $0.state == .stored }.map(\.name)).sorted()
  }

  /// Works until it is stopped.
  package func run() async {
    // This does not depend on the store's answers.
    adoptStored()
    while !isStopped {
      hasNews = false
      let pause = await turn()
      publish()
      if !isStopped, !hasNews || pause.isForced { await sleeper.sleep(for: pause.duration) }
    }
  }

  /// Stops the offloader after the current request.
  package func stop() {
    isStopped = true
    sleeper.wake()
  }

  // MARK: A turn

  /// Performs one turn, for tests that examine the state between two turns.
  func turnOnce() async {
    _ = await turn()
    publish()
  }

  private struct Pause {
    var duration: Duration
    /// True if the pause must not end early when recordings change, because the store needs time.
    var isForced = false
  }

  private func turn() async -> Pause {
    do throws(OffloadError) {
      try settleLosses()
      try noteProtections()
      if nextSweep <= loop.clock.now { try await sweep() }
      if let task = tasks.next() {
        await carryOut(task)
        return Pause(duration: .zero)
      }
      guard !isForeign, let row = nextRow() else {
        try await lookAtLosses()
        if nextProbe <= loop.clock.now {
          try await ofStore { () async throws(ObjectStoreError) in try await surroundings.reading.probe() }
          noteSuccess()
        }
        return Pause(duration: surroundings.probeInterval)
      }
      _ = try await bring(row)
      noteSuccess()
      return Pause(duration: .zero)
    } catch {
      return noteFailure(error)
    }
  }

  private func noteSuccess() {
    backoff.succeeded()
    troubles.failure = nil
    nextProbe = loop.clock.deadline(after: surroundings.probeInterval)
  }

  private func noteFailure(_ error: OffloadError) -> Pause {
    surroundings.files.noteFirstLook(hasSucceeded: false)
    // A failed sweep of the whole store concerns more than one recording.
    let isSweepDue = nextSweep <= loop.clock.now
    guard let trouble = error.trouble ?? (isSweepDue ? HealthReport.Reason(.offloadAway, error.description) : nil)
    else {
      surroundings.log(.warning(error.description))
      return Pause(duration: .zero)
    }
    // Callers that wait for something get an answer now.
    tasks.failWaiting(trouble.text)
    note(trouble)
    backoff.failed()
    return Pause(duration: backoff.pause, isForced: true)
  }

  func note(_ trouble: HealthReport.Reason) {
    if troubles.failure != trouble { surroundings.log(.warning(trouble.text)) }
    troubles.failure = trouble
  }

  // MARK: The next version

  /// Returns the row to work on next. Versions whose upload was begun but whose recording no longer exists come first,
  /// then protected ones, and then the oldest, because these are deleted first to make room.
  private func nextRow() -> OffloadRow? {
    let now = loop.clock.now
    retries = retries.filter { $0.value > now }
    let owed = surroundings.files.owed()
    let wanted = Set(owed.map(\.key))
    for row in rows.values
    where row.state != .stored && !wanted.contains(row.key) && retries[row.key] == nil {
      // If its disk may only be away, the file may come back.
      guard row.state == .removing || !surroundings.files.mayHold(keys(of: row)) else { continue }
      return row
    }
    noteBacklog(owed)
    guard let next = owed.first(where: { retries[$0.key] == nil && rows[$0.key]?.state != .stored }) else { return nil }
    return rows[next.key] ?? next
  }

  func keys(of row: OffloadRow) -> ObjectKeys {
    ObjectKeys(prefix: surroundings.prefix, name: row.name, tag: row.tag)
  }

  private func noteBacklog(_ owed: [OffloadRow]) {
    let oldest = surroundings.files.oldestOwed()
    let bytes = owed.reduce(UInt64(0)) { $0 &+ $1.size }
    progress.update { ($0.backlogCount, $0.backlogBytes, $0.oldest) = (owed.count, bytes, oldest) }
  }

  // MARK: Bringing

  var uploader: Uploader {
    let progress = progress
    return Uploader(
      store: surroundings.store, files: surroundings.files, record: record, prefix: surroundings.prefix,
      pool: surroundings.pool,
      onSent: { bytes, isAgain in
        progress.update { report in
          report.sentBytes += bytes
          if isAgain { report.resentBytes += bytes }
          report.current?.sentBytes += bytes
        }
      },
      now: { [clock = loop.clock] in clock.unixNanoseconds / 1_000_000_000 })
  }

  /// - Returns: true if the version is in the store; false if it no longer exists, neither on the disk nor in the
  ///   store.
  func bring(_ row: OffloadRow) async throws(OffloadError) -> Bool {
    progress.update { $0.current = .init(name: row.name, sentBytes: 0, totalBytes: row.size) }
    defer { progress.update { $0.current = nil } }
    let uploader = uploader
    do throws(OffloadError) {
      if row.state == .removing || row.state == .discarding {
        try await uploader.discard(row)
        rows[row.key] = nil
        return false
      }
      guard var stored = try await uploader.store(row) else {
        rows[row.key] = nil
        return false
      }
      // The record has the manifest.
      stored.manifest = nil
      rows[row.key] = stored
      refusals[row.key] = nil
      surroundings.files.noteStored(stored)
      surroundings.files.announce([stored])
      // Nothing was sent: the store's copy is the only one.
      if stored.isDistrusted { _ = try noteLoss(stored, .bytes(key: keys(of: stored).file)) }
      progress.update { $0.lastSuccess = UnixTimestamp(nanoseconds: loop.clock.unixNanoseconds) }
      return true
    } catch {
      // This is what was recorded of it before the error.
      if let written = try? record.row(of: row.key) { rows[row.key] = written }
      guard error.trouble == nil else { throw error }
      // The failure concerns this version alone, so the others need not wait for it.
      retries[row.key] = loop.clock.deadline(after: Self.retryInterval)
      refusals[row.key] = error.description
      throw error
    }
  }

  // MARK: Sweeping

  private func sweep() async throws(OffloadError) {
    let sweep = StartSweep(
      store: surroundings.reading, files: surroundings.files, record: record, prefix: surroundings.prefix,
      manifestLimit: surroundings.manifestLimit)
    let outcome = try await sweep.run()
    var rows: [VersionKey: OffloadRow] = [:]
    for row in try record.rows() { rows[row.key] = row }
    self.rows = rows
    let isRepeated = isForeign || hasUnread
    isForeign = !outcome.foreign.isEmpty
    hasUnread = outcome.unreadCount > 0
    nextSweep = loop.clock.deadline(
      after: !isForeign && !hasUnread ? Self.sweepInterval : isRepeated ? Self.foreignInterval : Self.foreignRetry)
    for row in outcome.adopted { surroundings.files.noteStored(row) }
    surroundings.files.announce(outcome.adopted)
    let lostBefore = lost
    lost = [:]
    for (row, loss) in outcome.lost {
      // The same loss may have been found meanwhile, so that the version is being sent again.
      guard let row = rows[row.key], row.state == .stored else { continue }
      _ = try noteLoss(row, loss)
    }
    // Versions that the store has again are not missing any more.
    for key in lostBefore.keys where lost[key] == nil {
      guard let row = rows[key], row.state == .stored, !row.isDistrusted else { continue }
      surroundings.files.noteStored(row)
    }
    surroundings.files.noteFirstLook(hasSucceeded: true)
    adoptStored()
    tell(outcome)
    noteSuccess()
  }

  /// Records which versions are protected, so that their protection survives a loss of the catalog. Versions that are
  /// not listed stay as they were.
  private func noteProtections() throws(OffloadError) {
    let kept = surroundings.files.kept
    for key in kept { try noteProtection(key, true) }
    for key in keptKeys where !kept.contains(key) {
      guard let row = rows[key], surroundings.files.protection(of: row) == false else { continue }
      try noteProtection(key, false)
    }
  }

  private func noteProtection(_ key: VersionKey, _ isKept: Bool) throws(OffloadError) {
    guard var row = rows[key], row.isKept != isKept else { return }
    row.isKept = isKept
    try record.put(row)
    rows[key] = row
    if isKept { keptKeys.insert(key) } else { keptKeys.remove(key) }
  }

  /// Adds the recordings that are in the store to the list, in case the catalog was lost.
  private func adoptStored() {
    surroundings.files.adopt(rows.values.filter { $0.state == .stored }) { try? record.manifest(of: $0) }
  }

  private func tell(_ outcome: StartSweep.Outcome) {
    let before = troubles.foreign
    troubles.foreign = outcome.foreign.first.map { first in
      HealthReport.Reason(
        .offloadForeign,
        "the store has \(outcome.foreign.count) \(outcome.foreign.count == 1 ? "manifest" : "manifests") below "
          + "\(surroundings.prefix) that this robot did not sign, for example \(first): nothing there is changed. Give "
          + "this robot another --robot-name or prefix, or add the earlier keys' pins to earlier.pin")
    }
    noteMissing()
    if let foreign = troubles.foreign, foreign != before { surroundings.log(.warning(foreign.text)) }
    if !outcome.adopted.isEmpty {
      let words = outcome.adopted.count == 1 ? "recording of this robot was" : "recordings of this robot were"
      surroundings.log(.warning("\(outcome.adopted.count) \(words) found in the store"))
    }
  }

  // MARK: Waiting

  private func publish() {
    let stored = rows.values.lazy.filter { $0.state == .stored }
    let (count, bytes) = stored.reduce((0, UInt64(0))) { ($0.0 + 1, $0.1 &+ $1.size) }
    let (tasks, troubles) = (tasks.all.map(\.report), troubles.all)
    refusals = refusals.filter { retries[$0.key] != nil }
    let told = refusals.prefix(Self.toldRefusals).map { OffloadReport.Refusal(name: $0.key.name, reason: $0.value) }
    progress.update { report in
      (report.storedCount, report.storedBytes, report.tasks, report.troubles) = (count, bytes, tasks, troubles)
      report.refusals = told.sorted { $0.name < $1.name }
    }
  }

  /// The largest number of versions that cannot be stored and are named in the report.
  private static let toldRefusals = 100

  private func noteNews() {
    hasNews = true
    if backoff.failures == 0 { sleeper.wake() }
  }
}
