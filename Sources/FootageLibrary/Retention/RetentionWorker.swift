internal import FootageBase
internal import FootageSystem

/// The worker that makes room: it checks recordings, room and clocks, and deletes the recordings that the rules select.
/// Only one thread may use it at a time, and everything in it blocks.
///
/// Viewers never wait for that thread, and it uses the library's own thread only briefly, because deleting a large file
/// may take half a second.
final class RetentionWorker {
  /// The functions that the worker needs from the library.
  struct Library: Sendable {
    let place: LibraryPaths
    let clock: Clock
    /// A function that runs `body` with the library's worker, and publishes the result if it is a change.
    let lend: @Sendable (_ isChange: Bool, _ body: (LibraryWorker) -> Void) -> Void
    let look: @Sendable (RelativePath) -> Void
    let log: @Sendable (LibraryEvent) -> Void
    /// A function that returns the space on the recordings' disk; nil if it cannot be determined.
    var space: @Sendable () -> FileSystemSpace?
    /// A function that receives the status.
    let tell: @Sendable (RetentionStatus) -> Void
    let isStopped: @Sendable () -> Bool
  }

  private let library: Library
  private let rules: RetentionRules
  private let started: Int64
  private var clock: RetentionClock
  private var progress = RetentionProgress()
  private var status = RetentionStatus()
  /// The versions that responses have open, with the time since which they are open.
  private var openSince: [FileVersion: Int64] = [:]
  /// The recordings that could not be deleted, with the time of the next attempt.
  private var retries: [RelativePath: Int64] = [:]
  private var nextRecord: Int64 = .min
  private var hour: (began: Int64, count: Int, bytes: UInt64)
  private var toldFailure: String?
  private var hasDated = false
  /// The versions in the store; nil if there is no store.
  private var stored: StoredVersions?
  /// The reason why the store did not answer in this turn, in words; nil if it did.
  private var storeSilence: String?
  /// The reason why recordings were kept although their deletion would free space: the store did not answer. Nil if
  /// there are no such recordings.
  private var storeFailure: String?
  private var unsettledPause = Duration.milliseconds(25)

  init(_ library: Library, rules: RetentionRules) {
    self.library = library
    self.rules = rules
    started = library.clock.uptimeNanoseconds
    hour = (started, 0, 0)
    let kept = RetentionRecord.read(at: library.place)
    clock = RetentionClock(earliest: FolderModel.buildNanoseconds, record: kept?.clock)
    status.isOn = rules.isActive
  }

  /// The pause between two turns.
  static let pause = Duration.seconds(10)
  /// The maximum number of recordings that are deleted before room and clocks are checked again.
  private static let turn = 256
  /// The maximum number of recordings whose rows are removed together.
  private static let batch = 16
  /// The pause before another attempt to delete a recording, in nanoseconds.
  private static let retryNanoseconds: Int64 = 600_000_000_000
  private static let hourNanoseconds: Int64 = 3_600_000_000_000
  /// The time between two writes of the record for the next run, in nanoseconds.
  private static let recordNanoseconds: Int64 = 600_000_000_000
  /// The longest wait for the first examination of the store after a start, if recordings that are not stored may also
  /// be deleted, in nanoseconds.
  private static let firstLookNanoseconds: Int64 = 600_000_000_000
  /// The pause between two checks of the room while the first examination of the store is awaited.
  private static let firstLookPause = Duration.seconds(1)

