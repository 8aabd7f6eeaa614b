internal import FootageBase
internal import FootageLibrary
internal import FootageSystem

/// The files on the robot's own disk, in the form that offloading needs. Tests replace them, as they replace the store.
protocol RecordingFiles: Sendable {
  /// Returns the recorder's file of a version; nil if the file no longer exists or is a different version. Blocks.
  func open(_ row: OffloadRow) throws(StorageError) -> (any RecorderFile)?
  /// Returns the signed manifest of a version. It may have to be made first, which takes the time of reading the whole
  /// file.
  ///
  /// - Throws: `OffloadError`: `.changed`, `.unproved`, `.file`.
  func manifest(of row: OffloadRow) async throws(OffloadError) -> ProvenManifest
  /// Parses a manifest from the store or from the record.
  ///
  /// - Returns: nil if it is for a different version, or not signed by this robot.
  func proven(_ bytes: [UInt8], of row: OffloadRow) -> ProvenManifest?
  /// Returns the row of a version that the record does not have, from a manifest in the store. Its state is `stored`.
  ///
  /// - Returns: nil if this robot did not sign the manifest, or if it is for a different version than its key states.
  func adopted(_ bytes: [UInt8], at keys: ObjectKeys) -> OffloadRow?
  /// Returns the presence of this version in the folder.
  func presence(of keys: ObjectKeys) -> FilePresence
  /// Returns the preamble, which is kept beside the file of a version. Blocks, as `index` does.
  func preamble(of row: OffloadRow) throws(OffloadError) -> [UInt8]
  func index(of row: OffloadRow) throws(OffloadError) -> [UInt8]
}

extension RecordingFiles {
  /// Returns true if the folder may hold this version, and false only if it certainly does not.
  func mayHold(_ keys: ObjectKeys) -> Bool { presence(of: keys) != .absent }
}

/// The presence of a version's file on the robot's disk.
enum FilePresence: Hashable {
  case here
  /// The folder was scanned while its disk was mounted, and does not have the file.
  case absent
  /// The disk is not mounted, or the folder is still being scanned.
  case unknown
}

/// A recorder's file that is open.
protocol RecorderFile: ByteSource<StorageError>, Sendable {
  /// True if the file has not changed since it was opened.
  var isUnchanged: Bool { get }
}

/// The facts that uploading needs from a manifest that this robot has signed.
struct ProvenManifest: Hashable, Sendable {
  /// The bytes of the manifest file's two lines.
  var bytes: [UInt8]
  /// The time of the last write to the recorder's file, in nanoseconds since 1970.
  var modifiedNanoseconds: Int64
  /// The length of the recorder's file in bytes.
  var length: UInt64
  /// The SHA-256 of the recorder's file.
  var digest: [UInt8]
  /// The size of a part in bytes.
  var partSize: UInt64
  var hasPreamble: Bool
  var hasIndex: Bool
}
