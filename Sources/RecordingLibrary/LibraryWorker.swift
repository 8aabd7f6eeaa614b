/// Keeps what is known of the recordings folder true: scans, looks, stores, publishes. One thread at a time.

internal import ISOMedia
internal import SQLite
internal import Storage

/// Not Sendable: its owner guards it. All of it blocks on files.
final class LibraryWorker {
  let place: LibraryPlace
  private let stateFolder: StateFolder
  private let heads: HeadStore
  private let clock: LibraryClock
  private let log: @Sendable (LibraryEvent) -> Void
  private let role: LibraryRole
  private var catalog: Catalog
  private var watcher: FolderWatcher
  private var schedule = LookSchedule()

  /// The recordings by path and by name, with who has which name.
  private var shelf: RecordingShelf
  /// Not to be taken for current though the version is: a write within one tick of the clock does not show in it, the
  /// head has to be made again, or the reason for refusing may have passed.
  private var doubtful: Set<RelativePath> = []
  /// Whose rows could not be written.
  private var unsaved: Set<RelativePath> = []
  private var nextSave: Int64?
  private var nextScan: Int64 = .min
  private var isFolderMissing = false
  private var hasScanned = false
  /// So that each scan does not say the same again.
  private var told: Set<LibraryEvent> = []

  /// Loads what the catalog holds.
  init(
    _ opened: (StateFolder, Catalog), stream: ChangeStream?, role: LibraryRole, clock: LibraryClock,
    log: @escaping @Sendable (LibraryEvent) -> Void
  ) {
    (stateFolder, catalog) = opened
    place = stateFolder.place
    heads = HeadStore(place: place, isDurable: !stateFolder.isTemporary)
    watcher = FolderWatcher(stream, place)
    self.role = role
    self.clock = clock
    self.log = log
    shelf = RecordingShelf([])
    if let failure = stream?.failure {
      log(.warning("\(failure): new recordings are found by looking again and again"))
    }
    shelf = RecordingShelf(load())
  }

  var snapshot: LibrarySnapshot { shelf.snapshot }

  /// The rows whose head is there, and of several that would have one name, one.
  private func load() -> [Recording] {
    do throws(SQLiteError) {
      let device = (try? FileStatus.of(place.recordings, followingLinks: true))?.version.device ?? 0
      if role == .server { try catalog.purgeOtherLayouts() }
      let rows = try catalog.load(device: device)
      guard role == .server else { return rows }
      let wanted = Set(rows.lazy.compactMap { $0.content }.filter { $0.headLength > 0 }.map(\.tag))
      let present = sweepHeads(wanted)
      return rows.filter { recording in
        guard let content = recording.content else { return false }
        return content.headLength == 0 || present.contains(content.tag)
      }
    } catch {
      if error.kind == .damaged { rebuildCatalog() } else { log(.warning(error.description)) }
      return []
    }
  }

  private func sweepHeads(_ wanted: Set<String>) -> Set<String> {
    do throws(StorageError) {
      return try heads.sweep(wanted: wanted, now: clock.wallNanoseconds())
    } catch {
      log(.warning(error.description))
      return wanted
    }
  }

  // MARK: A turn of the server's thread

  /// How to wait for the next turn.
  struct Pause: Equatable {
    /// Nil: until something happens.
    var milliseconds: Int?
    /// Whether changes may gather in the kernel meanwhile.
    var isGathering = false
  }

  /// Takes in what happened, looks at what is due, and stores one batch.
  ///
  /// - Parameter requested: files to look at whatever their version.
  func turn(requested: [RelativePath]) -> Pause {
    for path in requested { look(again: path) }
    var scans: [RelativePath] = []
    let events = watcher.events()
    for event in events { take(event, &scans) }
    if nextScan <= clock.monotonicNanoseconds() || scans.contains(.root) { scans = [.root] }
    for folder in scans { scan(folder) }
    storeBatch()
    return pause(isGathering: !events.isEmpty && !events.contains(where: \.isUrgent))
  }

  private func pause(isGathering: Bool) -> Pause {
    let now = clock.monotonicNanoseconds()
    let next = min(schedule.nextDue ?? .max, nextScan, nextSave ?? .max)
    let milliseconds = next <= now ? 0 : Int((next - now - 1) / 1_000_000 + 1)
    return isGathering
      ? Pause(milliseconds: min(milliseconds, LibraryLimits.gatherMilliseconds), isGathering: true)
      : Pause(milliseconds: milliseconds)
  }

