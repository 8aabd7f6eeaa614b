internal import FootageAPI
internal import FootageMedia
internal import FootageSystem

/// The writer of the results of examinations. It stores preambles and indexes first, then their rows, and then
/// publishes the snapshot.
final class Committer {
  private let model: FolderModel
  private let fileSystems: FileSystems
  private let protections: Protections
  private let stored: StoredKnowledge
  private let stateFolder: StateDirectory
  private(set) var catalog: Catalog
  /// The lock that replaces the state folder's own lock if that folder was deleted or replaced.
  private var lock: FileLock?
  private let files: DerivedFileStore
  private let manifests: ManifestFiles
  /// The files that crashed the process that was reading them, or exceeded its limits. This program does not read them
  /// again.
  private var fatal: [RelativePath: CrashingFile] = [:]
  /// The recordings whose preambles or indexes could not be stored. They are rebuilt on request.
  private var unstored: Set<RelativePath> = []
  private var nextHead: Int64?
  private var nextSave: Int64?
  /// The progress of the first scan; nil once every file that was found at the start has been examined.
  private var firstScan: FirstScan?
  /// The times from the moment when a recorder closes a file until the recording is listed.
  private(set) var readyTimes = DurationHistogram()

  init(
    _ model: FolderModel, _ fileSystems: FileSystems, _ protections: Protections, _ stored: StoredKnowledge,
    _ stateFolder: StateDirectory, _ catalog: Catalog
  ) {
    self.model = model
    self.fileSystems = fileSystems
    self.protections = protections
    self.stored = stored
    self.stateFolder = stateFolder
    self.catalog = catalog
    files = DerivedFileStore(place: model.place)
    manifests = ManifestFiles(place: model.place)
    firstScan = FirstScan(started: model.clock.uptimeNanoseconds)
  }

  var isStateTemporary: Bool { stateFolder.isTemporary }
  var unstoredCount: Int { unstored.count }
  var isCatalogUnwritable: Bool { nextSave != nil }
  /// The time of the next retry; nil if everything is stored.
  var nextRetry: Int64? { [nextSave, nextHead].compactMap(\.self).min() }
  /// True if rows are waiting to be written and no retry is pending.
  var isUnsaved: Bool { !model.unsaved.isEmpty && nextSave == nil }

  /// The identity of this build of the program. A recording that another build could not read is tried again.
  static let program: String = {
    guard let status = try? FileStatus.of("/proc/self/exe", followingLinks: true) else { return "" }
    return "\(status.version.size)-\(status.version.modifiedNanoseconds)"
  }()

  // MARK: Loading the catalog

  /// Loads the rows, and schedules examinations of those that lack a preamble or an index.
  func load() -> [Recording] {
    do throws(SQLiteError) {
      let device = (try? FileStatus.of(model.place.recordings, followingLinks: true))?.version.device ?? 0
      if model.role == .server { try catalog.purgeOthers(program: Self.program) }
      fatal = try catalog.fatalFiles(program: Self.program)
      let loaded = try catalog.load(device: device, naming: model.naming, now: model.now)
      // An earlier version of the program made no index, or one in another format. A recording that only other rules
      // made stays as it is until its file changes.
      for row in loaded where row.recording.content?.index == nil { lookInTime(row.recording.path) }
      for row in loaded {
        let recording = row.recording
        fileSystems.note(row.fileSystem, of: recording.path)
        guard let seen = row.sighting else { continue }
        model.ledger.restore(recording.path, inode: recording.version.inode, order: seen.order, wall: seen.wall)
      }
      let rows = loaded.map(\.recording)
      guard model.role == .server else { return rows }
      let contents = rows.lazy.compactMap(\.content)
      let present = sweep(
        DerivedFileStore.Tags(
          preambles: Set(contents.filter { $0.preambleLength > 0 }.map(\.tag)),
          indexes: Set(contents.filter { $0.index?.length ?? 0 > 0 }.map(\.tag))
            .union(loadFilms().filter { $0.closed != nil }.map(\.id.text))))
      // A missing preamble or index is made on request, or when nothing else is to be done. The row stays, because its
      // tag may be one that an examination alone would not result in.
      for recording in rows {
        guard let content = recording.content else { continue }
        let isIndexMissing = content.index?.length ?? 0 > 0 && !present.indexes.contains(content.tag)
        let isPreambleMissing = content.preambleLength > 0 && !present.preambles.contains(content.tag)
        if isIndexMissing || isPreambleMissing { lookInTime(recording.path) }
      }
      return rows
    } catch {
      if error.kind == .damaged { rebuildCatalog() } else { model.log(.warning(error.description)) }
      return []
    }
  }

