internal import FootageBase
internal import FootageLibrary

/// What offloading asks of the list of recordings, and tells it, beside what it reads of files.
protocol OffloadLibrary: RecordingFiles {
  /// What is still to come into the store, in the order in which it should: protected ones, then the oldest first.
  func owed() -> [OffloadRow]
  /// When the oldest of that was recorded.
  func oldestOwed() -> UnixTimestamp?
  /// Of several versions, the one that is listed.
  func listed(of rows: [OffloadRow]) -> OffloadRow?
  /// Whether the file of a version is on the disk.
  func isHere(_ row: OffloadRow) -> Bool
  /// The store has this version: its file may go.
  func noteStored(_ row: OffloadRow)
  /// The store has this version no longer.
  func noteLost(_ row: OffloadRow)
  /// The store did not have this version when it was asked, and it is not sent again: it is listed still, and its file,
  /// if there is one, does not go.
  func noteDoubt(_ row: OffloadRow)
  /// The look at the store that a start makes has ended, or has failed for now.
  func noteFirstLook(hasSucceeded: Bool)
  /// Whether a version is protected; nil where it is not listed, so that nobody knows.
  func protection(of row: OffloadRow) -> Bool?
  /// Ends the protection of a version that is not on the disk.
  ///
  /// - Throws: `OffloadError.refused`.
  func release(_ row: OffloadRow) throws(OffloadError)
  /// All that is listed and protected.
  var kept: Set<VersionKey> { get }
  /// Has the list tell so.
  func announce(_ rows: [OffloadRow])
  /// Lists what the store has and nobody here knows any more.
  ///
  /// - Parameter manifest: asked for those alone; nil where there is none.
  func adopt(_ rows: [OffloadRow], _ manifest: (VersionKey) -> [UInt8]?)
  /// Begins to write a file back to its place, under a name that nobody sees.
  ///
  /// - Throws: `OffloadError`: `.refused` where something has the place, or there is no room; `.file`.
  func restoration(of row: OffloadRow, _ manifest: ProvenManifest) throws(OffloadError) -> any Restoration
}

/// A file on its way back.
protocol Restoration: AnyObject {
  func append(_ bytes: [UInt8]) throws(OffloadError)
  /// Gives it its name and its times, durably, if nothing has that by now.
  func finish() throws(OffloadError)
}
