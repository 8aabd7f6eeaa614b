package import FootageLibrary

/// The record of one version of a recording on its way into the store.
///
/// Only the disk shows whether the version's file is still there. A version that is `stored` may be deleted there, and
/// is then read out of the store.
package struct OffloadRow: Hashable, Sendable {
  package enum State: String, Hashable, Sendable {
    /// Nothing of it was begun, as far as is known here.
    case queued
    /// Some of it may be in the store.
    case uploading
    /// All of it is in the store, and its manifest was read back.
    case stored
    /// Its objects in the store are being deleted: its file was changed or removed before all of it was there.
    case discarding
    /// It is being deleted in the store, because a person has requested that. The manifest goes first.
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
  /// The manifest as it was signed. It is kept before it is sent, because a second signature of the same content would
  /// differ (ECDSA is random). It is also nil in a row that was read again: the manifests of a year would need too much
  /// memory, and the record has them.
  package var manifest: [UInt8]?
  /// The length of the recorder's file in bytes.
  package var size: UInt64
  /// The time at which it was stored, in seconds since 1970 by the clock of that time.
  package var storedSeconds: Int64?
  /// True if the store was found to have other bytes than were signed. Whatever the store reports, the file is sent
  /// again, or all bytes are read, before the version counts as stored.
  package var isDistrusted = false
  /// True if it was protected when it was last listed.
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

  /// The key of the version. Two names of one file are two recordings.
  package var key: VersionKey { VersionKey(name: name, tag: tag) }
}

/// A record of rows, in which each change is durable when the call returns. Tests replace it to end the work between
/// any two calls.
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