  /// Schedules an examination of a file for when nothing else is due. Its recording is served meanwhile.
  private func lookInTime(_ path: RelativePath) {
    model.schedule.noteStale(path)
    model.schedule.noteScanned(path)
  }

  private func sweep(_ wanted: DerivedFileStore.Tags) -> DerivedFileStore.Tags {
    do throws(StorageError) {
      return try files.sweep(wanted: wanted, now: model.clock.unixNanoseconds)
    } catch {
      model.log(.warning(error.description))
      return wanted
    }
  }

  // MARK: Storing results

  /// Stores preambles and indexes first, then their rows, then the snapshot: so everything that clients see is stored,
  /// and every stored row has its files.
  func store(_ batch: IndexBatch) {
    storeFiles(batch)
    fileSystems.putAway(batch.away)
    var replaced: [Recording] = []
    for path in batch.removals {
      let old = model.registry.remove(path)
      model.films.note(path, nil)
      if let old, !batch.isDecided { model.log(.gone(name: old.name)) }
      model.ledger.forget(path)
      if let old { replaced.append(old) }
      model.unsaved.insert(path)
      unstored.remove(path)
      fileSystems.note(nil, of: path)
      for other in model.registry.claimants(of: old?.name) { model.schedule.noteDemandedAgain(other) }
    }
    for entry in batch.entries {
      let path = entry.recording.path
      let found = entry.recording
      let recording = found.with(
        keeper: protections.keeper(of: found),
        whereabouts: found.isRemote ? found.whereabouts : stored.whereabouts(ofHere: found)
      ).following(model.registry[path])
      // A repeated look found the same recording: only its files are stored again, and no event is logged.
      if let known = model.registry[path], known.with(keeper: recording.keeper).isSame(as: recording) {
        if known.changedNanoseconds != recording.changedNanoseconds { model.unsaved.insert(path) }
        known.noteChanged(nanoseconds: recording.changedNanoseconds)
        model.mark(path, keeper: recording.keeper)
        continue
      }
      let old = model.registry.put(recording)
      let isServedAsBefore = old?.validity === recording.validity
      if let old, old.version == recording.version, !isServedAsBefore { old.validity.end() }
      if let old { replaced.append(old) }
      if old?.state == .ready || recording.state == .ready { model.unsaved.insert(path) }
      model.noteNaming(of: path)
      model.films.note(path, recording)
      if !isServedAsBefore { tell(entry, old) }
    }
    guard saveRows() else { return }
    removeFiles(of: replaced)
  }

  /// Removes the preambles and indexes of versions that no recording uses any more.
  private func removeFiles(of replaced: [Recording]) {
    for old in replaced {
      guard let content = old.content else { continue }
      if model.snapshot.recording(named: old.name)?.content?.tag != content.tag {
        manifests.remove(tag: content.tag, recording: old.name)
      }
      guard content.hasFiles, !model.registry.hasTag(content.tag) else { continue }
      // If the catalog cannot be queried, they stay until the sweep at the next start.
      if (try? catalog.refers(to: content.tag)) == false { files.remove([content.tag]) }
    }
  }

  /// Stores preambles and indexes. Those that cannot be stored are rebuilt on request: a full disk does not remove
  /// recordings from the list.
  private func storeFiles(_ batch: IndexBatch) {
    for entry in batch.entries {
      guard let content = entry.recording.content, content.hasFiles else { continue }
      do throws(StorageError) {
        try store(entry.files, content.tag)
        if unstored.remove(entry.recording.path) != nil { releaseUnstored() }
      } catch {
        noteUnstored(entry.recording.path, error)
      }
    }
    if unstored.isEmpty { nextHead = nil }
    if let nextHead, nextHead <= model.clock.uptimeNanoseconds { retryHeads() }
  }

  private func store(_ made: DerivedFiles, _ tag: String) throws(StorageError) {
    do throws(StorageError) { try files.store(made, tag: tag) } catch {
      guard error.reason == .system(.notFound) else { throw error }
      // All derived files may be deleted at any time.
      try StateDirectory.createFolders(model.place)
      try files.store(made, tag: tag)
    }
  }

