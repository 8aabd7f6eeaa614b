/// Storing what was found: heads first, then their rows, then what everybody sees.

internal import SQLite
internal import Storage

extension LibraryWorker {
  /// Heads first, then their rows, then the snapshot: what is seen is stored, and what is stored is whole.
  func store(_ batch: LookBatch) {
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
      noteNaming(of: path)
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

  /// All that is kept may be deleted at any time; what is missing is made again.
  func restoreState() {
    guard (try? FileStatus.of(place.catalog)) == nil || (try? FileStatus.of(place.heads)) == nil else { return }
    log(.warning("the folder \(place.state) was deleted: it is made again"))
    _ = try? StateFolder.createFolders(place)
    if role == .server { lock = try? FileLock(path: place.lock) }
    do throws(LibraryError) {
      catalog = try StateFolder.openCatalog(place) { _ in }
    } catch {
      log(.warning(error.description))
    }
    for path in shelf.paths where shelf[path]?.state == .ready {
      unsaved.insert(path)
      look(again: path)
    }
  }

  /// Puts a damaged catalog aside and writes all that is known into a new one.
  @discardableResult
  func rebuildCatalog() -> Bool {
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
