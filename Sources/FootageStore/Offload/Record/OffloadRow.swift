package import FootageLibrary

/// What is written down of one version of a recording on its way into the store.
///
/// Whether its file is still on the disk is the disk's to say: what is `stored` may go, and what went is read out of the
/// store.
package struct OffloadRow: Hashable, Sendable {
  package enum State: String, Hashable, Sendable {
    /// Nothing of it was begun, as far as is known here.
    case queued
    /// Some of it may be in the store.
    case uploading
    /// All of it is there, and its manifest was read back.
    case stored
    /// What there is of it in the store goes: its file was changed or removed before it was all there.
    case discarding
    /// It is deleted in the store, for somebody has said so. The manifest goes first.
    case removing
  }

  package var path: RelativePath
  package var name: String
  /// The version's, as the list has it.
  package var tag: String
  /// Its entity tag without quotes, which the library knows it by.
  package var entityTag: String
  package var state: State
  /// Of an upload in parts that the store was asked to begin.
  package var upload: String?
  /// As it was signed, kept before it is sent: a second signature of the same would be another one (ECDSA is random).
  /// Nil as well in a row that was read again: a year's manifests are no matter for memory, and the record has them.
  package var manifest: [UInt8]?
  /// Of the recorder's file, in bytes.
  package var size: UInt64
  /// When it was stored, in seconds since 1970 by the clock of then.
  package var storedSeconds: Int64?
  /// Whether the store was found to have other bytes than were signed: whatever it says of what it has, the file is sent
  /// again, or all bytes are read, before it counts as stored.
  package var isDistrusted = false
  /// Whether it was protected when it was listed last.
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

  /// Two names of one file are two recordings.
  package var key: VersionKey { VersionKey(name: name, tag: tag) }
}

/// Where rows are written down, each change durable when the call returns: a seam, so that a test can end it between any
/// two calls.
protocol OffloadRecord: AnyObject {
  /// All of them, without their manifests.
  func rows() throws(OffloadError) -> [OffloadRow]
  /// The same of one version; nil where it is unknown.
  func row(of key: VersionKey) throws(OffloadError) -> OffloadRow?
  /// As it was signed; nil where there is none yet, or no such version.
  func manifest(of key: VersionKey) throws(OffloadError) -> [UInt8]?
  /// A row without a manifest keeps the one that is written down.
  func put(_ row: OffloadRow) throws(OffloadError)
  func remove(_ key: VersionKey) throws(OffloadError)
}