  private func noteUnstored(_ path: RelativePath, _ error: StorageError) {
    let isFirst = unstored.isEmpty
    unstored.insert(path)
    nextHead = model.clock.uptimeNanoseconds + LibraryLimits.retryNanoseconds
    guard isFirst else { return }
    model.log(
      .warning(
        "\(StorageError("write to", model.place.state, error.reason)); recordings are still served, and the write is "
          + "retried every \(LibraryLimits.retryNanoseconds / 1_000_000_000) s"))
  }

  /// Schedules examinations of the remaining unstored recordings, because one of them has now been stored.
  private func releaseUnstored() {
    for path in unstored { model.schedule.noteDemandedAgain(path) }
    unstored = []
    nextHead = nil
    model.log(.warning("the state folder \(model.place.state) is writable again"))
  }

  /// Schedules another examination of one unstored recording. If that recording can be stored, the other unstored ones
  /// are examined as well.
  private func retryHeads() {
    nextHead = model.clock.uptimeNanoseconds + LibraryLimits.retryNanoseconds
    guard let path = unstored.first, (try? TemporaryFile(in: model.place.heads).write([0])) != nil else { return }
    model.schedule.noteDemandedAgain(path)
  }

  /// Brings the rows up to date. A failure is retried later; recordings are served meanwhile.
  private func saveRows() -> Bool {
    guard !model.unsaved.isEmpty else {
      nextSave = nil
      return true
    }
    let hadFailed = nextSave != nil
    if let nextSave, nextSave > model.clock.uptimeNanoseconds { return false }
    do throws(SQLiteError) {
      try saveUnsaved()
    } catch {
      if error.kind == .damaged, rebuildCatalog() { return true }
      nextSave = model.clock.uptimeNanoseconds + LibraryLimits.retryNanoseconds
      if !hadFailed {
        model.log(
          .warning(
            "\(error); recordings are still served, and the write is retried every "
              + "\(LibraryLimits.retryNanoseconds / 1_000_000_000) s"))
      }
      return false
    }
    if hadFailed { model.log(.warning("the catalog is writable again")) }
    return true
  }

  private func saveUnsaved() throws(SQLiteError) {
    let ready = model.unsaved.compactMap { model.registry[$0] }.filter { $0.state == .ready }
    try catalog.apply(
      upserts: ready,
      removals: model.unsaved.filter { model.registry[$0]?.state != .ready && fileSystems.away[$0] == nil },
      fileSystem: { fileSystems.number(of: $0) }, sighting: { model.ledger.sighting(of: $0.path) })
    model.unsaved = []
    nextSave = nil
  }

  /// Recreates the state folder if it was deleted. All derived files may be deleted at any time.
  func restoreState() {
    guard (try? FileStatus.of(model.place.catalog)) == nil || (try? FileStatus.of(model.place.heads)) == nil else {
      return
    }
    model.log(.warning("the folder \(model.place.state) was deleted and is being recreated"))
    _ = try? StateDirectory.createFolders(model.place)
    if model.role == .server { takeLock() }
    protections.look()
    do throws(LibraryError) {
      catalog = try StateDirectory.openCatalog(model.place) { _ in }
    } catch {
      model.log(.warning(error.description))
    }
    for path in model.registry.paths where model.registry[path]?.state == .ready {
      model.unsaved.insert(path)
      model.schedule.noteDemandedAgain(path)
    }
  }

  /// Switches to another state folder inside the recordings folder, after a disk was mounted over the recordings folder
  /// or unmounted from it. The new folder's catalog is loaded now; the scan that follows finds the files.
  func moveState() {
    model.log(.warning("the recordings folder \(model.place.recordings) is now on a different file system"))
    protections.stateHasMoved()
    fileSystems.putAway(Array(model.registry.paths))
    do throws(LibraryError) {
      do throws(StorageError) {
        try StateDirectory.createFolders(model.place)
      } catch { throw .storage(error) }
      if model.role == .server { takeLock() }
      catalog = try StateDirectory.openCatalog(model.place) { model.log(.warning($0)) }
    } catch {
      model.log(.warning("\(error): recordings that are found are kept only in memory"))
      return
    }
    model.unsaved = []
    nextSave = nil
    for recording in load() { fileSystems.wait(for: recording) }
  }

  /// Locks the state folder that now exists. Releases this process's old lock first, because it would prevent the new
  /// one.
  private func takeLock() {
    stateFolder.unlock()
    lock = nil
    lock = try? FileLock(path: model.place.lock)
    if lock == nil {
      model.log(.warning("\(model.place.state) is in use by another footage process: both write to it"))
    }
  }

