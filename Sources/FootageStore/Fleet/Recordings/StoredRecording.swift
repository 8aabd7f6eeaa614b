package import FootageAPI
package import FootageLibrary
package import FootageSystem

/// A robot's recording that is in the store, with what the robot has signed of it.
package final class StoredRecording: Sendable {
  package let recording: Recording
  package let signed: SignedManifest

  /// - Returns: nil where this program cannot serve it.
  init?(_ signed: SignedManifest, _ row: FleetRow, parts: any StoredPartSource) {
    let keys = ObjectKeys(prefix: "\(row.robot)/", name: row.nameAtRobot, tag: row.tag)
    // It holds how it is read, so that nobody has to look for that.
    let store = StoredVersions()
    store.read(by: StoredParts(manifest: signed.manifest, keys: keys, parts: parts))
    guard let recording = Recording(signed.manifest, in: store, place: .nowhere, of: row.robot) else { return nil }
    self.recording = recording
    self.signed = signed
  }

  /// About how much it takes of memory, in bytes: the manifest, as text and as values.
  var cost: Int { 2 * signed.bytes.count + 4_096 }
}

/// Opens the objects of recordings.
package protocol StoredPartSource: Sendable {
  /// An object of a recording, to be read as a file is. Nothing is asked of the store yet.
  func file(
    _ part: StoredPart, of manifest: Manifest, keys: ObjectKeys
  ) throws(StorageError) -> RandomAccessFile
}

extension StoreCache: StoredPartSource {}

/// The objects of one recording.
private struct StoredParts: StoredFileReader {
  let manifest: Manifest
  let keys: ObjectKeys
  let parts: any StoredPartSource

  func file(of recording: Recording) throws(StorageError) -> RandomAccessFile {
    try parts.file(.file, of: manifest, keys: keys)
  }

  func derivedFiles(of recording: Recording) throws(StorageError) -> DerivedFiles {
    DerivedFiles(
      preamble: try bytes(of: .preamble, manifest.preamble), index: try bytes(of: .index, manifest.index),
      isProved: true)
  }

  private func bytes(of part: StoredPart, _ digests: ObjectDigests?) throws(StorageError) -> BoundComposition? {
    guard let digests else { return nil }
    return BoundComposition(try parts.file(part, of: manifest, keys: keys), 0..<digests.size)
  }
}