  private func take(_ event: FolderWatcher.Event, _ scans: inout [RelativePath]) {
    let now = clock.monotonicNanoseconds()
    switch event {
    case .finished(let path): schedule.noteFinished(path)
    case .modified(let path): schedule.noteModified(path, now: now)
    case .touched(let path): schedule.noteTouched(path, now: now)
    case .gone(let path): schedule.noteGone(path)
    case .folder(let folder): if !scans.contains(folder) { scans.append(folder) }
    case .rootGone: scans.append(.root)
    case .overflow:
      log(.warning("more changes at once than the kernel remembers: the whole folder is scanned again"))
      scans.append(.root)
    case .unreadableName(let folder, let bytes): tell(FolderScan.unreadableName(bytes, in: folder))
    }
  }

  /// Forgets that the file was looked at.
  func look(again path: RelativePath) {
    doubtful.insert(path)
    schedule.noteDemanded(path)
  }

  private func tell(_ event: LibraryEvent) {
    if told.count > 10_000 { told = [] }
    if told.insert(event).inserted { log(event) }
  }

  // MARK: Scanning

  /// Compares a folder, and all in it, with what is known, and has everything looked at that differs.
  func scan(_ folder: RelativePath) {
    let started = clock.monotonicNanoseconds()
    let scan = FolderScan.of(folder, in: place, &watcher)
    for event in scan.events { tell(event) }
    guard scan.isThere || folder != .root else { return noteFolderMissing(now: started) }
    if isFolderMissing { noteFolderBack() }
    var seen: Set<RelativePath> = []
    for (path, status) in scan.files {
      seen.insert(path)
      if !isCurrent(path, status) { schedule.noteScanned(path) }
    }
    for path in shelf.paths where path.isInside(folder) && !seen.contains(path) {
      if !scan.unlisted.contains(where: { path.isInside($0) }) { schedule.noteScanned(path) }
    }
    if folder == .root {
      let interval = scan.isWatched ? LibraryLimits.rescanNanoseconds : LibraryLimits.unwatchedRescanNanoseconds
      nextScan = started + interval
      if !hasScanned {
        log(.scanned(files: scan.files.count, milliseconds: milliseconds(since: started)))
        hasScanned = true
      }
    } else if !scan.isWatched {
      nextScan = min(nextScan, started + LibraryLimits.unwatchedRescanNanoseconds)
    }
    if !scan.unlisted.isEmpty { nextScan = min(nextScan, started + LibraryLimits.retryNanoseconds) }
  }

  /// The rows stay: the disk may come back as it was.
  private func noteFolderMissing(now: Int64) {
    nextScan = now + LibraryLimits.lookIntervalNanoseconds
    guard !isFolderMissing else { return }
    isFolderMissing = true
    log(.warning("the recordings folder \(place.recordings) is gone: it is served again when it is back"))
    watcher.forget(.root)
    shelf.removeAll()
    schedule = LookSchedule()
    doubtful = []
  }

  /// The folder may be another one: what it held of ours may be gone with the old one.
  private func noteFolderBack() {
    isFolderMissing = false
    log(.warning("the recordings folder \(place.recordings) is there again"))
    guard (try? FileStatus.of(place.catalog)) == nil else { return }
    _ = try? StateFolder.createFolders(place)
    do throws(LibraryError) {
      catalog = try StateFolder.openCatalog(place) { _ in }
    } catch {
      log(.warning(error.description))
    }
  }

  /// Whether another look could tell nothing new. What is still being recorded has its next look scheduled.
  private func isCurrent(_ path: RelativePath, _ status: FileStatus) -> Bool {
    shelf[path]?.version == status.version && !doubtful.contains(path)
  }

  private func milliseconds(since started: Int64) -> Int {
    Int((clock.monotonicNanoseconds() - started) / 1_000_000)
  }

  // MARK: Looking

  /// Looks at what is due, up to the size of a batch, and stores it.
  ///
  /// - Returns: whether there was anything.
  @discardableResult
  func storeBatch() -> Bool {
    let started = clock.monotonicNanoseconds()
    var batch = LookBatch()
    while batch.paths.count < LibraryLimits.batchFiles, batch.headBytes < LibraryLimits.batchHeadBytes,
      clock.monotonicNanoseconds() - started < LibraryLimits.batchNanoseconds,
      let path = schedule.next(now: clock.monotonicNanoseconds())
    {
      guard !batch.paths.contains(path) else {
        schedule.noteDemanded(path)
        break
      }
      look(at: path, &batch)
    }
    let isRetrying = nextSave.map { $0 <= started } ?? false
    guard !batch.paths.isEmpty || isRetrying else { return false }
    store(batch)
    return true
  }

