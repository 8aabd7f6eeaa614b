internal import FootageBase
internal import FootageLibrary
internal import FootageSystem

/// The files on the robot's own disk, as offloading needs them. Tests replace them, like the store.
protocol RecordingFiles: Sendable {
  /// Returns the recorder's file of a version; nil if it is gone or a different one. Blocks.
  func open(_ row: OffloadRow) throws(StorageError) -> (any RecorderFile)?
  /// Returns what the robot says and signs about a version. It reads all of the version once, which takes time.
  ///
  /// - Throws: `OffloadError`: `.changed`, `.unproved`, `.file`.
  func manifest(of row: OffloadRow) async throws(OffloadError) -> ProvenManifest
  /// Parses a manifest from the store or from the record.
  ///
  /// - Returns: nil if it is not of this version, or not signed by this robot.
  func proven(_ bytes: [UInt8], of row: OffloadRow) -> ProvenManifest?
  /// Returns the row of a version that is not known here, from a manifest that the store has. Its state is `stored`.
  ///
  /// - Returns: nil if this robot never signed the manifest, or if it is of another version than its key says.
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
  /// The folder was scanned while its disk was there, and does not have the file.
  case absent
  /// Its disk is away, or the folder is still being scanned.
  case unknown
}

/// A recorder's file that is open.
protocol RecorderFile: ByteSource<StorageError>, Sendable {
  /// True if the file is what it was when it was opened.
  var isUnchanged: Bool { get }
}

/// The parts that uploading needs of a manifest that this robot has signed.
struct ProvenManifest: Hashable, Sendable {
  /// The bytes of both lines.
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
