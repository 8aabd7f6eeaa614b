/// Keeps what is known of the recordings folder true: scans, looks, stores, publishes. One thread at a time.

internal import FootageAPI
internal import FootageMedia
internal import FootageSystem

/// Not Sendable: its owner guards it. All of it blocks on files.
final class LibraryWorker {
  let place: LibraryPaths
  let stateFolder: StateDirectory
  /// In place of the folder's own, where that was deleted.
  var lock: FileLock?
  let files: DerivedFileStore
  let manifests: ManifestFiles
  /// The films of what grows.
  let films: GrowingFilms
  let examiner: any FileIndexer
  /// Takes what came of a look that took long, to be handed to a later turn; from any thread.
  let deliver: @Sendable (LateExamination) -> Void
  let clock: Clock
  let log: @Sendable (LibraryEvent) -> Void
  /// What names say of camera and start.
  let naming: RecordingNaming
  var namingNotes = NamingNotes()
  let role: LibraryRole
  var catalog: Catalog
  var watcher: FolderWatcher
  var schedule = IndexSchedule()

  /// The recordings by path and by name, with who has which name.
  var registry: RecordingRegistry
  /// Not to be taken for current though the version is: a write within one tick of the clock does not show in it, the
  /// preamble or the index has to be made again, or the reason for refusing may have passed.
  var stale: Set<RelativePath> = []
  /// With a look that takes long.
  var underWay: Set<RelativePath> = []
  /// Files that ended the process that read them; they are not read again by this program.
  var fatal: [RelativePath: CrashingFile] = [:]
  /// Whose preambles or indexes could not be stored; they are made anew when somebody asks for them.
  var unstored: Set<RelativePath> = []
  var nextHead: Int64?
  /// Whose rows an earlier program wrote, which judged by other rules, or made other indexes or none.
  var judgedByOthers: Set<RelativePath> = []
  /// Nil once everything that lay there at the start was looked at.
  var firstScan: FirstScan?
  /// Whose rows could not be written.
  var unpersisted: Set<RelativePath> = []
  var nextSave: Int64?
  /// What is protected by a line of a list.
  var keptLists: KeptLists
  var nextKeptLook: Int64 = .min
  /// What is in the store, where there is one.
  var stored: StoredVersions?
  /// What is remembered of files for those who make room.
  var ledger = RetentionLedger()
  var fileSystems = FileSystems()
  var nextScan: Int64 = .min
  var isFolderMissing = false
  /// Whether that is so because it may not be read.
  var isFolderDenied = false
  var hasScanned = false
  /// Whether the kernel tells of changes in all folders, as of the last scans.
  var isWatched = true
  /// From a recorder's close to the list.
  var readyTimes = DurationHistogram()
  /// So that each scan does not say the same again.
  var told: Set<LibraryEvent> = []

  /// Loads what the catalog holds.
  init(
    _ opened: (StateDirectory, Catalog), stream: FolderChanges?, role: LibraryRole, naming: RecordingNaming,
    clock: Clock, examiner: any FileIndexer, films: GrowingFilms,
    deliver: @escaping @Sendable (LateExamination) -> Void,
    log: @escaping @Sendable (LibraryEvent) -> Void
  ) {
    (stateFolder, catalog) = opened
    place = stateFolder.place
    keptLists = KeptLists(place, stateLasts: place.state == place.namedState)
    files = DerivedFileStore(place: place)
    manifests = ManifestFiles(place: place)
    self.examiner = examiner
    self.films = films
    self.deliver = deliver
    watcher = FolderWatcher(stream, place)
    self.role = role
    self.naming = naming
    self.clock = clock
    self.log = log
    firstScan = FirstScan(started: clock.uptimeNanoseconds)
    registry = RecordingRegistry([])
    registry = RecordingRegistry(load())
    for path in registry.paths { noteNaming(of: path) }
    lookAtKeptLists()
  }

  var snapshot: LibrarySnapshot { registry.snapshot }