  /// Looks at this one now, whatever its version, and stores what comes of it.
  func index(_ path: RelativePath) -> Recording? {
    doubtful.insert(path)
    var batch = LookBatch()
    look(at: path, &batch)
    store(batch)
    return shelf[path]
  }

  private func look(at path: RelativePath, _ batch: inout LookBatch) {
    guard !isFolderMissing, let name = recordingName(path) else { return }
    batch.paths.insert(path)
    let started = clock.monotonicNanoseconds()
    let wall = clock.wallNanoseconds()
    let status = try? FileStatus.of(place.file(path))
    let old = shelf[path]
    if let status, isCurrent(path, status), old?.state != .recording { return }
    doubtful.remove(path)
    let make = RecordingMaker(path: path, name: name, old: old, place: place, wall: wall)
    if let status {
      if let holder = batch.holder(of: name.text, else: shelf), holder != path {
        return shelve(make.clashing(with: holder, status.version), isLasting: false, &batch)
      }
      let modified = status.version.modifiedNanoseconds
      if let time = schedule.lookAgainAtBusy(path, modified: modified, wall: wall, now: started) {
        schedule.look(at: path, when: time)
        return shelve(make.unfinished(status.version), isLasting: true, &batch)
      }
    }
    take(Examiner.examine(place.file(path)), make, started: started, &batch)
  }

  private func recordingName(_ path: RelativePath) -> RecordingName? {
    switch RecordingName.of(path) {
    case .recording(let name): return name
    case .other: return nil
    case .hidden:
      tell(.leftOut(path: path.text, reason: "its name starts with a dot", .info))
      return nil
    }
  }

  private func take(_ finding: Finding, _ make: RecordingMaker, started: Int64, _ batch: inout LookBatch) {
    switch finding {
    case .gone:
      schedule.forget(make.path)
      if make.old != nil { batch.removals.append(make.path) }
    case .unsettled(let version):
      doubtful.insert(make.path)
      schedule.look(at: make.path, when: started + LibraryLimits.lookIntervalNanoseconds)
      // Out of descriptors is no reason to take a good recording off the list.
      guard let version, version != make.old?.version else { return }
      shelve(make.unfinished(version), isLasting: false, &batch)
    case .refused(let reason, let version, let isLasting):
      shelve(make.refused(reason, version), isLasting: isLasting, &batch)
    case .incomplete(let error, let version):
      switch judge(make, isPlayable: false, isWhole: false, version) {
      case .recording: shelve(make.unfinished(version), isLasting: true, &batch)
      case .ready, .cutOff: shelve(make.refused(error.description, version), isLasting: true, &batch)
      }
    case .complete(let file):
      let age = make.wall.subtractingReportingOverflow(file.version.modifiedNanoseconds).partialValue
      if age.magnitude < UInt64(LibraryLimits.clockTickNanoseconds) { doubtful.insert(make.path) }
      switch judge(make, isPlayable: true, isWhole: !file.index.isRecovered, file.version) {
      case .recording: shelve(make.unfinished(file.version), isLasting: true, &batch)
      case .ready, .cutOff:
        batch.put(make.ready(file), head: file.index.head, notes: file.index.notes, started: started)
      }
    }
  }

  private func judge(
    _ make: RecordingMaker, isPlayable: Bool, isWhole: Bool, _ version: FileVersion
  ) -> LookSchedule.Verdict {
    let verdict = schedule.judge(
      make.path, isPlayable: isPlayable, isWhole: isWhole, modified: version.modifiedNanoseconds, wall: make.wall,
      now: clock.monotonicNanoseconds())
    if case .recording(let time) = verdict { schedule.look(at: make.path, when: time) }
    return verdict
  }

  private func shelve(_ recording: Recording, isLasting: Bool, _ batch: inout LookBatch) {
    if !isLasting { doubtful.insert(recording.path) }
    batch.put(recording)
  }

  // MARK: Storing

