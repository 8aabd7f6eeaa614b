internal import FootageBase
internal import FootageLibrary

/// The library as offloading uses it: the list of recordings, in addition to their files.
protocol OffloadLibrary: RecordingFiles {
  /// Returns the versions that have yet to be copied to the store, in the order of copying: protected ones, then the
  /// oldest first.
  func owed() -> [OffloadRow]
  /// Returns the time at which the oldest of the owed versions was recorded.
  func oldestOwed() -> UnixTimestamp?
  /// Returns the version among several that is listed.
  func listed(of rows: [OffloadRow]) -> OffloadRow?
  /// Returns true if the file of a version is on the disk.
  func isHere(_ row: OffloadRow) -> Bool
  /// Records that the store has this version, so that its file may be deleted.
  func noteStored(_ row: OffloadRow)
  /// Records that the store no longer has this version.
  func noteLost(_ row: OffloadRow)
  /// Records that the store does not have this version now, although the version is not sent again. It stays listed,
  /// and its file, if there is one, is not deleted.
  func noteDoubt(_ row: OffloadRow)
  /// Records that the first examination of the store after a start has ended, or has failed for now.
  func noteFirstLook(hasSucceeded: Bool)
  /// Returns true if a version is protected; nil if it is not listed, so that this is unknown.
  func protection(of row: OffloadRow) -> Bool?
  /// Ends the protection of a version that is not on the disk.
  ///
  /// - Throws: `OffloadError.refused`.
  func release(_ row: OffloadRow) throws(OffloadError)
  /// The versions that are listed and protected.
  var kept: Set<VersionKey> { get }
  /// Records in the list that the store has these versions, and publishes the change.
  func announce(_ rows: [OffloadRow])
  /// Lists versions that the store has and the list no longer knows.
  ///
  /// - Parameter manifest: returns the manifest of a version, or nil if there is none. It is called only for versions
  ///   that the list does not know.
  func adopt(_ rows: [OffloadRow], _ manifest: (VersionKey) -> [UInt8]?)
  /// Begins to restore a file in its folder, under a temporary hidden name.
  ///
  /// - Throws: `OffloadError`: `.refused` if another file has the name, or if there is no room; `.file`.
  func restoration(of row: OffloadRow, _ manifest: ProvenManifest) throws(OffloadError) -> any Restoration
}

/// A file that is being restored.
protocol Restoration: AnyObject {
  func append(_ bytes: [UInt8]) throws(OffloadError)
  /// Gives the file its name and its times, durably, unless another file has that name now.
  func finish() throws(OffloadError)
}
