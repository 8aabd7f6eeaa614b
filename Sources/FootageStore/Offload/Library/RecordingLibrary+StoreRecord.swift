package import FootageLibrary
internal import FootageSystem

extension RecordingLibrary {
  /// Keeps the versions on the list that this folder's server has copied to a store, according to the server's record.
  /// It is for another process on the same machine, which does not connect to the store and therefore cannot open these
  /// versions. Call it before the folder is scanned. Blocks.
  ///
  /// - Throws: `OffloadError.record`.
  package func useStoreRecord() throws(OffloadError) {
    let path = "\(place.state)/\(OffloadService.recordName)"
    guard FileTree.exists(path) else { return }
    let stored = StoredVersions()
    for row in try OffloadDatabase(reading: path).rows() where row.state == .stored {
      stored.insert(row.path, tag: row.entityTag)
    }
    use(stored)
  }
}
