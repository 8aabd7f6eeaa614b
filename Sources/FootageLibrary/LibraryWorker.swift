internal import FootageAPI
internal import FootageBase
internal import FootageSystem

/// The worker that keeps the library in step with the recordings folder: it scans folders, examines files, stores the
/// results and publishes them. Only one thread may use it at a time.
///
/// It is not Sendable: its owner synchronizes the access. All its methods block on files.
final class LibraryWorker {
  private let model: FolderModel
  private let stored = StoredKnowledge()
  private let fileSystems: FileSystems
  private let protections: Protections
  private let committer: Committer
  private let indexer: Indexer
  private let scanner: FolderScanner

  /// Loads the contents of the catalog.
  init(
    _ opened: (StateDirectory, Catalog), stream: FolderChanges?, role: LibraryRole, naming: RecordingNaming,
    clock: Clock, examiner: any FileIndexer, films: GrowingFilms,
    deliver: @escaping @Sendable (LateExamination) -> Void, log: @escaping @Sendable (LibraryEvent) -> Void
  ) {
    let (stateFolder, catalog) = opened
    let place = stateFolder.place
    model = FolderModel(place, role: role, naming: naming, films: films, stream: stream, clock: clock, log: log)
    fileSystems = FileSystems(model, stored)
    protections = Protections(model, stateLasts: place.state == place.namedState)
    committer = Committer(model, fileSystems, protections, stored, stateFolder, catalog)
    indexer = Indexer(model, committer, fileSystems, protections, stored, by: examiner, deliver: deliver)
    scanner = FolderScanner(model, indexer, committer, fileSystems, protections, stored)
    model.registry = RecordingRegistry(committer.load())
    for path in model.registry.paths { model.noteNaming(of: path) }
    protections.look()
  }

  var place: LibraryPaths { model.place }
  var role: LibraryRole { model.role }
  var snapshot: LibrarySnapshot { model.snapshot }

  /// Returns the recording that is known at a path.
  func recording(at path: RelativePath) -> Recording? { model.registry[path] }

  // MARK: A turn of the server's thread

  /// The time to wait before the next turn.
  struct Pause: Equatable {
    /// The longest wait; nil to wait until a file changes.
    var milliseconds: Int?
    /// True if changes may accumulate in the kernel meanwhile, because none of them is urgent.
    var isGathering = false
  }

  /// Processes events, examines the files that are due, and stores one batch.
  ///
  /// - Parameters:
  ///   - requested: the files to examine even if their versions have not changed.
  ///   - late: the results of examinations that took long.
  func turn(requested: [RelativePath], late: [LateExamination]) -> Pause {
    for path in requested { look(again: path) }
    if protections.nextLook <= model.clock.uptimeNanoseconds { protections.look() }
    let isGathering = scanner.takeNews()
    indexer.storeBatch(late)
    committer.tellFirstScan()
    return pause(isGathering: isGathering)
  }

  private func pause(isGathering: Bool) -> Pause {
    let now = model.clock.uptimeNanoseconds
    let next = min(
      model.schedule.nextDue ?? .max, scanner.nextDue, committer.nextRetry ?? .max, protections.nextLook)
    let milliseconds = next <= now ? 0 : Int((next - now - 1) / 1_000_000 + 1)
    return isGathering
      ? Pause(milliseconds: min(milliseconds, LibraryLimits.gatherMilliseconds), isGathering: true)
      : Pause(milliseconds: milliseconds)
  }

  /// Schedules another examination of a file, even if its version has not changed.
  func look(again path: RelativePath) { model.schedule.noteDemandedAgain(path) }

  func noteMounts(_ table: MountTable) { scanner.noteMounts(table) }

  /// Compares a folder and everything in it with the known recordings, and schedules an examination of each file that
  /// differs.
  func scan(_ folder: RelativePath) { scanner.scan(folder) }

  /// Examines the files that are due, up to the size of a batch, and stores the results.
  ///
  /// - Returns: true if there were any results.
  @discardableResult
  func storeBatch() -> Bool { indexer.storeBatch() }

  /// Examines this file now, even if its version has not changed, and stores the result.
  func index(_ path: RelativePath) -> Recording? { indexer.index(path) }

  /// Replaces the preamble and the index of a recording, which other rules made, by those of the present rules.
  ///
  /// - Returns: nil if the recording was changed since `known`.
  func remake(_ known: Recording, _ file: IndexedFile, _ files: DerivedFiles, changed: Int64?) -> Remade? {
    indexer.remake(known, file, files, changed: changed)
  }

  /// Writes the rows for films. Rows that cannot be written are lost when the server ends.
  func saveFilms(_ rows: [GrowingFilmRow], removals: [ItemTag]) { committer.saveFilms(rows, removals: removals) }

  /// Returns the catalog's rows for films.
  func loadFilms() -> [GrowingFilmRow] { committer.loadFilms() }

  /// The catalog, for a test.
  var catalog: Catalog { committer.catalog }

  /// The current condition. Reading it accesses no disk.
  var condition: LibraryCondition {
    var condition = LibraryCondition()
    condition.hasScanned = model.hasScanned
    condition.isSettled = model.isSettled && indexer.isIdle
    condition.isFolderMissing = model.isFolderMissing
    condition.isFolderDenied = scanner.isFolderDenied
    condition.awayCount = fileSystems.away.count
    condition.awayStoredCount = fileSystems.awayStored.count
    condition.isStateTemporary = committer.isStateTemporary
    condition.unstoredCount = committer.unstoredCount
    condition.isCatalogUnwritable = committer.isCatalogUnwritable
    condition.isWatched = scanner.isWatched
    condition.indexerRestarts = indexer.restartCount
    condition.readyTimes = committer.readyTimes
    condition.foreign = model.foreign
    condition.keptShares = model.registry.keptShares.all
    return condition
  }