  /// - Returns: the pause until the next turn.
  func turn() -> Duration {
    let moment = self.moment()
    let space = library.space()
    keepRecord(at: moment, space)
    sumUp(at: moment)
    var candidates: [RetentionCandidate] = []
    var isSettled = false
    library.lend(false) { worker in
      isSettled = worker.isSettled
      stored = worker.storedVersions
      candidates = worker.retentionCandidates { self.openSince[$0.version] ?? moment.uptime }
    }
    openSince = Dictionary(
      candidates.compactMap { candidate in candidate.openSince.map { (candidate.version, $0) } }, uniquingKeysWith: min)
    foresee(candidates, space)
    defer { library.tell(status) }
    // Deleting waits until a server that has just started has examined the existing files.
    guard isSettled else {
      unsettledPause = min(unsettledPause * 2, Self.pause)
      return unsettledPause
    }
    unsettledPause = .milliseconds(25)
    guard rules.isActive, let space else { return Self.pause }
    guard DiskMarker.isThere(library.place) else {
      noteFailure(
        "the recordings folder has no \(DiskMarker.name), so nothing is deleted: if this is the disk of the "
          + "recordings, create it with footage keep --mark-disk")
      return Self.pause
    }
    progress.look(free: space.unusedBytes)
    (storeSilence, storeFailure) = (nil, nil)
    retries = retries.filter { $0.value > moment.uptime }
    for index in candidates.indices where retries[candidates[index].path] != nil {
      candidates[index].isLeftAlone = true
    }
    var rules = rules
    let awaitsStore = !rules.onlyStored && isAwaitingStore(at: moment)
    // A recording that is only believed to be stored does not count as lost, and is not deleted, until the store was
    // examined.
    if awaitsStore { rules.onlyStored = true }
    let plan = RetentionPlan(of: candidates, by: rules, room: space, at: moment)
    let deletedBefore = status.deletedRecordings
    let isMore = delete(plan) || isRoomTaken(since: deletedBefore)
    let failure = progress.reason ?? storeFailure
    noteFailure(failure)
    guard !(awaitsStore && plan.isShort) else { return Self.firstLookPause }
    noteShortage(plan.isShort && plan.deletions.isEmpty && failure == nil, space)
    return isMore ? .zero : Self.pause
  }

  /// Returns whether the space freed in this turn became part of the superuser's reserve, so that recorders have no
  /// more room than before. The next turn must then follow at once.
  private func isRoomTaken(since deletedBefore: UInt64) -> Bool {
    status.deletedRecordings > deletedBefore && progress.idleCount == 0 && progress.reason == nil
      && library.space()?.isReserveInUse == true
  }

  private func isAwaitingStore(at moment: RetentionMoment) -> Bool {
    stored?.firstLook == .pending && moment.uptime - started < Self.firstLookNanoseconds
  }

  private func moment() -> RetentionMoment {
    let (wall, uptime) = (library.clock.unixNanoseconds, library.clock.uptimeNanoseconds)
    if clock.look(wall: wall, uptime: uptime), rules.maxAge != nil || !rules.maxAgeByCamera.isEmpty {
      library.log(.warning("the clock has jumped by more than a day: --max-age deletes nothing for 24 hours"))
      nextRecord = .min
    }
    let moment = RetentionMoment(
      wall: wall, uptime: uptime, started: started, agesCount: clock.agesCount(wall: wall, uptime: uptime))
    status.ageHold =
      moment.agesCount ? nil : clock.isSet(wall: wall) ? "the clock has jumped recently" : "the clock is not set"
    if !hasDated, clock.isSet(wall: wall), rules.isActive {
      hasDated = true
      library.lend(false) { $0.dateSightings(at: moment) }
    }
    return moment
  }

  // MARK: Deleting

  /// - Returns: true if there is more to delete at once.
  private func delete(_ plan: RetentionPlan) -> Bool {
    var rest = plan.deletions.prefix(Self.turn)
    let before = status.deletedRecordings
    var tryCount = 0
    while !rest.isEmpty {
      guard progress.mayTry(after: tryCount), !library.isStopped() else { return false }
      // The first deletion of a turn shows whether the disk frees space at once; if it does not, wait for it. If a
      // store has to be asked, each file is deleted directly after its answer.
      let mayBatch = status.deletedRecordings > before && progress.idleCount == 0 && stored == nil
      let batch = rest.prefix(mayBatch ? Self.batch : 1)
      rest = rest.dropFirst(batch.count)
      tryCount += batch.count
      guard delete(batch) else { return false }
    }
    return plan.deletions.count > Self.turn && status.deletedRecordings > before
  }

