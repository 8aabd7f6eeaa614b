internal import FootageBase
internal import FootageLibrary
internal import FootageSystem

/// What offloading asks of the robot's own disk: a seam, as the store is one.
protocol RecordingFiles: Sendable {
  /// The recorder's file of a version; nil where it is gone or another one. Blocks.
  func open(_ row: OffloadRow) throws(StorageError) -> (any RecorderFile)?
  /// What the robot says and signs of a version: it reads all of it once, which takes its time.
  ///
  /// - Throws: `OffloadError`: `.changed`, `.unproved`, `.file`.
  func manifest(of row: OffloadRow) async throws(OffloadError) -> ProvenManifest
  /// Reads a manifest that the store has, or the record.
  ///
  /// - Returns: nil where it is not of this version, or not signed by this robot.
  func proven(_ bytes: [UInt8], of row: OffloadRow) -> ProvenManifest?
  /// The row of a version of which nothing is known here, by a manifest that the store has; `stored`.
  ///
  /// - Returns: nil where this robot never signed it, or it is of another key's version.
  func adopted(_ bytes: [UInt8], at keys: ObjectKeys) -> OffloadRow?
  /// Whether the folder holds this version.
  func presence(of keys: ObjectKeys) -> FilePresence
  /// What is kept beside the file of a version. Blocks.
  func preamble(of row: OffloadRow) throws(OffloadError) -> [UInt8]
  func index(of row: OffloadRow) throws(OffloadError) -> [UInt8]
}

extension RecordingFiles {
  /// Whether the folder may hold this version. False only where nobody can doubt that it does not.
  func mayHold(_ keys: ObjectKeys) -> Bool { presence(of: keys) != .absent }
}

/// Whether a version's file is on the robot's disk.
enum FilePresence: Hashable {
  case here
  /// The folder was looked at with its disk there.
  case absent
  /// Its disk is away, or the folder is still looked at.
  case unknown
}

/// A recorder's file that is open.
protocol RecorderFile: ByteSource<StorageError>, Sendable {
  /// Whether it is what it was when it was opened.
  var isUnchanged: Bool { get }
}

/// What uploading needs of a manifest that this robot has signed.
struct ProvenManifest: Hashable, Sendable {
  /// Both lines.
  var bytes: [UInt8]
  /// When the recorder's file was last written to, in nanoseconds since 1970.
  var modifiedNanoseconds: Int64
  /// Of the recorder's file, in bytes.
  var length: UInt64
  /// SHA-256 of the recorder's file.
  var digest: [UInt8]
  /// In bytes.
  var partSize: UInt64
  var hasPreamble: Bool
  var hasIndex: Bool
}
