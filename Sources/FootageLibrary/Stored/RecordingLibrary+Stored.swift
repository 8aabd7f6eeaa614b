internal import FootageBase

extension RecordingLibrary {
  /// Starts using a store: the list shows what it contains, and its recordings stay listed when their files are
  /// deleted. Call this before `start`.
  package func use(_ store: StoredVersions) { change { $0.use(store) } }

  /// Updates recordings after a change in the store that is already recorded in `StoredVersions`.
  package func noteStored(_ paths: [RelativePath]) {
    change { worker in for path in paths { worker.noteStored(path) } }
  }

  /// Lists recordings that are only in the store and were read from their manifests. Recordings that are listed already
  /// stay as they are.
  package func adopt(_ recordings: [Recording]) { change { $0.adopt(recordings) } }
}