  /// Sets a damaged catalog aside and writes everything known into a new one.
  @discardableResult
  func rebuildCatalog() -> Bool {
    do throws(LibraryError) {
      catalog = try StateDirectory.replaceCatalog(model.place)
      model.log(
        .warning("the catalog was damaged: it was moved to \(model.place.catalog).set-aside, and a new one is written"))
    } catch {
      model.log(.warning(error.description))
      return false
    }
    model.unsaved.formUnion(model.registry.paths)
    return (try? saveUnsaved()) != nil
  }

  // MARK: Films of growing recordings

  /// Writes the rows for films. Rows that cannot be written are lost when the server ends.
  func saveFilms(_ rows: [GrowingFilmRow], removals: [ItemTag]) {
    do throws(SQLiteError) {
      try catalog.apply(films: rows, removals: removals)
    } catch {
      model.tell(.warning("\(error): the films of growing recordings will be lost when the server ends"))
    }
  }

  /// Returns the catalog's rows for films.
  func loadFilms() -> [GrowingFilmRow] { (try? catalog.growingFilms()) ?? [] }

  // MARK: Files that crash their reader

  /// Returns the reason why a file is not read, if it crashed the process that was reading it or exceeded its limits.
  func fatalReason(_ path: RelativePath, _ version: FileVersion) -> String? {
    fatal[path].flatMap { $0.isOf(version) ? $0.reason : nil }
  }

  func noteFatal(_ path: RelativePath, _ version: FileVersion, _ reason: String) {
    let file = CrashingFile(path: path, version: version, reason: reason)
    fatal[path] = file
    do throws(SQLiteError) { try catalog.note(file, program: Self.program) } catch {
      model.log(.warning(error.description))
    }
  }

  func forgetFatal(_ path: RelativePath) {
    guard fatal.removeValue(forKey: path) != nil else { return }
    do throws(SQLiteError) { try catalog.forgetFatal(path) } catch { model.log(.warning(error.description)) }
  }

  // MARK: Manifests

  /// Removes the manifests of recordings that no longer exist. Waits until every file has been examined: otherwise a
  /// lost catalog would remove all manifests, and every byte would be read again to remake them.
  private func sweepManifests() {
    var wanted: Set<String> = []
    for recording in model.snapshot.recordings + Array(fileSystems.away.values) {
      guard let tag = recording.content?.tag else { continue }
      wanted.insert(ManifestFiles.name(tag: tag, recording: recording.name))
    }
    do throws(StorageError) { try manifests.sweep(wanted: wanted, now: model.clock.unixNanoseconds) } catch {
      model.log(.warning(error.description))
    }
  }

  // MARK: Log messages

  private func tell(_ entry: IndexBatch.Entry, _ old: Recording?) {
    let recording = entry.recording
    switch recording.state {
    case .ready:
      firstScan?.readyCount += 1
      if case .closed(let closed) = model.schedule.evidence(of: recording.path) {
        readyTimes.add(milliseconds: Int64(model.milliseconds(since: closed)))
      }
      model.log(
        .ready(
          name: recording.name, duration: recording.duration ?? 0,
          milliseconds: entry.started.map { model.milliseconds(since: $0) } ?? 0, isRecovered: recording.isRecovered,
          wasInFirstScan: firstScan != nil))
      for note in entry.notes { model.log(.note(name: recording.name, note)) }
    case .recording: if old?.state != .recording { model.log(.recording(name: recording.name)) }
    case .refused(let reason, _):
      if old?.state != recording.state {
        firstScan?.refusedCount += 1
        model.log(
          .refused(
            path: recording.path, reason: reason,
            isOneOfMany: firstScan.map { $0.refusedCount > LibraryLimits.toldRefusals } ?? false))
      }
    }
  }

  /// Logs the result of the first scan once every file that was found at the start has been examined.
  func tellFirstScan() {
    guard let scan = firstScan, model.hasScanned, !model.schedule.hasBacklog else { return }
    firstScan = nil
    if model.role == .server { sweepManifests() }
    guard scan.readyCount + scan.refusedCount > 0 else { return }
    model.log(
      .indexed(
        ready: scan.readyCount, refused: scan.refusedCount, milliseconds: model.milliseconds(since: scan.started)))
  }
}

/// The totals for the files that were found at the start.
struct FirstScan {
  let started: Int64
  var readyCount = 0
  var refusedCount = 0
}
