package import FootageSystem

/// An opener of recordings that are only in stores. There is no folder, and nothing grows.
package final class StoredOpener: RecordingOpener {
  package let films = GrowingFilms()

  package init() {}

  package func mending<Opened>(
    _ recording: Recording, _ open: (_ rebuilt: DerivedFiles?) throws(LibraryError) -> Opened
  ) throws(LibraryError) -> Opened {
    guard case .store(let store) = recording.whereabouts else { throw .storeAway(name: recording.name) }
    return try open(try store.derivedFiles(of: recording))
  }

  /// Throws an error in any case: manifests are not kept here, and a client that lists these recordings has read them.
  package func manifest(
    of recording: Recording, for urgency: ManifestUrgency
  ) throws(LibraryError) -> ManifestAnswer {
    throw .noManifest(name: recording.name, reason: "It is not kept here: ask for it by the recording's name.")
  }

  /// Does nothing, because the contents of a store never change.
  package func requestLook(at path: RelativePath) {}
}

extension StoredOpener {
  /// Returns the sample index of a recording, which is read as it is needed; nil if there is none.
  package func indexFile(of recording: Recording) throws(StorageError) -> BoundComposition? {
    guard case .store(let store) = recording.whereabouts, let reader = store.reader else { return nil }
    return try reader.derivedFiles(of: recording).index
  }
}