  /// Heads first, then their rows, then the snapshot: what is seen is stored, and what is stored is whole.
  private func store(_ batch: LookBatch) {
    var batch = batch
    storeHeads(&batch)
    var replacedTags: Set<String> = []
    for path in batch.removals {
      let old = shelf.remove(path)
      if let old { log(.gone(name: old.name)) }
      noteReplaced(old, &replacedTags)
      unsaved.insert(path)
      for other in shelf.claimants(of: old?.name) { look(again: other) }
    }
    for entry in batch.entries {
      let path = entry.recording.path
      // Looked at once more, and found to be what it was: its head is stored anew, and nobody need be told.
      if let known = shelf[path], known.isSame(as: entry.recording) { continue }
      let old = shelf.put(entry.recording)
      noteReplaced(old, &replacedTags)
      if old?.state == .ready || entry.recording.state == .ready { unsaved.insert(path) }
      tell(entry, old)
    }
    guard saveRows() else { return }
    do throws(SQLiteError) {
      for tag in replacedTags where !shelf.hasTag(tag) {
        if try !catalog.refers(to: tag) { heads.remove([tag]) }
      }
    } catch {
      // They stay until the sweep of the next start.
    }
  }

  private func noteReplaced(_ old: Recording?, _ tags: inout Set<String>) {
    if let content = old?.content, content.headLength > 0 { tags.insert(content.tag) }
  }

  /// What cannot be stored is refused for now; the others of the batch are not held up by it.
  private func storeHeads(_ batch: inout LookBatch) {
    let all = batch.entries.filter { !$0.head.isEmpty }.map { (tag: $0.recording.content?.tag ?? "", bytes: $0.head) }
    if (try? heads.store(all)) != nil { return }
    // All that is kept may be deleted at any time.
    _ = try? StateFolder.createFolders(place)
    for index in batch.entries.indices where !batch.entries[index].head.isEmpty {
      let recording = batch.entries[index].recording
      do throws(StorageError) {
        try heads.store([(tag: recording.content?.tag ?? "", bytes: batch.entries[index].head)])
      } catch {
        batch.entries[index] = LookBatch.Entry(
          recording: recording.refused("its index cannot be stored: \(error)"), head: [], notes: [], started: nil)
        doubtful.insert(recording.path)
        schedule.look(
          at: recording.path, when: clock.monotonicNanoseconds() + LibraryLimits.retryNanoseconds)
      }
    }
  }

  /// Brings the rows up to what is known. What fails is tried again later: recordings are served all the same.
  private func saveRows() -> Bool {
    guard !unsaved.isEmpty else { return true }
    let hadFailed = nextSave != nil
    if let nextSave, nextSave > clock.monotonicNanoseconds() { return false }
    do throws(SQLiteError) {
      try saveUnsaved()
    } catch {
      if error.kind == .damaged, rebuildCatalog() { return true }
      nextSave = clock.monotonicNanoseconds() + LibraryLimits.retryNanoseconds
      if !hadFailed {
        log(
          .warning(
            "\(error); recordings are served all the same, and it is tried again every "
              + "\(LibraryLimits.retryNanoseconds / 1_000_000_000) s"))
      }
      return false
    }
    if hadFailed { log(.warning("the catalog can be written again")) }
    return true
  }

  private func saveUnsaved() throws(SQLiteError) {
    let ready = unsaved.compactMap { shelf[$0] }.filter { $0.state == .ready }
    try catalog.apply(upserts: ready, removals: unsaved.filter { shelf[$0]?.state != .ready })
    unsaved = []
    nextSave = nil
  }

  /// Puts a damaged catalog aside and writes all that is known into a new one.
  @discardableResult
  private func rebuildCatalog() -> Bool {
    do throws(LibraryError) {
      catalog = try StateFolder.replaceCatalog(place)
      log(.warning("the catalog was damaged: it is kept as \(place.catalog).set-aside, and a new one is written"))
    } catch {
      log(.warning(error.description))
      return false
    }
    unsaved.formUnion(shelf.paths)
    return (try? saveUnsaved()) != nil
  }

  private func tell(_ entry: LookBatch.Entry, _ old: Recording?) {
    let recording = entry.recording
    switch recording.state {
    case .ready:
      log(
        .ready(
          name: recording.name, duration: recording.duration ?? 0,
          milliseconds: entry.started.map { milliseconds(since: $0) } ?? 0, isRecovered: recording.isRecovered))
      for note in entry.notes { log(.note(name: recording.name, note)) }
    case .recording: if old?.state != .recording { log(.recording(name: recording.name)) }
    case .refused(let reason): if old?.state != recording.state { log(.refused(path: recording.path, reason: reason)) }
    }
  }
}
