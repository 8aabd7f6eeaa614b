package import FootageLibrary

/// The record of the copying of one version of a recording to the store.
///
/// The row does not state whether the version's file is still on the disk. The file of a version that is `stored` may
/// be deleted; the version is then read from the store.
package struct OffloadRow: Hashable, Sendable {
  package enum State: String, Hashable, Sendable {
    /// The upload has not begun, according to this record.
    case queued
    /// Part of the version may be in the store.
    case uploading
    /// All objects of the version are in the store, and its manifest was read back.
    case stored
    /// The version's objects in the store are being deleted, because its file was changed or removed before the upload
    /// was complete.
    case discarding
    /// The version is being deleted in the store, because a person has requested that. The manifest goes first.
    case removing
  }

  package var path: RelativePath
  package var name: String
  /// The tag of the version, as it is in the list.
  package var tag: String
  /// The entity tag without quotes, by which the library knows the version.
  package var entityTag: String
  package var state: State
  /// The ID of an upload in parts that the store was asked to begin.
  package var upload: String?
  /// The manifest as it was signed. It is recorded before it is sent, because a second signature of the same content
  /// would differ (ECDSA is randomized). It is nil until it is signed, and in rows that were loaded from the record,
  /// because the manifests of a year would need too much memory; `manifest(of:)` loads one.
  package var manifest: [UInt8]?
  /// The length of the recorder's file in bytes.
  package var size: UInt64
  /// The time at which the version was stored, in seconds since 1970 by the clock of that time.
  package var storedSeconds: Int64?
  /// True if the store was found to have different bytes from those that were signed. Before the version counts as
  /// stored again, the file is sent again, or all of its bytes are read back, whatever the store reports.
  package var isDistrusted = false
  /// True if the recording was protected when it was last in the list.
  package var isKept = false

  package init(
    path: RelativePath, name: String, tag: String, entityTag: String, state: State = .queued, upload: String? = nil,
    manifest: [UInt8]? = nil, size: UInt64, storedSeconds: Int64? = nil
  ) {
    self.path = path
    self.name = name
    self.tag = tag
    self.entityTag = entityTag
    self.state = state
    self.upload = upload
    self.manifest = manifest
    self.size = size
    self.storedSeconds = storedSeconds
  }

  /// The key of the version. A file with two names counts as two recordings.
  package var key: VersionKey { VersionKey(name: name, tag: tag) }
}

/// A record of rows, in which each change is durable when the call returns. Tests replace it to interrupt the work
/// between any two calls.
protocol OffloadRecord: AnyObject {
  /// Returns all rows, without their manifests.
  func rows() throws(OffloadError) -> [OffloadRow]
  /// Returns the row of one version, without its manifest; nil if the version is unknown.
  func row(of key: VersionKey) throws(OffloadError) -> OffloadRow?
  /// Returns the manifest as it was signed; nil if there is none yet, or no such version.
  func manifest(of key: VersionKey) throws(OffloadError) -> [UInt8]?
  /// Writes a row. A row without a manifest keeps the recorded one.
  func put(_ row: OffloadRow) throws(OffloadError)
  func remove(_ key: VersionKey) throws(OffloadError)
}