  // MARK: Protection

  /// The lists of kept recordings, as they were last read.
  var keptLists: KeptLists { protections.lists }

  /// Returns the total size of the recordings that a viewer protects, in bytes.
  func keptShare(of viewer: String) -> UInt64 { model.registry.keptShares[viewer] }

  /// Publishes the owner of a recording's protection.
  func mark(_ path: RelativePath, keeper: Keeper?) { model.mark(path, keeper: keeper) }

  /// Reads the changes that other processes have made to the lists of kept recordings.
  func lookAtKeptLists() { protections.look() }

  // MARK: Making room

  /// True if every file in the folder has been examined, so that the oldest known recording is the oldest one in the
  /// folder.
  var isSettled: Bool { model.isSettled }

  /// Returns all listed recordings whose files are on the disk, as candidates for retention.
  ///
  /// - Parameter openSince: returns the time since when a recording is open; it is called only for recordings that a
  ///   response is reading now.
  func retentionCandidates(openSince: (Recording) -> Int64) -> [RetentionCandidate] {
    model.registry.paths.compactMap { path in
      guard let recording = model.registry[path], recording.version.inode != 0, !recording.isRemote,
        FileTree.name(of: path.text).utf8.count <= LeavingName.longest, path.isExact
      else { return nil }
      var isRefused = false
      if case .refused = recording.state { isRefused = true }
      let isBelievedStored = recording.whereabouts.item == .both
      let isConfirmed = isBelievedStored && stored.isConfirmed(recording)
      return RetentionCandidate(
        path: path, name: recording.name, camera: recording.camera, version: recording.version,
        linkCount: model.ledger.linkCount(of: path) ?? 1, startedAt: recording.startedAt, endsAt: recording.endsAt,
        hasWriter: recording.state == .recording || model.schedule.evidence(of: path) == .modified,
        isRefused: isRefused,
        isKept: recording.isKept, isOwed: recording.whereabouts.item == .here || (isBelievedStored && !isConfirmed),
        isUnconfirmed: isBelievedStored && !isConfirmed, storedVersion: isConfirmed ? recording.versionTag : nil,
        openSince: recording.validity.isOpen ? openSince(recording) : nil,
        sighting: model.ledger.sighting(of: path) ?? Sighting(order: .max, uptime: nil, wall: nil))
    }
  }

  /// Removes recordings from the list and the catalog before their files are deleted. Recordings that are also in a
  /// store stay on the list, and are read from the store. If the catalog cannot be changed because the disk is full,
  /// the files are deleted nevertheless, which makes room for the change.
  ///
  /// - Returns: the recordings that must not be deleted: they were in the store when the deletion was decided, and no
  ///   longer are.
  func takeOut(_ decided: [RetentionCandidate]) -> Set<RelativePath> {
    var batch = IndexBatch()
    var staying: Set<RelativePath> = []
    batch.isDecided = true
    for candidate in decided {
      guard let known = model.registry[candidate.path], known.version == candidate.version else { continue }
      if !candidate.isOwed, stored.whereabouts(ofHere: known).item == .here {
        staying.insert(candidate.path)
        continue
      }
      if let remote = stored.remote(known) { batch.put(remote) } else { batch.removals.append(candidate.path) }
    }
    if !batch.removals.isEmpty || !batch.entries.isEmpty { committer.store(batch) }
    return staying
  }

  /// Computes the dates of the sightings that were recorded while the clock was not set.
  func dateSightings(at moment: RetentionMoment) {
    let dated = model.ledger.date(at: moment).filter { model.registry[$0]?.state == .ready }
    model.unsaved.formUnion(dated)
  }

  // MARK: The store

  /// The contents of the store, if there is one.
  var storedVersions: StoredVersions? { stored.versions }

  /// Starts using a store and its list of contents.
  func use(_ store: StoredVersions) {
    stored.use(store)
    for path in Array(model.registry.paths) { noteStored(path) }
  }

  /// Updates the recording at a path after the store has received it, or was found to lack it.
  func noteStored(_ path: RelativePath) {
    guard let known = model.registry[path], known.state == .ready else { return }
    if known.isRemote {
      guard stored.remote(known) == nil else { return }
      // The store's copy was deleted, and there was no other.
      var batch = IndexBatch()
      batch.removals = [path]
      return committer.store(batch)
    }
    let whereabouts = stored.whereabouts(ofHere: known)
    guard whereabouts.item != known.whereabouts.item else { return }
    _ = model.registry.put(known.with(whereabouts: whereabouts))
  }

  /// Lists recordings that are in the store but not in the folder, unless another recording has their path or name.
  func adopt(_ recordings: [Recording]) {
    var batch = IndexBatch()
    for recording in recordings {
      guard model.registry[recording.path] == nil, fileSystems.away[recording.path] == nil,
        model.registry.holder(of: recording.name) == nil
      else { continue }
      batch.put(recording)
    }
    if !batch.entries.isEmpty { committer.store(batch) }
  }
}
