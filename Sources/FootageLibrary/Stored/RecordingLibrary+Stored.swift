internal import FootageBase

extension RecordingLibrary {
  /// Starts using a store: the list shows what it contains, and its recordings stay listed when their files are
  /// deleted. Call this before `start`.
  package func use(_ store: StoredVersions) { change { $0.use(store) } }

  /// Updates recordings after their contents in the store have changed, which `StoredVersions` must know already.
  package func noteStored(_ paths: [RelativePath]) {
    change { worker in for path in paths { worker.noteStored(path) } }
  }

  /// Lists recordings from their manifests that are only in the store, and that are unknown here.
  package func adopt(_ recordings: [Recording]) { change { $0.adopt(recordings) } }
}
