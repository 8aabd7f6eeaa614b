internal import FootageAPI
internal import FootageSystem

/// Storing what was found: preambles and indexes first, then their rows, then what everybody sees.
extension LibraryWorker {
  /// Preambles and indexes first, then their rows, then the snapshot: what is seen is stored, and what is stored is whole.
  func store(_ batch: IndexBatch) {
    storeFiles(batch)
    putAway(batch.away)
    var replaced: [Recording] = []
    for path in batch.removals {
      let old = registry.remove(path)
      films.note(path, nil)
      if let old, !batch.isDecided { log(.gone(name: old.name)) }
      ledger.forget(path)
      if let old { replaced.append(old) }
      unpersisted.insert(path)
      unstored.remove(path)
      fileSystems.numbers[path] = nil
      for other in registry.claimants(of: old?.name) { look(again: other) }
    }
    for entry in batch.entries {
      let path = entry.recording.path
      let found = entry.recording
      let recording = found.with(
        keeper: keeper(of: found), whereabouts: found.isRemote ? found.whereabouts : whereaboutsHere(found)
      ).following(registry[path])
      // Looked at once more, and found to be what it was: its files are stored anew, and nobody need be told.
      if let known = registry[path], known.with(keeper: recording.keeper).isSame(as: recording) {
        if known.changedNanoseconds != recording.changedNanoseconds || judgedByOthers.contains(path) {
          unpersisted.insert(path)
        }
        known.noteChanged(nanoseconds: recording.changedNanoseconds)
        mark(path, keeper: recording.keeper)
        continue
      }
      let old = registry.put(recording)
      let isServedAsBefore = old?.validity === recording.validity
      if let old, old.version == recording.version, !isServedAsBefore { old.validity.end() }
      if let old { replaced.append(old) }
      if old?.state == .ready || recording.state == .ready { unpersisted.insert(path) }
      noteNaming(of: path)
      films.note(path, recording)
      if !isServedAsBefore { tell(entry, old) }
    }
    guard saveRows() else { return }
    removeFiles(of: replaced)
  }

  /// Removes what is kept of versions to which nothing refers any more.
  private func removeFiles(of replaced: [Recording]) {
    for old in replaced {
      guard let content = old.content else { continue }
      if snapshot.recording(named: old.name)?.content?.tag != content.tag {
        manifests.remove(tag: content.tag, recording: old.name)
      }
      guard content.hasFiles, !registry.hasTag(content.tag) else { continue }
      // Where the catalog does not tell, they stay until the sweep of the next start.
      if (try? catalog.refers(to: content.tag)) == false { files.remove([content.tag]) }
    }
  }

