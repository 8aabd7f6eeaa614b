package import FootageSystem

/// Opens recordings that are in stores alone: there is no folder behind it, and nothing grows.
package final class StoredOpener: RecordingOpener {
  package let films = GrowingFilms()

  package init() {}

  package func mending<Opened>(
    _ recording: Recording, _ open: (_ rebuilt: DerivedFiles?) throws(LibraryError) -> Opened
  ) throws(LibraryError) -> Opened {
    guard case .store(let store) = recording.whereabouts else { throw .storeAway(name: recording.name) }
    return try open(try store.derivedFiles(of: recording))
  }

  /// Whoever has read the manifest has it.
  package func manifest(
    of recording: Recording, for urgency: ManifestUrgency
  ) throws(LibraryError) -> ManifestAnswer {
    throw .noManifest(name: recording.name, reason: "It is not kept here: ask for it by the recording's name.")
  }

  /// What is in a store never changes.
  package func requestLook(at path: RelativePath) {}
}

extension StoredOpener {
  /// The sample index of a recording, to be read as it is needed; nil where there is none.
  package func indexFile(of recording: Recording) throws(StorageError) -> BoundComposition? {
    guard case .store(let store) = recording.whereabouts, let reader = store.reader else { return nil }
    return try reader.derivedFiles(of: recording).index
  }
}
