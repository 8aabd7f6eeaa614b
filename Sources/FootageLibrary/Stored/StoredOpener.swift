package import FootageSystem

/// An opener of recordings that are only in stores. It has no folder, and no growing recordings.
package final class StoredOpener: RecordingOpener {
  package let films = GrowingFilms()
  private let tracks = TrackIndexes()

  package init() {}

  package func mending<Opened>(
    _ recording: Recording, _ open: (_ rebuilt: DerivedFiles?) throws(LibraryError) -> Opened
  ) throws(LibraryError) -> Opened {
    guard case .store(let store) = recording.whereabouts else { throw .storeAway(name: recording.name) }
    return try open(try store.derivedFiles(of: recording))
  }

  package func index(of recording: Recording, track: Int) throws(LibraryError) -> BoundComposition {
    try tracks.index(of: try recording.address(ofTrack: track)) { () throws(LibraryError) in
      try mending(recording) { (rebuilt) throws(LibraryError) in
        try recording.storedIndex(ofTrack: track, rebuilt: rebuilt)
      }
    }
  }

  /// Always throws an error: manifests of stored recordings are only in the store, where the program that lists the
  /// recordings has read them.
  package func manifest(
    of recording: Recording, for urgency: ManifestUrgency
  ) throws(LibraryError) -> ManifestAnswer {
    throw .noManifest(name: recording.name, reason: "It is not kept here: request it by the recording's name.")
  }

  /// Does nothing, because the contents of a store never change.
  package func requestLook(at path: RelativePath) {}
}

extension StoredOpener {
  /// Returns the sample index of a recording, whose bytes are fetched when they are read; nil if there is none.
  package func indexFile(of recording: Recording) throws(StorageError) -> BoundComposition? {
    guard case .store(let store) = recording.whereabouts, let reader = store.reader else { return nil }
    return try reader.derivedFiles(of: recording).index
  }
}
