internal import FootageBase

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