  /// The rows whose preamble is there, and of several that would have one name, one.
  func load() -> [Recording] {
    do throws(SQLiteError) {
      let device = (try? FileStatus.of(place.recordings, followingLinks: true))?.version.device ?? 0
      if role == .server { try catalog.purgeOthers(program: Self.program) }
      fatal = try catalog.fatalFiles(program: Self.program)
      let loaded = try catalog.load(device: device, naming: naming, now: now)
      for row in loaded
      where row.rules < MovieIndex.rulesVersion || row.recording.content?.index == nil {
        judgedByOthers.insert(row.recording.path)
        lookInTime(row.recording.path)
      }
      for row in loaded {
        let recording = row.recording
        fileSystems.numbers[recording.path] = row.fileSystem
        guard let seen = row.sighting else { continue }
        ledger.restore(recording.path, inode: recording.version.inode, order: seen.order, wall: seen.wall)
      }
      let rows = loaded.map(\.recording)
      guard role == .server else { return rows }
      let contents = rows.lazy.compactMap(\.content)
      let present = sweep(
        DerivedFileStore.Tags(
          preambles: Set(contents.filter { $0.preambleLength > 0 }.map(\.tag)),
          indexes: Set(contents.filter { $0.index?.length ?? 0 > 0 }.map(\.tag))
            .union(loadFilms().filter { $0.closed != nil }.map(\.id.text))))
      return rows.filter { recording in
        guard let content = recording.content else { return false }
        // What is missing of an index is made when somebody asks for it, or when there is nothing else to do.
        if content.index?.length ?? 0 > 0, !present.indexes.contains(content.tag) { lookInTime(recording.path) }
        return content.preambleLength == 0 || present.preambles.contains(content.tag)
      }
    } catch {
      if error.kind == .damaged { rebuildCatalog() } else { log(.warning(error.description)) }
      return []
    }
  }

  /// Has a file looked at when nothing else is to be; its recording is served meanwhile.
  private func lookInTime(_ path: RelativePath) {
    stale.insert(path)
    schedule.noteScanned(path)
  }

