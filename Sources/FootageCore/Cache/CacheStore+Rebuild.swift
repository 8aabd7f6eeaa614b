internal import FootageSystem

/// The recovery of versions after the index was lost, by the manifests beside their files.
extension CacheStore {
  static let manifestEnding = ".card"
  static let draftEnding = ".draft"
  /// The size of the largest manifest that is read, in bytes. A manifest has about 23 bytes for each 64 KiB of the
  /// recording.
  private static let longestManifest: UInt64 = 64 << 20

  /// Writes or replaces a version's manifest, so that it survives a power cut.
  func writeManifest(of record: CacheRecord) throws(StorageError) {
    guard let manifest = VersionManifest(record) else { return }
    try write(Array(manifest.text.utf8), beside: record, Self.manifestEnding)
  }

  /// Writes or replaces a file beside a version's own, completely or not at all, even after a power cut.
  func write(_ bytes: [UInt8], beside record: CacheRecord, _ ending: String) throws(StorageError) {
    let draft = path(record.stem, Self.draftEnding)
    try files.remove(draft)
    do throws(StorageError) {
      let file = try files.create(draft)
      try file.write(bytes, 0..<bytes.count, at: 0)
      try file.sync()
      try files.rename(draft, to: path(record.stem, ending))
    } catch {
      try? files.remove(draft)
      throw error
    }
    try files.sync(folder: mediaFolder)
  }

  /// Recovers the versions that have manifests. If the index has no version and there are manifests, the index was lost
  /// and recreated. All versions are inserted at once, so that a crash in between leaves the index empty, as it was.
  /// Reads all bytes that the manifests describe.
  ///
  /// - Parameter names: the names in the folder of the media.
  func recover(_ names: Set<String>, _ onWarning: (String) -> Void) throws(CacheStoreProblem) {
    let manifests = names.filter { $0.hasSuffix(Self.manifestEnding) }.sorted()
    var found: [CacheRecord] = []
    for name in manifests {
      guard let record = intactRecord(String(name.dropLast(Self.manifestEnding.count))),
        !found.contains(where: { $0.key == record.key && $0.version == record.version })
      else { continue }
      found.append(record)
    }
    guard !manifests.isEmpty else { return }
    try CacheStoreProblem.index { () throws(SQLiteError) in
      for (id, record) in zip(try index.insert(found), found) { put(record, id) }
    }
    onWarning(
      "the index of the cache \(folder) was lost and rebuilt: \(found.count { $0.isComplete }) of \(manifests.count) "
        + "recordings are complete; missing bytes are fetched again when needed")
  }

  /// Returns the version that a manifest describes, reduced to the ranges whose bytes the version's file still has.
  private func intactRecord(_ stem: String) -> CacheRecord? {
    // The file is synced before it is claimed, because its writer may have been killed before it could do so.
    guard let manifest = readManifest(stem), let file = try? openEither(stem), (try? file.sync()) != nil else {
      return nil
    }
    var record = manifest.record
    for range in record.fragments.flatMap({ CacheDisk.damaged($0, of: file) }) {
      record.fragments = record.fragments.flatMap { $0.without(range) }
    }
    return record.fragments.isEmpty ? nil : record
  }

  /// Returns true if this file is the manifest of a cache, in any version of the format.
  static func isManifest(_ path: String, _ files: any CacheFiles) -> Bool {
    guard let file = try? files.openToRead(path), file.length <= longestManifest,
      let bytes = try? file.read(at: 0, count: Int(min(file.length, UInt64(VersionManifest.titlePrefix.utf8.count))))
    else { return false }
    return bytes.elementsEqual(VersionManifest.titlePrefix.utf8)
  }

  func readManifest(_ stem: String) -> VersionManifest? {
    guard let file = try? files.openToRead(path(stem, Self.manifestEnding)), file.length <= Self.longestManifest,
      let bytes = try? file.read(at: 0, count: Int(file.length))
    else { return nil }
    return VersionManifest(bytes, stem: stem)
  }

  private func openEither(_ stem: String) throws(StorageError) -> any CacheFile {
    do throws(StorageError) { return try files.open(path(stem, Self.completeEnding)) } catch {
      return try files.open(path(stem, Self.partEnding))
    }
  }
}
