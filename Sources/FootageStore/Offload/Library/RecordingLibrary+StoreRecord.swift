package import FootageLibrary
internal import FootageSystem

extension RecordingLibrary {
  /// Has the list keep what the server of this folder has brought into a store, by the server's record of it: for a
  /// process beside the server, which asks no store, and so opens none of that. To be called before the folder is looked
  /// at. Blocks.
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