  private func sweep(_ wanted: DerivedFileStore.Tags) -> DerivedFileStore.Tags {
    do throws(StorageError) {
      return try files.sweep(wanted: wanted, now: clock.unixNanoseconds)
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
  /// - Parameters:
  ///   - requested: files to look at whatever their version.
  ///   - late: what has come of looks that took long.
  func turn(requested: [RelativePath], late: [LateExamination]) -> Pause {
    for path in requested { look(again: path) }
    if nextKeptLook <= clock.uptimeNanoseconds { lookAtKeptLists() }
    var scans: [RelativePath] = []
    let events = watcher.events()
    for event in events { take(event, &scans) }
    if nextScan <= clock.uptimeNanoseconds || scans.contains(.root) { scans = [.root] }
    for folder in scans { scan(folder) }
    storeBatch(late)
    tellFirstScan()
    return pause(isGathering: !events.isEmpty && !events.contains(where: \.isUrgent))
  }

  private func pause(isGathering: Bool) -> Pause {
    let now = clock.uptimeNanoseconds
    let next = min(schedule.nextDue ?? .max, nextScan, nextSave ?? .max, nextHead ?? .max, nextKeptLook)
    let milliseconds = next <= now ? 0 : Int((next - now - 1) / 1_000_000 + 1)
    return isGathering
      ? Pause(milliseconds: min(milliseconds, LibraryLimits.gatherMilliseconds), isGathering: true)
      : Pause(milliseconds: milliseconds)
  }

  private func take(_ event: FolderWatcher.Event, _ scans: inout [RelativePath]) {
    let now = clock.uptimeNanoseconds
    switch event {
    case .finished(let path): schedule.noteFinished(path, now: now)
    case .moved(let path): schedule.noteMoved(path)
    case .created(let path): schedule.noteCreated(path, now: now)
    case .modified(let path): schedule.noteModified(path, now: now)
    case .touched(let path): schedule.noteTouched(path, now: now)
    case .gone(let path): schedule.noteGone(path)
    case .folder(let folder): if !scans.contains(folder) { scans.append(folder) }
    case .rootGone: scans.append(.root)
    case .hiddenFolderGone(let folder):
      // Deleted alone, it is made again; with all around it, a moment later the recordings folder is gone too, which
      // the kernel does not tell while the catalog is open.
      if place.location(of: folder) == place.state {
        nextScan = min(nextScan, now + LibraryLimits.lookIntervalNanoseconds)
      }
    case .overflow:
      log(.warning("more changes at once than the kernel remembers: the whole folder is scanned again"))
      schedule.noteOverflow()
      scans.append(.root)
    }
  }

  /// Forgets that the file was looked at.
  func look(again path: RelativePath) {
    stale.insert(path)
    schedule.noteDemanded(path)
  }

  func tell(_ event: LibraryEvent) {
    if told.count > 10_000 { told = [] }
    if told.insert(event).inserted { log(event) }
  }

  // MARK: Scanning

  /// Compares a folder, and all in it, with what is known, and has everything looked at that differs.
  func scan(_ folder: RelativePath) {
    let started = clock.uptimeNanoseconds
    if folder == .root { noteRoot() }
    fileSystems.present = [:]
    let scan = FolderScan.of(folder, in: place, &watcher)
    for event in scan.events { tell(event) }
    guard scan.isThere || folder != .root else { return noteFolderMissing(scan.denial, now: started) }
    if isFolderMissing {
      (isFolderMissing, isFolderDenied) = (false, false)
      log(.warning("the recordings folder \(place.recordings) is there again"))
    }
    if folder == .root, hasScanned { restoreState() }
    take(scan, of: folder)
    if folder == .root {
      isWatched = scan.isWatched
      let interval = scan.isWatched ? LibraryLimits.rescanNanoseconds : LibraryLimits.unwatchedRescanNanoseconds
      nextScan = started + interval
      if !hasScanned {
        log(.scanned(files: scan.files.count, milliseconds: milliseconds(since: started)))
        hasScanned = true
      }
    } else if !scan.isWatched {
      isWatched = false
      nextScan = min(nextScan, started + LibraryLimits.unwatchedRescanNanoseconds)
    }
    if !scan.unlisted.isEmpty { nextScan = min(nextScan, started + LibraryLimits.retryNanoseconds) }
  }

  private func take(_ scan: FolderScan, of folder: RelativePath) {
    var seen: Set<RelativePath> = []
    var back = 0
    if !hasScanned, role == .server { putBack(scan.leftovers) }
    // What nobody has met before is older the earlier it was written to, as far as anybody can tell.
    let byTime = scan.files.sorted { $0.status.version.modifiedNanoseconds < $1.status.version.modifiedNanoseconds }
    for (path, status) in byTime { noteSighting(path, status) }
    for (path, status) in scan.files {
      seen.insert(path)
      if meet(path, status) { back += 1 }
      if !isCurrent(path, status) { schedule.noteScanned(path) }
    }
    if back > 0 { log(.warning("\(back) recording\(back == 1 ? "" : "s") came back with a file system")) }
    var away: [RelativePath] = []
    for path in registry.paths where path.isInside(folder) && !seen.contains(path) {
      guard !scan.unlisted.contains(where: { path.isInside($0) }), let recording = registry[path] else { continue }
      if recording.isRemote { continue }
      if isAway(recording) { away.append(path) } else { schedule.noteScanned(path) }
    }
    putAway(away)
    if scan.unlisted.isEmpty { forgetMissing(in: folder, seen: seen) }
  }

  /// The rows stay: the disk may come back as it was.
  private func noteFolderMissing(_ denial: StorageError?, now: Int64) {
    nextScan = now + LibraryLimits.lookIntervalNanoseconds
    guard !isFolderMissing || isFolderDenied != (denial != nil) else { return }
    (isFolderMissing, isFolderDenied) = (true, denial != nil)
    if let denial {
      log(.warning("the recordings folder may not be read: \(denial); it is served again when it may"))
    } else {
      log(.warning("the recordings folder \(place.recordings) is gone: it is served again when it is back"))
    }
    watcher.forget(.root)
    var remote: [Recording] = []
    for path in registry.paths {
      guard let recording = registry[path], recording.state == .ready else { continue }
      if let stored = self.remote(recording) { remote.append(stored) } else { fileSystems.away[path] = recording }
    }
    registry.removeAll()
    for recording in remote { _ = registry.put(recording) }
    schedule = IndexSchedule()
    stale = []
  }

  /// Whether another look could tell nothing new. What is still being recorded has its next look scheduled.
  ///
  /// Whoever puts the modification time back cannot put back that of the change (`st_ctime`); but a new name or mode
  /// moves that too, so that it says no more than *look again*.
  func isCurrent(_ path: RelativePath, _ status: FileStatus) -> Bool {
    guard let known = registry[path], known.version == status.version, !known.isRemote, !stale.contains(path) else {
      return false
    }
    guard known.state == .ready else { return true }
    guard let changed = known.changedNanoseconds else {
      // A row of an earlier program.
      known.noteChanged(nanoseconds: status.changedNanoseconds)
      return true
    }
    return changed == status.changedNanoseconds
  }

  /// This program, by its file; what one version of it could not read, another may.
  static let program: String = {
    guard let status = try? FileStatus.of("/proc/self/exe", followingLinks: true) else { return "" }
    return "\(status.version.size)-\(status.version.modifiedNanoseconds)"
  }()

  func milliseconds(since started: Int64) -> Int {
    Int((clock.uptimeNanoseconds - started) / 1_000_000)
  }
}
