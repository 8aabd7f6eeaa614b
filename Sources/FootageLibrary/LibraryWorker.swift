internal import FootageAPI
internal import FootageBase
internal import FootageSystem

/// Keeps what is known of the recordings folder true: scans, looks, stores, publishes. One thread at a time.
///
/// Not Sendable: its owner guards it. All of it blocks on files.
final class LibraryWorker {
  private let model: FolderModel
  private let stored = StoredKnowledge()
  private let fileSystems: FileSystems
  private let protections: Protections
  private let committer: Committer
  private let indexer: Indexer
  private let scanner: FolderScanner

  /// Loads what the catalog holds.
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

  /// What is known under a path.
  func recording(at path: RelativePath) -> Recording? { model.registry[path] }

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
    if protections.nextLook <= model.clock.uptimeNanoseconds { protections.look() }
    let isGathering = scanner.takeNews()
    indexer.storeBatch(late)
    committer.tellFirstScan()
    return pause(isGathering: isGathering)
  }

  private func pause(isGathering: Bool) -> Pause {
    let now = model.clock.uptimeNanoseconds
    let next = min(
      model.schedule.nextDue ?? .max, scanner.nextScan, committer.nextRetry ?? .max, protections.nextLook)
    let milliseconds = next <= now ? 0 : Int((next - now - 1) / 1_000_000 + 1)
    return isGathering
      ? Pause(milliseconds: min(milliseconds, LibraryLimits.gatherMilliseconds), isGathering: true)
      : Pause(milliseconds: milliseconds)
  }

  /// Has a file looked at again, whatever its version.
  func look(again path: RelativePath) { model.schedule.noteDemandedAgain(path) }

  func noteMounts(_ table: MountTable) { scanner.noteMounts(table) }

  /// Compares a folder, and all in it, with what is known, and has everything looked at that differs.
  func scan(_ folder: RelativePath) { scanner.scan(folder) }

  /// Looks at what is due, up to the size of a batch, and stores it.
  ///
  /// - Returns: whether there was anything.
  @discardableResult
  func storeBatch() -> Bool { indexer.storeBatch() }

  /// Looks at this one now, whatever its version, and stores what comes of it.
  func index(_ path: RelativePath) -> Recording? { indexer.index(path) }

  /// Writes what is remembered of films. What cannot be written is forgotten with the server.
  func saveFilms(_ rows: [GrowingFilmRow], removals: [FilmKey]) { committer.saveFilms(rows, removals: removals) }

  /// What the catalog remembers of films.
  func loadFilms() -> [GrowingFilmRow] { committer.loadFilms() }

  /// The catalog, for a test.
  var catalog: Catalog { committer.catalog }

  /// As of now. Asks nothing of a disk.
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
    condition.keptShares = model.registry.keptShares.all
    return condition
  }

  // MARK: Protection

  /// What is protected by a line of a list.
  var keptLists: KeptLists { protections.lists }

  /// How much a viewer protects, in bytes.
  func keptShare(of viewer: String) -> UInt64 { model.registry.keptShares[viewer] }

  /// Has everybody see whose protection a recording has.
  func mark(_ path: RelativePath, keeper: Keeper?) { model.mark(path, keeper: keeper) }

  /// Takes in what other processes have written into the lists.
  func lookAtKeptLists() { protections.look() }

  // MARK: Making room

  /// Whether everything that lies there was looked at, so that the oldest of it is the oldest.
  var isSettled: Bool { model.isSettled }

  /// All that is listed.
  ///
  /// - Parameter openSince: since when a recording is open; asked for those alone that some response has open now.
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

  /// Takes recordings off the list and out of the catalog, whose files go next; what a store has stays on the list, and
  /// is read there. Where a full disk refuses the rows, the files go all the same, and make room for that.
  ///
  /// - Returns: those that have to stay: they were in the store when that was decided, and are there no more.
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

  /// Dates what was met while the clock was not set.
  func dateSightings(at moment: RetentionMoment) {
    let dated = model.ledger.date(at: moment).filter { model.registry[$0]?.state == .ready }
    model.unsaved.formUnion(dated)
  }

  // MARK: The store

  /// What is in the store, where there is one.
  var storedVersions: StoredVersions? { stored.versions }

  /// Begins to know a store, and what it holds.
  func use(_ store: StoredVersions) {
    stored.use(store)
    for path in Array(model.registry.paths) { noteStored(path) }
  }

  /// What the store holds of a path has changed.
  func noteStored(_ path: RelativePath) {
    guard let known = model.registry[path], known.state == .ready else { return }
    if known.isRemote {
      guard stored.remote(known) == nil else { return }
      // It was deleted there, and there was nothing else.
      var batch = IndexBatch()
      batch.removals = [path]
      return committer.store(batch)
    }
    let whereabouts = stored.whereabouts(ofHere: known)
    guard whereabouts.item != known.whereabouts.item else { return }
    _ = model.registry.put(known.with(whereabouts: whereabouts))
  }

  /// Lists recordings that are in the store and that nobody here knows any more, unless something else has their path
  /// or name.
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