  /// What cannot be stored is made anew when somebody asks for it: a full disk takes nothing off the list.
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
    if let nextHead, nextHead <= clock.uptimeNanoseconds { retryHeads() }
  }

  private func store(_ made: DerivedFiles, _ tag: String) throws(StorageError) {
    do throws(StorageError) { try files.store(made, tag: tag) } catch {
      guard error.reason == .system(.notFound) else { throw error }
      // All that is kept may be deleted at any time.
      try StateDirectory.createFolders(place)
      try files.store(made, tag: tag)
    }
  }

  private func noteUnstored(_ path: RelativePath, _ error: StorageError) {
    let isFirst = unstored.isEmpty
    unstored.insert(path)
    nextHead = clock.uptimeNanoseconds + LibraryLimits.retryNanoseconds
    guard isFirst else { return }
    log(
      .warning(
        "\(StorageError("write to", place.state, error.reason)); recordings are served all the same, and it is tried "
          + "again every \(LibraryLimits.retryNanoseconds / 1_000_000_000) s"))
  }

  /// One of those that could not be stored is stored: so can the others be, it seems.
  private func releaseUnstored() {
    for path in unstored { look(again: path) }
    unstored = []
    nextHead = nil
    log(.warning("the state folder \(place.state) can be written again"))
  }

  /// Has one looked at again, and all the others as soon as that one could be stored.
  private func retryHeads() {
    nextHead = clock.uptimeNanoseconds + LibraryLimits.retryNanoseconds
    guard let path = unstored.first, (try? TemporaryFile(in: place.heads).write([0])) != nil else { return }
    look(again: path)
  }

  /// Brings the rows up to what is known. What fails is tried again later: recordings are served all the same.
  private func saveRows() -> Bool {
    guard !unpersisted.isEmpty else {
      nextSave = nil
      return true
    }
    let hadFailed = nextSave != nil
    if let nextSave, nextSave > clock.uptimeNanoseconds { return false }
    do throws(SQLiteError) {
      try saveUnsaved()
    } catch {
      if error.kind == .damaged, rebuildCatalog() { return true }
      nextSave = clock.uptimeNanoseconds + LibraryLimits.retryNanoseconds
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
    let ready = unpersisted.compactMap { registry[$0] }.filter { $0.state == .ready }
    for recording in ready { judgedByOthers.remove(recording.path) }
    try catalog.apply(
      upserts: ready, removals: unpersisted.filter { registry[$0]?.state != .ready && fileSystems.away[$0] == nil },
      fileSystem: { fileSystemNumber(of: $0) }, sighting: { ledger.sighting(of: $0.path) })
    unpersisted = []
    nextSave = nil
  }

  /// All that is kept may be deleted at any time; what is missing is made again.
  func restoreState() {
    guard (try? FileStatus.of(place.catalog)) == nil || (try? FileStatus.of(place.heads)) == nil else { return }
    log(.warning("the folder \(place.state) was deleted: it is made again"))
    _ = try? StateDirectory.createFolders(place)
    if role == .server { takeLock() }
    lookAtKeptLists()
    do throws(LibraryError) {
      catalog = try StateDirectory.openCatalog(place) { _ in }
    } catch {
      log(.warning(error.description))
    }
    for path in registry.paths where registry[path]?.state == .ready {
      unpersisted.insert(path)
      look(again: path)
    }
  }

  /// The state folder that lies among the recordings is another one, since the recordings folder is: a disk was mounted
  /// over it, or taken away. What the new one holds is known from now on; the scan that follows tells what is there.
  func moveState() {
    log(.warning("the recordings folder \(place.recordings) lies on another file system now"))
    keptLists.forgetState()
    nextKeptLook = .min
    putAway(Array(registry.paths))
    do throws(LibraryError) {
      do throws(StorageError) {
        try StateDirectory.createFolders(place)
      } catch { throw .storage(error) }
      if role == .server { takeLock() }
      catalog = try StateDirectory.openCatalog(place) { log(.warning($0)) }
    } catch {
      log(.warning("\(error): what is found is kept in memory alone"))
      return
    }
    unpersisted = []
    nextSave = nil
    for recording in load() { fileSystems.away[recording.path] = recording }
  }

  /// Locks the state folder that is there now, and no other: a lock of this process's own would be in its way too.
  private func takeLock() {
    stateFolder.unlock()
    lock = nil
    lock = try? FileLock(path: place.lock)
    if lock == nil { log(.warning("\(place.state) is in use by another footage: both write to it")) }
  }

  /// Puts a damaged catalog aside and writes all that is known into a new one.
  @discardableResult
  func rebuildCatalog() -> Bool {
    do throws(LibraryError) {
      catalog = try StateDirectory.replaceCatalog(place)
      log(.warning("the catalog was damaged: it is kept as \(place.catalog).set-aside, and a new one is written"))
    } catch {
      log(.warning(error.description))
      return false
    }
    unpersisted.formUnion(registry.paths)
    return (try? saveUnsaved()) != nil
  }

  // MARK: Films of what grows

  /// Writes what is remembered of films. What cannot be written is forgotten with the server.
  func saveFilms(_ rows: [GrowingFilmRow], removals: [FilmKey]) {
    do throws(SQLiteError) {
      try catalog.apply(films: rows, removals: removals)
    } catch {
      tell(.warning("\(error): the films of what grows now are not remembered"))
    }
  }

  /// What the catalog remembers of films.
  func loadFilms() -> [GrowingFilmRow] { (try? catalog.growingFilms()) ?? [] }

  // MARK: Files that end their reader

  /// Why the file is not read, where it has ended the process that read it.
  func fatalReason(_ path: RelativePath, _ version: FileVersion) -> String? {
    fatal[path].flatMap { $0.isOf(version) ? $0.reason : nil }
  }

  func noteFatal(_ path: RelativePath, _ version: FileVersion, _ reason: String) {
    let file = CrashingFile(path: path, version: version, reason: reason)
    fatal[path] = file
    do throws(SQLiteError) { try catalog.note(file, program: Self.program) } catch { log(.warning(error.description)) }
  }

  func forgetFatal(_ path: RelativePath) {
    guard fatal.removeValue(forKey: path) != nil else { return }
    do throws(SQLiteError) { try catalog.forgetFatal(path) } catch { log(.warning(error.description)) }
  }

  // MARK: Manifests

  /// Removes those of recordings that are gone. Not before all that lies there was looked at: a lost catalog must not
  /// have every byte read again.
  private func sweepManifests() {
    var wanted: Set<String> = []
    for recording in snapshot.recordings + Array(fileSystems.away.values) {
      guard let tag = recording.content?.tag else { continue }
      wanted.insert(ManifestFiles.name(tag: tag, recording: recording.name))
    }
    do throws(StorageError) { try manifests.sweep(wanted: wanted, now: clock.unixNanoseconds) } catch {
      log(.warning(error.description))
    }
  }

  // MARK: Words

  private func tell(_ entry: IndexBatch.Entry, _ old: Recording?) {
    let recording = entry.recording
    switch recording.state {
    case .ready:
      firstScan?.readyCount += 1
      if case .closed(let closed) = schedule.evidence(of: recording.path) {
        readyTimes.add(milliseconds: Int64(milliseconds(since: closed)))
      }
      log(
        .ready(
          name: recording.name, duration: recording.duration ?? 0,
          milliseconds: entry.started.map { milliseconds(since: $0) } ?? 0, isRecovered: recording.isRecovered,
          wasInFirstScan: firstScan != nil))
      for note in entry.notes { log(.note(name: recording.name, note)) }
    case .recording: if old?.state != .recording { log(.recording(name: recording.name)) }
    case .refused(let reason, _):
      if old?.state != recording.state {
        firstScan?.refusedCount += 1
        log(
          .refused(
            path: recording.path, reason: reason,
            isOneOfMany: firstScan.map { $0.refusedCount > LibraryLimits.toldRefusals } ?? false))
      }
    }
  }

  /// Once all that lay there at the start was looked at.
  func tellFirstScan() {
    guard let scan = firstScan, hasScanned, !schedule.hasBacklog else { return }
    firstScan = nil
    if role == .server { sweepManifests() }
    guard scan.readyCount + scan.refusedCount > 0 else { return }
    log(
      .indexed(ready: scan.readyCount, refused: scan.refusedCount, milliseconds: milliseconds(since: scan.started)))
  }
}

/// What has come of the files that lay there at the start.
struct FirstScan {
  let started: Int64
  var readyCount = 0
  var refusedCount = 0
}