  /// - Returns: true to continue at once.
  private func delete(_ batch: ArraySlice<RetentionPlan.Deletion>) -> Bool {
    var lists: KeptLists?
    library.lend(false) { lists = $0.keptLists }
    guard let lists else { return false }
    let files = FolderRemovalFiles(place: library.place, lists: lists)
    let removal = RecordingRemoval(files: files)
    let decided = batch.filter { deletion in
      attempt(deletion) { () throws(StorageError) in try removal.check(deletion.recording) } && mayLeaveStore(deletion)
    }
    var staying: Set<RelativePath> = []
    library.lend(true) { staying = $0.takeOut(decided.map(\.recording)) }
    var folders: Set<RelativePath> = []
    var goesOn = true
    for deletion in decided where !staying.contains(deletion.recording.path) {
      // List a file again that was taken off the list but stays.
      guard goesOn, !library.isStopped() else {
        library.look(deletion.recording.path)
        continue
      }
      let before = unusedBytes()
      _ = attempt(deletion) { () throws(StorageError) in try removal.remove(deletion.recording) }
      guard lastOutcome == .removed else { continue }
      folders.insert(deletion.recording.path.parent)
      let after = unusedBytes()
      note(deletion)
      if let before, let after {
        goesOn = progress.noteDeletion(expected: deletion.freed, before: before, after: after)
      }
    }
    for folder in folders {
      do throws(StorageError) { try files.sync(folder) } catch { library.log(.warning(error.description)) }
    }
    return goesOn
  }

  private var lastOutcome: RecordingRemoval<FolderRemovalFiles>.Outcome?

  /// - Returns: true if there was nothing to report: no outcome and no failure.
  private func attempt(
    _ deletion: RetentionPlan.Deletion,
    _ body: () throws(StorageError) -> RecordingRemoval<FolderRemovalFiles>.Outcome?
  ) -> Bool {
    let recording = deletion.recording
    lastOutcome = nil
    do throws(StorageError) {
      lastOutcome = try body()
    } catch {
      let isDiskFault = error.reason == .system(.readOnlyFileSystem)
      progress.noteFailure(error.description, ofDisk: isDiskFault)
      // A failure of the whole disk is logged only once.
      if !isDiskFault { library.log(.warning("\(recording.name) was not deleted: \(error)")) }
      leaveAlone(recording)
      return false
    }
    switch lastOutcome {
    case nil: return true
    case .removed: break
    case .gone: library.look(recording.path)
    case .spared(let reason):
      library.log(.note(name: recording.name, "it was not deleted: \(reason)"))
      leaveAlone(recording)
    case .renamed(let path, let reason):
      library.log(
        .warning(
          "\(recording.path) was not deleted, and is now \(path): \(reason), and another file has taken its name"))
      leaveAlone(recording)
      library.look(path)
    }
    return false
  }

  private func leaveAlone(_ recording: RetentionCandidate) {
    retries[recording.path] = library.clock.uptimeNanoseconds + Self.retryNanoseconds
    library.look(recording.path)
  }

  private func note(_ deletion: RetentionPlan.Deletion) {
    let size = deletion.recording.version.size
    library.log(.deleted(name: deletion.recording.name, bytes: size, reason: deletion.reason.description))
    if deletion.recording.isUnconfirmed {
      library.log(
        .warning(
          "\(deletion.recording.name) was deleted because nothing else made room, although the store has not confirmed "
            + "its copy since the server started: check footage offload status, or serve with --offload-strict")
      )
    } else if deletion.recording.isOwed {
      library.log(
        .warning(
          "\(deletion.recording.name) was deleted before it was in the store, because nothing else made room: check "
            + "footage offload status, or serve with --offload-strict"))
      status.lostRecordings += 1
      status.lostAt = library.clock.uptimeNanoseconds
    }
    status.deletedRecordings += 1
    status.deletedBytes += size
    hour.count += 1
    hour.bytes += size
  }

