internal import FootageAPI
internal import Formats
internal import Networking
internal import ObjectStore
package import RecordingLibrary
internal import StoredRecordings
internal import FootageSystem

/// Brings recordings into the store, one at a time, and does there what is asked for.
///
/// An actor on a loop of its own, whose thread reads files as well: nothing that a viewer waits for runs there.
package actor Offloader {
  /// What it works with; of a test, other things.
  struct Surroundings {
    let store: any StoreAccess
    /// The same by the connections on which viewers are answered: what keeps these open saves the first of them some
    /// round trips.
    let reading: any StoreAccess
    /// The same by a connection for short questions alone.
    let asking: any StoreAccess
    let files: any OffloadLibrary
    /// Of everything of the robot's, with its slash.
    let prefix: String
    /// The longest manifest that is read, in bytes.
    let manifestLimit: Int
    /// Threads that may wait for the disk.
    let pool: BlockingPool
    /// A store from which so long nothing was heard is asked whether it is there.
    var probeInterval = Duration.seconds(20)
    let log: @Sendable (LibraryEvent) -> Void
  }

  private let loop: EventLoop
  private let surroundings: Surroundings
  private let record: any OffloadRecord
  package nonisolated let board: OffloadBoard

  private var rows: [VersionKey: OffloadRow] = [:]
  private var tasks = OffloadTasks()
  /// Of what cannot be stored, when it is tried again,
  private var retries: [VersionKey: Deadline] = [:]
  /// and why it could not.
  private var refusals: [VersionKey: String] = [:]
  private var troubles = OffloadTroubles()
  /// What the store was found not to have any more. What of it is on the robot leaves this as soon as that is known, and
  /// is sent again; the rest is missing.
  private var lost: [VersionKey: LostVersion] = [:]
  /// Whose rows say that they are protected.
  private var keptKeys: Set<VersionKey> = []
  private var backoff = Backoff(from: .seconds(1))
  private var nextSweep: Deadline
  private var nextProbe: Deadline
  /// Since the last sweep something was met that this robot did not sign: nothing is touched.
  private var isForeign = false
  /// The last sweep met manifests that are listed, and could not be read.
  private var hasUnread = false
  private var nextLossLook = Deadline.never
  private var isStopped = false
  private let sleeper: LoopSleeper
  /// Something has come up since it looked last.
  private var hasNews = true

  package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

  private struct LostVersion {
    let row: OffloadRow
    let loss: StoreLoss
    /// Whether it is on the robot, as of the last look.
    var presence: FilePresence
  }

  /// It looks at all of the store so often,
  private static let sweepInterval = Duration.seconds(86_400)
  /// at what may not go on so often, and the first time sooner: one false answer of the store is to hold up nobody,
  private static let foreignInterval = Duration.seconds(600)
  private static let foreignRetry = Duration.seconds(20)
  /// at what it alone had and was found not to have so often, and at so many at a time,
  private static let lossInterval = Duration.seconds(20)
  private static let lossesAtOnce = 20
  /// and at what cannot be stored.
  private static let retryInterval = Duration.seconds(600)

  init(
    _ surroundings: Surroundings, record: sending any OffloadRecord, on loop: EventLoop, board: OffloadBoard
  ) throws(OffloadError) {
    self.surroundings = surroundings
    self.loop = loop
    self.board = board
    sleeper = LoopSleeper(on: loop)
    nextSweep = loop.clock.now
    nextProbe = loop.clock.now
    var rows: [VersionKey: OffloadRow] = [:]
    for row in try record.rows() { rows[row.key] = row }
    // Before anybody looks into the folder: what is not there then is no loss.
    for row in rows.values where row.state == .stored {
      surroundings.files.noteStored(row)
      if row.isDistrusted { surroundings.files.noteDoubt(row) }
    }
    self.rows = rows
    keptKeys = Set(rows.values.filter(\.isKept).map(\.key))
    self.record = record
  }

  // MARK: From outside

  /// Something about the recordings has changed.
  package nonisolated func lookAgain() { Task(executorPreference: loop) { await self.noteNews() } }

  /// - Parameter names: of recordings, with or without the extension of their files.
  /// - Returns: the tasks' numbers; nil where too many wait already.
  package func ask(_ verb: OffloadTask.Verb, of names: [String]) -> [UInt64]? {
    let numbers = tasks.add(verb, listedNames(names))
    publish()
    hasNews = true
    // Somebody waits for the answer: a store that was away is tried now.
    sleeper.wake()
    return numbers
  }

  /// A name that is not a recording's is one with the extension of its file.
  private func listedNames(_ names: [String]) -> [String] {
    guard names.contains(where: { RecordingName.isVideo(Array($0.utf8)) }) else { return names }
    var known = Set(rows.values.map { RelativePath($0.name) })
    for row in surroundings.files.owed() { known.insert(RelativePath(row.name)) }
    return names.map { name in
      guard !known.contains(RelativePath(name)), case .recording(let bare) = RecordingName.of(RelativePath(name)) else {
        return name
      }
      return bare.text
    }
  }

  /// Asks the store whether it has a version, whose file on the robot is about to go. What it does not have is sent
  /// again.
  package func confirm(_ name: String, version: String) async -> StoreAnswer {
    let key = VersionKey(name: name, tag: version)
    guard let row = rows[key], row.state == .stored else { return .unknown("nothing is written down of it") }
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

  /// All that is stored, for who asks about everything.
  package var storedNames: [String] {
    Set(rows.values.lazy.filter { $0.state == .stored }.map(\.name)).sorted()
  }

  /// Works until it is told to stop.
  package func run() async {
    // Whether or not the store answers.
    adoptStored()
    while !isStopped {
      hasNews = false
      let pause = await turn()
      publish()
      if !isStopped, !hasNews || pause.isForced { await sleeper.sleep(for: pause.duration) }
    }
  }

  /// Ends it after the request that is under way.
  package func stop() {
    isStopped = true
    sleeper.wake()
  }

  // MARK: A turn

  /// One turn, for who wants to look between two of them.
  func turnOnce() async {
    _ = await turn()
    publish()
  }

  private struct Pause {
    var duration: Duration
    /// Whether news do not end it: the store is given its time.
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
    // What is wrong with a look at all of the store is no recording's own affair.
    let isOfSweep = nextSweep <= loop.clock.now
    guard let trouble = error.trouble ?? (isOfSweep ? HealthReport.Reason(.offloadAway, error.description) : nil) else {
      surroundings.log(.warning(error.description))
      return Pause(duration: .zero)
    }
    // Who waits for something gets an answer now.
    tasks.failWaiting(trouble.text)
    note(trouble)
    backoff.failed()
    return Pause(duration: backoff.pause, isForced: true)
  }

  private func note(_ trouble: HealthReport.Reason) {
    if troubles.failure != trouble { surroundings.log(.warning(trouble.text)) }
    troubles.failure = trouble
  }

  // MARK: Which is next

  /// What was begun and has no recording any more, what is protected, and then the oldest first, for that goes first where
  /// room is made.
  private func nextRow() -> OffloadRow? {
    let now = loop.clock.now
    retries = retries.filter { $0.value > now }
    let owed = surroundings.files.owed()
    let wanted = Set(owed.map(\.key))
    for row in rows.values
    where row.state != .stored && !wanted.contains(row.key) && retries[row.key] == nil {
      // Where the disk may only be away, it may come back.
      guard row.state == .removing || !surroundings.files.mayHold(keys(of: row)) else { continue }
      return row
    }
    noteBacklog(owed)
    guard let next = owed.first(where: { retries[$0.key] == nil && rows[$0.key]?.state != .stored }) else { return nil }
    return rows[next.key] ?? next
  }

  private func keys(of row: OffloadRow) -> ObjectKeys {
    ObjectKeys(prefix: surroundings.prefix, name: row.name, tag: row.tag)
  }

  private func noteBacklog(_ owed: [OffloadRow]) {
    let oldest = surroundings.files.oldestOwed()
    let bytes = owed.reduce(UInt64(0)) { $0 &+ $1.size }
    board.update { ($0.backlogCount, $0.backlogBytes, $0.oldest) = (owed.count, bytes, oldest) }
  }

  // MARK: Bringing

  private var uploader: Uploader {
    let board = board
    return Uploader(
      store: surroundings.store, files: surroundings.files, record: record, prefix: surroundings.prefix,
      pool: surroundings.pool,
      onSent: { bytes, isAgain in
        board.update { report in
          report.sentBytes += bytes
          if isAgain { report.resentBytes += bytes }
          report.current?.sentBytes += bytes
        }
      },
      now: { [clock = loop.clock] in clock.unixNanoseconds / 1_000_000_000 })
  }

  /// - Returns: whether the version is in the store; else it is no more, neither here nor there.
  private func bring(_ row: OffloadRow) async throws(OffloadError) -> Bool {
    board.update { $0.current = .init(name: row.name, sentBytes: 0, totalBytes: row.size) }
    defer { board.update { $0.current = nil } }
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
      // The record has it.
      stored.manifest = nil
      rows[row.key] = stored
      refusals[row.key] = nil
      surroundings.files.noteStored(stored)
      surroundings.files.announce([stored])
      // Nothing was sent: what is there is all that there is.
      if stored.isDistrusted { _ = try noteLoss(stored, .bytes(key: keys(of: stored).file)) }
      board.update { $0.lastSuccess = UnixTimestamp(nanoseconds: loop.clock.unixNanoseconds) }
      return true
    } catch {
      // What was written down of it before that.
      if let written = try? record.row(of: row.key) { rows[row.key] = written }
      guard error.trouble == nil else { throw error }
      // It is this one's own affair: the others need not wait for it.
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
      // Somebody may have met the same meanwhile, so that it is on its way there again.
      guard let row = rows[row.key], row.state == .stored else { continue }
      _ = try noteLoss(row, loss)
    }
    // What the store has again is not missing any more.
    for key in lostBefore.keys where lost[key] == nil {
      guard let row = rows[key], row.state == .stored, !row.isDistrusted else { continue }
      surroundings.files.noteStored(row)
    }
    surroundings.files.noteFirstLook(hasSucceeded: true)
    adoptStored()
    tell(outcome)
    noteSuccess()
  }

  /// Writes down what is protected, so that it is so still when the catalog is lost. What is not listed stays as it was.
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

  // MARK: What the store has lost

  /// Takes in that the store does not have a version any more that it had.
  ///
  /// - Returns: whether its file is on the robot, and it is sent again; nil where nobody knows yet.
  private func noteLoss(_ row: OffloadRow, _ loss: StoreLoss) throws(OffloadError) -> Bool? {
    let presence = surroundings.files.presence(of: keys(of: row))
    var noted = row
    noted.manifest = nil
    // Durably, whether the file is here or not: it may come back, and is the only good copy then.
    if loss.isOfBytes { noted.isDistrusted = true }
    switch presence {
    case .here:
      lost[row.key] = nil
      noted.state = noted.isDistrusted ? .uploading : .queued
      noted.storedSeconds = nil
      noted.upload = nil
      try record.put(noted)
      rows[row.key] = noted
      retries[row.key] = nil
      surroundings.files.noteLost(noted)
      surroundings.files.announce([noted])
      surroundings.log(.warning("\(row.name): \(loss): it is brought there again"))
      hasNews = true
      sleeper.wake()
      return true
    case .absent, .unknown:
      if noted != rows[row.key] {
        try record.put(noted)
        rows[row.key] = noted
      }
      let isNews = lost[row.key]?.presence != presence
      lost[row.key] = LostVersion(row: noted, loss: loss, presence: presence)
      surroundings.files.noteDoubt(noted)
      if isNews, presence == .absent { surroundings.log(.warning("\(row.name): \(loss), and it is not on the robot")) }
      noteMissing()
      return presence == .absent ? false : nil
    }
  }

  /// A file may come back, or turn out to be there, once its disk is mounted or the folder was looked at.
  private func settleLosses() throws(OffloadError) {
    for (key, version) in lost {
      let presence = surroundings.files.presence(of: keys(of: version.row))
      guard presence != version.presence else { continue }
      if let row = rows[key], row.state == .stored {
        _ = try noteLoss(row, version.loss)
      } else {
        lost[key] = nil
      }
    }
    noteMissing()
  }

  /// A store that has said something wrong says better sooner or later.
  private func lookAtLosses() async throws(OffloadError) {
    guard !lost.isEmpty else {
      nextLossLook = .never
      return
    }
    guard nextLossLook <= loop.clock.now else {
      if nextLossLook == .never { nextLossLook = loop.clock.deadline(after: Self.lossInterval) }
      return
    }
    nextLossLook = loop.clock.deadline(after: Self.lossInterval)
    let presence = StoredPresence(store: surroundings.asking, prefix: surroundings.prefix)
    // That the store has other bytes, no length says: somebody has to have all of them read.
    for (key, version) in lost.filter({ !$0.value.row.isDistrusted }).shuffled().prefix(Self.lossesAtOnce) {
      do throws(OffloadError) {
        try await presence.expect(version.row, manifestLength: try record.manifest(of: key)?.count)
      } catch {
        guard case .lost = error else { throw error }
        continue
      }
      guard let row = rows[key], row.state == .stored, !row.isDistrusted, lost.removeValue(forKey: key) != nil else {
        continue
      }
      surroundings.files.noteStored(version.row)
      surroundings.log(.warning("\(version.row.name) is in the store again"))
    }
    noteMissing()
  }

  private func noteMissing() {
    let missing = lost.values.filter { $0.presence == .absent }.map(\.row.name)
    troubles.missing = missing.min().map { first in
      HealthReport.Reason(
        .offloadMissing,
        "\(missing.count) recording(s) that were in the store alone are not there any more, or not as they were: "
          + "\(first) for one. Put a copy back, if anybody has one; footage offload remove NAME takes one off the list")
    }
  }

  /// What the store has is listed, whatever became of the catalog.
  private func adoptStored() {
    surroundings.files.adopt(rows.values.filter { $0.state == .stored }) { try? record.manifest(of: $0) }
  }

  private func tell(_ outcome: StartSweep.Outcome) {
    let before = troubles.foreign
    troubles.foreign = outcome.foreign.first.map { first in
      HealthReport.Reason(
        .offloadForeign,
        "the store has \(outcome.foreign.count) manifest(s) below \(surroundings.prefix) that this robot did not sign, "
          + "\(first) for one: nothing there is touched. Give this robot another --robot-name or prefix, or put the "
          + "earlier keys' pins into earlier.pin")
    }
    noteMissing()
    if let foreign = troubles.foreign, foreign != before { surroundings.log(.warning(foreign.text)) }
    if !outcome.adopted.isEmpty {
      surroundings.log(.warning("\(outcome.adopted.count) recording(s) of this robot were found in the store"))
    }
  }

  // MARK: Tasks

  private func carryOut(_ task: OffloadTask) async {
    let state: OffloadTask.State
    do throws(OffloadError) {
      state = .done(try await outcome(of: task))
    } catch {
      state = .failed(error.description)
      if let trouble = error.trouble {
        note(trouble)
        nextProbe = loop.clock.now
      }
    }
    tasks.note(task.number, state)
  }

  private func outcome(of task: OffloadTask) async throws(OffloadError) -> String {
    if isForeign, let foreign = troubles.foreign { throw .refused(foreign.text) }
    let stored = rows.values.filter { $0.name.utf8.elementsEqual(task.name.utf8) && $0.state == .stored }
    switch task.verb {
    case .now:
      if let owed = surroundings.files.owed().first(where: { $0.name.utf8.elementsEqual(task.name.utf8) }) {
        retries[owed.key] = nil
        guard try await bring(rows[owed.key] ?? owed) else { throw .changed(name: task.name) }
        return "it is in the store"
      }
      guard stored.isEmpty else { return "it is in the store already" }
      throw .refused("there is no recording of that name that could be stored")
    case .restore, .verify, .read, .remove: break
    }
    let work = StoredWork(
      store: surroundings.store, files: surroundings.files, prefix: surroundings.prefix,
      manifestLimit: surroundings.manifestLimit)
    guard let row = surroundings.files.listed(of: stored) ?? stored.first else {
      throw .refused("the store has no recording of that name")
    }
    do throws(OffloadError) {
      let words = try await carryOut(task.verb, on: row, work)
      try noteFound(row, after: task.verb)
      return words
    } catch {
      guard case .lost(_, let loss) = error, let row = rows[row.key], row.state == .stored else { throw error }
      let then =
        switch try noteLoss(row, loss) {
        case true?: "it is brought there again"
        case false?: "it is not on the robot either"
        case nil: "whether it is on the robot is not known yet"
        }
      throw .refused("\(loss): \(then)")
    }
  }

  /// Whatever was missing of a version is there, or is wanted no more.
  private func noteFound(_ row: OffloadRow, after verb: OffloadTask.Verb) throws(OffloadError) {
    defer { noteMissing() }
    guard verb != .remove else { return lost[row.key] = nil }
    guard var found = rows[row.key], found.state == .stored else { return }
    // Its bytes were all read.
    if found.isDistrusted, verb == .read || verb == .restore {
      found.isDistrusted = false
      try record.put(found)
      rows[row.key] = found
    }
    guard !found.isDistrusted, lost.removeValue(forKey: row.key) != nil || verb == .read || verb == .restore else {
      return
    }
    surroundings.files.noteStored(found)
  }

  private func carryOut(
    _ verb: OffloadTask.Verb, on row: OffloadRow, _ work: StoredWork
  ) async throws(OffloadError) -> String {
    switch verb {
    case .now: return ""
    case .restore:
      // Where it is here, nothing is read.
      guard !surroundings.files.isHere(row) || !row.isDistrusted else {
        throw .lost(name: row.name, .bytes(key: keys(of: row).file))
      }
      return try await work.restore(row)
    case .verify:
      let words = try await work.verify(row, readingAll: false)
      guard !row.isDistrusted else { throw .lost(name: row.name, .bytes(key: keys(of: row).file)) }
      return words
    case .read: return try await work.verify(row, readingAll: true)
    case .remove:
      guard !surroundings.files.isHere(row) else {
        throw .refused("it is still on the robot, and would be brought there again: delete it here first")
      }
      // What the list does not have, nobody can say; then what was so when it had it counts.
      guard let isKept = surroundings.files.protection(of: row) else {
        throw .refused("it is not listed just now, so that nobody knows whether it is protected: try again later")
      }
      guard !isKept else {
        throw .refused(
          "it is protected: bring it back (footage offload restore), release it (footage release) and delete it here, then "
            + "it can be deleted there")
      }
      var gone = row
      gone.state = .removing
      try record.put(gone)
      rows[row.key] = gone
      surroundings.files.noteLost(row)
      surroundings.files.announce([row])
      try await uploader.discard(gone)
      rows[row.key] = nil
      return "it is deleted in the store"
    }
  }

  // MARK: Waiting

  private func publish() {
    let stored = rows.values.lazy.filter { $0.state == .stored }
    let (count, bytes) = stored.reduce((0, UInt64(0))) { ($0.0 + 1, $0.1 &+ $1.size) }
    let (tasks, troubles) = (tasks.all.map(\.report), troubles.all)
    refusals = refusals.filter { retries[$0.key] != nil }
    let told = refusals.prefix(Self.toldRefusals).map { OffloadReport.Refusal(name: $0.key.name, reason: $0.value) }
    board.update { report in
      (report.storedCount, report.storedBytes, report.tasks, report.troubles) = (count, bytes, tasks, troubles)
      report.refusals = told.sorted { $0.name < $1.name }
    }
  }

  /// Of those that cannot be stored, so many are named.
  private static let toldRefusals = 100

  private func noteNews() {
    hasNews = true
    if backoff.failures == 0 { sleeper.wake() }
  }
}
