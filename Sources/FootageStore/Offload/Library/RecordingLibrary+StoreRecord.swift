package import FootageLibrary
internal import FootageSystem

extension RecordingLibrary {
  /// Makes the list keep the versions that this folder's server has brought into a store, according to the server's
  /// record. This is for a process beside the server, which sends nothing to the store and so opens none of these
  /// versions. Must be called before the folder is scanned. Blocks.
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
