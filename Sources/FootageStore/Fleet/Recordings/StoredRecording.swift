package import FootageAPI
package import FootageLibrary
internal import FootageSystem

/// A robot's recording in the store, with the manifest that the robot has signed.
package final class StoredRecording: Sendable {
  package let recording: Recording
  package let signed: SignedManifest

  /// - Returns: nil if this program cannot serve the recording.
  init?(_ signed: SignedManifest, _ row: FleetRow, cache: StoreBlockCache) {
    let keys = ObjectKeys(prefix: "\(row.robot)/", name: row.nameAtRobot, tag: row.tag)
    // The recording holds the way in which it is read, so that nothing has to look that up.
    let store = StoredVersions()
    store.read(by: StoredParts(manifest: signed.manifest, keys: keys, cache: cache))
    guard let recording = Recording(signed.manifest, in: store, place: .nowhere, of: row.robot) else { return nil }
    self.recording = recording
    self.signed = signed
  }

  /// The approximate memory in bytes: the manifest, as text and as values.
  var cost: Int { 2 * signed.bytes.count + 4_096 }
}

/// The objects of one recording in the store.
private struct StoredParts: StoredFileReader {
  let manifest: Manifest
  let keys: ObjectKeys
  let cache: StoreBlockCache

  func file(of recording: Recording) throws(StorageError) -> RandomAccessFile {
    try cache.file(.file, of: manifest, keys: keys)
  }

  func derivedFiles(of recording: Recording) throws(StorageError) -> DerivedFiles {
    DerivedFiles(
      preamble: try bytes(of: .preamble, manifest.preamble), index: try bytes(of: .index, manifest.index),
      isProved: true)
  }

  private func bytes(of part: StoredPart, _ digests: ObjectDigests?) throws(StorageError) -> BoundComposition? {
    guard let digests else { return nil }
    return BoundComposition(try cache.file(part, of: manifest, keys: keys), 0..<digests.size)
  }
}