  private func unusedBytes() -> UInt64? { library.space()?.unusedBytes }

  /// Asks the store about a file that may be deleted because the store has it.
  ///
  /// - Returns: true if it may be deleted.
  private func mayLeaveStore(_ deletion: RetentionPlan.Deletion) -> Bool {
    let recording = deletion.recording
    guard let version = recording.storedVersion else { return true }
    // A store that did not answer a moment ago is not asked again for each recording.
    let answer: StoreAnswer =
      if let storeSilence { .unknown(storeSilence) } else {
        // Without a checker there is no answer, as in a server that is stopping.
        stored?.checker?.check(recording.name, version: version, isStopped: library.isStopped)
          ?? .unknown("the store cannot be asked at the moment")
      }
    switch answer {
    case .there: return true
    case .lost:
      library.log(
        .warning(
          "\(recording.name) was not deleted: the store no longer has it, and it will be sent again"))
      return false
    case .unknown(let reason):
      storeSilence = reason
      // A deletion because of age can wait.
      if case .age = deletion.reason { return false }
      // A deletion to free space goes ahead if that is allowed, because recorders would otherwise run out of room.
      guard rules.onlyStored else { return true }
      storeFailure =
        "nothing is deleted while the store cannot confirm that it has the recordings to be deleted: \(reason)"
      return false
    }
  }

  // MARK: Reporting

  private func noteFailure(_ failure: String?) {
    status.failure = failure
    guard failure != toldFailure else { return }
    toldFailure = failure
    library.log(.warning(failure ?? "old recordings are being deleted again"))
  }

  private func noteShortage(_ isShort: Bool, _ space: FileSystemSpace) {
    if isShort, !status.isShort {
      let reserve =
        space.isReserveInUse
        ? "; also, the part of the disk that is reserved for root is in use (tune2fs -m makes it smaller)" : ""
      library.log(
        .warning(
          "there is less room than the rules require, and nothing may be deleted: the remaining recordings are "
            + "protected, still being recorded, being watched, "
            + "\(rules.onlyStored ? "not confirmed in the store, " : "")or too young (--keep-at-least)\(reserve)"))
    }
    status.isShort = isShort
  }

  private func sumUp(at moment: RetentionMoment) {
    guard moment.uptime - hour.began >= Self.hourNanoseconds else { return }
    if hour.count > 0 { library.log(.deletedInHour(count: hour.count, bytes: hour.bytes)) }
    hour = (moment.uptime, 0, 0)
  }

  private func foresee(_ candidates: [RetentionCandidate], _ space: FileSystemSpace?) {
    guard let space else { return status.forecast = nil }
    let wanted = rules.keepFree?.bytes(of: space.totalBytes) ?? 0
    status.forecast = RoomForecast(
      of: candidates.lazy.map { ($0.startedAt, $0.endsAt, $0.version.size) },
      room: space.freeBytes - min(space.freeBytes, wanted), isMadeRoom: rules.keepFree != nil,
      now: UnixTimestamp(nanoseconds: library.clock.unixNanoseconds))
  }

  // MARK: Between two runs

  private func keepRecord(at moment: RetentionMoment, _ space: FileSystemSpace?) {
    guard rules.isActive, moment.uptime >= nextRecord else { return }
    nextRecord = moment.uptime + Self.recordNanoseconds
    let record = RetentionRecord(
      clock: clock.record(wall: moment.wall, uptime: moment.uptime),
      keptFree: space.flatMap { space in rules.keepFree?.bytes(of: space.totalBytes) })
    // Without this record, the next run does not detect a jump of the clock; the write is retried.
    do throws(StorageError) { try record.write(at: library.place) } catch {
      library.log(.note(name: RetentionRecord.name, error.description))
    }
  }
}
