internal import FootageAPI
internal import FootageBase
internal import FootageLibrary
internal import FootageSystem
internal import Synchronization

/// A reader of recordings in the store that are no longer on the robot.
final class StoreReader: StoredFileReader {
  private let cache: StoreBlockCache
  /// The prefix of all of the robot's objects, with its slash.
  private let prefix: String
  /// The record, over a separate connection, because recordings are opened on any thread.
  private let record: Mutex<OffloadDatabase>
  /// The manifests of recordings that were opened recently. They are kept because the manifest of a long recording has
  /// megabytes.
  private let manifests = Mutex<[VersionKey: Manifest]>([:])

  private static let keptManifests = 16

  init(_ cache: StoreBlockCache, prefix: String, record: sending OffloadDatabase) {
    self.cache = cache
    self.prefix = prefix
    self.record = Mutex(record)
  }

  func file(of recording: Recording) throws(StorageError) -> RandomAccessFile {
    try file(.file, of: recording)
  }

  func derivedFiles(of recording: Recording) throws(StorageError) -> DerivedFiles {
    let manifest = try manifest(of: recording)
    var files = DerivedFiles()
    if manifest.preamble != nil { files.preamble = try bytes(of: .preamble, of: recording) }
    if manifest.index != nil { files.index = try bytes(of: .index, of: recording) }
    return files
  }

  private func bytes(of part: StoredPart, of recording: Recording) throws(StorageError) -> BoundComposition {
    let file = try file(part, of: recording)
    return BoundComposition(file, 0..<file.length)
  }

  private func file(_ part: StoredPart, of recording: Recording) throws(StorageError) -> RandomAccessFile {
    let manifest = try manifest(of: recording)
    return try cache.file(
      part, of: manifest, keys: ObjectKeys(prefix: prefix, name: recording.name, tag: manifest.tag.text))
  }

  private func manifest(of recording: Recording) throws(StorageError) -> Manifest {
    let key = VersionKey(name: recording.name, tag: recording.versionTag?.text ?? "")
    if let known = manifests.withLock({ $0[key] }) { return known }
    let bytes: [UInt8]?
    do throws(OffloadError) {
      bytes = try record.withLock { (record) throws(OffloadError) in try record.manifest(of: key) }
    } catch { throw StorageError("read", recording.name, .away(error.description)) }
    guard let bytes, let manifest = try? SignedManifest(bytes).manifest else {
      throw StorageError("read", recording.name, .away("no valid manifest is recorded for it"))
    }
    manifests.withLock { manifests in
      if manifests.count >= Self.keptManifests { manifests = [:] }
      manifests[key] = manifest
    }
    return manifest
  }
}
