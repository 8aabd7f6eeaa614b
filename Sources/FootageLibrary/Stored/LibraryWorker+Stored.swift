internal import FootageBase
internal import FootageSystem

/// What is in a store stays on the list when its file goes.
extension LibraryWorker {
  /// Where the bytes of a recording are whose file is on the disk.
  func whereaboutsHere(_ recording: Recording) -> Recording.Whereabouts {
    guard let stored, recording.state == .ready, let tag = recording.content?.tag else { return .here }
    return stored.contains(recording.path, tag: tag) ? .both : .owed
  }

  /// Whether the store was seen to have a recording since the start.
  func isConfirmed(_ recording: Recording) -> Bool {
    guard let stored, let tag = recording.content?.tag else { return false }
    return stored.isConfirmed(recording.path, tag: tag)
  }

  /// The same recording, read out of the store from now on; nil where that does not have it.
  func remote(_ recording: Recording) -> Recording? {
    guard let stored, recording.state == .ready, let tag = recording.content?.tag,
      stored.contains(recording.path, tag: tag)
    else { return nil }
    return recording.with(whereabouts: .store(stored))
  }

  /// Begins to know a store, and what it holds.
  func use(_ store: StoredVersions) {
    stored = store
    for path in Array(registry.paths) { noteStored(path) }
  }

  /// What the store holds of a path has changed.
  func noteStored(_ path: RelativePath) {
    guard let known = registry[path], known.state == .ready else { return }
    if known.isRemote {
      guard remote(known) == nil else { return }
      // It was deleted there, and there was nothing else.
      var batch = IndexBatch()
      batch.removals = [path]
      return store(batch)
    }
    let whereabouts = whereaboutsHere(known)
    guard whereabouts.item != known.whereabouts.item else { return }
    _ = registry.put(known.with(whereabouts: whereabouts))
  }

  /// Lists recordings that are in the store and that nobody here knows any more, unless something else has their path
  /// or name.
  func adopt(_ recordings: [Recording]) {
    var batch = IndexBatch()
    for recording in recordings {
      guard registry[recording.path] == nil, fileSystems.away[recording.path] == nil,
        registry.holder(of: recording.name) == nil
      else { continue }
      batch.put(recording)
    }
    if !batch.entries.isEmpty { store(batch) }
  }
}

extension RecordingLibrary {
  /// Has the list tell of a store, and the store's recordings stay on it when their files go. To be called before
  /// `start`.
  package func use(_ store: StoredVersions) { change { $0.use(store) } }

  /// What the store holds of these paths has changed, and `StoredVersions` says so already.
  package func noteStored(_ paths: [RelativePath]) {
    change { worker in for path in paths { worker.noteStored(path) } }
  }

  /// Lists recordings out of their manifests that are in the store alone, and of which nothing is known here.
  package func adopt(_ recordings: [Recording]) { change { $0.adopt(recordings) } }
}
