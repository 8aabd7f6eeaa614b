/// Brings recordings into the store, one at a time, and does there what is asked for.

internal import Formats
internal import Networking
internal import ObjectStore
internal import StoredRecordings
internal import RecordingLibrary
internal import System

/// An actor on a loop of its own, whose thread reads files as well: nothing that a viewer waits for runs there.
package actor Offloader {
  /// What it works with; of a test, other things.
  struct Surroundings {
    let store: any StoreAccess
    let files: any OffloadLibrary
    /// Of everything of the robot's, with its slash.
    let prefix: String
    /// The longest manifest that is read, in bytes.
    let manifestLimit: Int
    /// Threads that may wait for the disk.
    let pool: BlockingPool
    let log: @Sendable (LibraryEvent) -> Void
  }

  private let loop: EventLoop
  private let surroundings: Surroundings
  private let record: any OffloadRecord
  package nonisolated let board: OffloadBoard

  private var rows: [OffloadRow.Key: OffloadRow] = [:]
  private var tasks = OffloadTasks()
  /// Of what cannot be stored, when it is tried again.
  private var retries: [OffloadRow.Key: Deadline] = [:]
  /// What goes before all others.
  private var urgent: [OffloadRow.Key] = []
  private var backoff = Backoff()
  private var nextSweep: Deadline
  /// Since the last sweep something was met that this robot did not sign: nothing is touched.
  private var isForeign = false
  private var isStopped = false
  private var sleeper: Suspension<Void>?
  private var sleepTimer: LoopTimer?
  /// Something has come up since it looked last.
  private var hasNews = true

  package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

  /// It looks at all of the store so often,
  private static let sweepInterval = Duration.seconds(86_400)
  /// at what may not go on so often,
  private static let foreignInterval = Duration.seconds(600)
  /// and at what cannot be stored.
  private static let retryInterval = Duration.seconds(600)
  /// Without news it looks at its list so often.
  private static let idleInterval = Duration.seconds(60)

  init(
    _ surroundings: Surroundings, record: sending any OffloadRecord, on loop: EventLoop, board: OffloadBoard
  ) throws(OffloadError) {
    self.surroundings = surroundings
    self.loop = loop
    self.board = board
    nextSweep = loop.clock.now
    var rows: [OffloadRow.Key: OffloadRow] = [:]
    for row in try record.rows() { rows[row.key] = row }
    self.rows = rows
    self.record = record
  }

  // MARK: From outside

  /// Something about the recordings has changed.
  package nonisolated func lookAgain() { Task(executorPreference: loop) { await self.noteNews() } }

  /// - Returns: the tasks' numbers; nil where too many wait already.
  package func ask(_ verb: OffloadTask.Verb, of names: [String]) -> [UInt64]? {
    defer { noteNews() }
    let numbers = tasks.add(verb, names)
    publish()
    return numbers
  }

  /// All that is stored, for who asks about everything.
  package var storedNames: [String] {
    Set(rows.values.lazy.filter { $0.state == .stored }.map(\.name)).sorted()
  }

  /// Works until it is told to stop.
  package func run() async {
    for row in rows.values where row.state == .stored { surroundings.files.noteStored(row) }
    while !isStopped {
      hasNews = false
      let pause = await turn()
      publish()
      if !hasNews || pause.isForced { await sleep(for: pause.duration) }
    }
  }

  /// Ends it after the request that is under way.
  package func stop() {
    isStopped = true
    noteNews()
    wakeUp()
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
      if nextSweep <= loop.clock.now { try await sweep() }
      if let task = tasks.next() {
        await carryOut(task)
        return Pause(duration: .zero)
      }
      guard !isForeign, let row = nextRow() else { return Pause(duration: Self.idleInterval) }
      try await bring(row)
      noteSuccess()
      return Pause(duration: .zero)
    } catch {
      return noteFailure(error)
    }
  }

  private func noteSuccess() {
    backoff.succeeded()
    board.update { status in
      if case .store = status.trouble?.kind { status.trouble = nil }
      if status.trouble?.kind == .record { status.trouble = nil }
    }
  }

  private func noteFailure(_ error: OffloadError) -> Pause {
    let trouble: OffloadStatus.Trouble? =
      switch error {
      case .store(let failure): failure.trouble.map { .init(kind: .store($0), words: failure.description) }
      case .record(let words): .init(kind: .record, words: words)
      default: nil
      }
    guard let trouble else {
      surroundings.log(.warning(error.description))
      return Pause(duration: .zero)
    }
    let isNew = board.status.trouble != trouble
    board.update { $0.trouble = trouble }
    if isNew { surroundings.log(.warning(trouble.words)) }
    return Pause(duration: backoff.failed(), isForced: true)
  }

  // MARK: Which is next

  /// What was begun and has no recording any more, what somebody wants now, what is protected, and then the oldest first,
  /// for that goes first where room is made.
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
    let open = owed.filter { retries[$0.key] == nil && rows[$0.key]?.state != .stored }
    noteBacklog(owed)
    let first = urgent.lazy.compactMap { key in open.first { $0.key == key } }.first
    urgent.removeAll { key in !wanted.contains(key) }
    guard let next = first ?? open.first else { return nil }
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
        board.update { status in
          status.sentBytes += bytes
          if isAgain { status.resentBytes += bytes }
          status.current?.sentBytes += bytes
        }
      },
      now: { [clock = loop.clock] in clock.unixNanoseconds / 1_000_000_000 })
  }

  private func bring(_ row: OffloadRow) async throws(OffloadError) {
    board.update { $0.current = .init(name: row.name, sentBytes: 0, totalBytes: row.size) }
    defer { board.update { $0.current = nil } }
    let uploader = uploader
    do throws(OffloadError) {
      if row.state == .removing || row.state == .discarding {
        try await uploader.discard(row)
        rows[row.key] = nil
        return
      }
      let stored = try await uploader.store(row)
      rows[row.key] = stored
      board.update { $0.refusals[row.name] = nil }
      guard let stored else { return }
      surroundings.files.noteStored(stored)
      surroundings.files.announce([stored])
      board.update { $0.lastSuccess = UnixTimestamp(nanoseconds: loop.clock.unixNanoseconds) }
    } catch {
      readAgain(row.key)
      if case .store(let failure) = error, failure.trouble != nil { throw error }
      if case .record = error { throw error }
      // It is this one's own trouble: the others need not wait for it.
      retries[row.key] = loop.clock.deadline(after: Self.retryInterval)
      board.update { status in
        if status.refusals.count < 100 { status.refusals[row.name] = error.description }
      }
      throw error
    }
  }

  /// What was written down of a version before something failed.
  private func readAgain(_ key: OffloadRow.Key) {
    guard let all = try? record.rows() else { return }
    rows[key] = all.first { $0.key == key }
  }

  // MARK: Sweeping

  private func sweep() async throws(OffloadError) {
    let sweep = StartSweep(
      store: surroundings.store, files: surroundings.files, record: record, prefix: surroundings.prefix,
      manifestLimit: surroundings.manifestLimit)
    let outcome = try await sweep.run()
    var rows: [OffloadRow.Key: OffloadRow] = [:]
    for row in try record.rows() { rows[row.key] = row }
    self.rows = rows
    isForeign = !outcome.foreign.isEmpty
    nextSweep = loop.clock.deadline(after: isForeign ? Self.foreignInterval : Self.sweepInterval)
    for row in outcome.adopted { surroundings.files.noteStored(row) }
    for row in outcome.lost { surroundings.files.noteLost(row) }
    surroundings.files.announce(outcome.adopted + outcome.lost)
    surroundings.files.adopt(rows.values.filter { $0.state == .stored })
    tell(outcome)
  }

  private func tell(_ outcome: StartSweep.Outcome) {
    if let first = outcome.foreign.first {
      let words =
        "the store has \(outcome.foreign.count) manifest(s) below \(surroundings.prefix) that this robot did not sign, "
        + "\(first) for one: nothing there is touched. Give this robot another --robot-name or prefix, or put the earlier "
        + "keys' pins into earlier.pin"
      board.update { $0.trouble = .init(kind: .foreign, words: words) }
      return surroundings.log(.warning(words))
    }
    if let first = outcome.missing.first {
      let words =
        "\(outcome.missing.count) recording(s) that were stored are not in the store any more, and not here: "
        + "\(first.name) for one"
      board.update { $0.trouble = .init(kind: .missing, words: words) }
      surroundings.log(.warning(words))
    } else {
      board.update { status in
        if status.trouble?.kind == .foreign || status.trouble?.kind == .missing { status.trouble = nil }
      }
    }
    for row in outcome.lost {
      surroundings.log(.warning("\(row.name) is not in the store any more: it is brought there again"))
    }
    if !outcome.adopted.isEmpty {
      surroundings.log(.warning("\(outcome.adopted.count) recording(s) of this robot were found in the store"))
    }
  }

  // MARK: Tasks

  private func carryOut(_ task: OffloadTask) async {
    let state: OffloadTask.State
    do throws(OffloadError) {
      state = .done(try await outcome(of: task))
    } catch { state = .failed(error.description) }
    tasks.note(task.number, state)
  }

  private func outcome(of task: OffloadTask) async throws(OffloadError) -> String {
    guard !isForeign else { throw .refused(board.status.trouble?.words ?? "the store is not this robot's") }
    let stored = rows.values.filter { $0.name.utf8.elementsEqual(task.name.utf8) && $0.state == .stored }
    switch task.verb {
    case .now:
      if let owed = surroundings.files.owed().first(where: { $0.name.utf8.elementsEqual(task.name.utf8) }) {
        urgent.append(owed.key)
        retries[owed.key] = nil
        try await bring(rows[owed.key] ?? owed)
        return "it is in the store"
      }
      guard stored.isEmpty else { return "it is in the store already" }
      throw .refused("there is no recording of that name that could be stored")
    case .restore, .verify, .read, .remove: break
    }
    let work = StoredWork(store: surroundings.store, files: surroundings.files, prefix: surroundings.prefix)
    guard let row = surroundings.files.listed(of: stored) ?? stored.first else {
      throw .refused("the store has no recording of that name")
    }
    switch task.verb {
    case .now: return ""
    case .restore: return try await work.restore(row)
    case .verify: return try await work.verify(row, readingAll: false)
    case .read: return try await work.verify(row, readingAll: true)
    case .remove:
      guard !surroundings.files.isHere(row) else {
        throw .refused("it is still on the robot, and would be brought there again: delete it here first")
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
    let stored = rows.values.filter { $0.state == .stored }
    let bytes = stored.reduce(UInt64(0)) { $0 &+ $1.size }
    let all = tasks.all
    board.update { ($0.storedCount, $0.storedBytes, $0.tasks) = (stored.count, bytes, all) }
  }

  private func noteNews() {
    hasNews = true
    if backoff.failures == 0 { wakeUp() }
  }

  private func sleep(for duration: Duration) async {
    guard duration > .zero, !isStopped else { return }
    await Suspension.suspend { suspension in
      sleeper = suspension
      sleepTimer = loop.schedule(at: loop.clock.deadline(after: duration)) { [weak self] in
        self?.assumeIsolated { $0.wakeUp() }
      }
    }
  }

  private func wakeUp() {
    sleepTimer?.cancel()
    sleepTimer = nil
    let waiting = sleeper
    sleeper = nil
    waiting?.resume()
  }
}
