internal import FootageDigest
internal import FootageBase
internal import FootageSystem

/// A file that lies beside a version's own, `STEM` and its ending. It goes with its version, and counts for the quota.
enum CacheCompanion: String, CaseIterable {
  /// The sample index: the robot's bytes, and behind them 32 more by which damage shows.
  case index = ".index"
  /// What the robot has signed of the version, as it came.
  case manifest = ".signed"
}

/// What is kept of versions besides their bytes.
extension CacheStore {
  /// On disk, media and what lies beside them, in bytes.
  var heldBytes: UInt64 {
    companionLengths.values.reduce(claimedBytes) { $1.values.reduce($0) { $0.addingClamped($1) } }
  }

  /// Of one version, in bytes.
  func heldBytes(of id: Int64) -> UInt64 {
    let own = records[id]?.claimed.byteCount ?? 0
    return companionLengths[id]?.values.reduce(own) { $0.addingClamped($1) } ?? own
  }

  /// - Parameter names: of what is in the folder of the media.
  func noteCompanions(_ names: Set<String>) {
    for (id, record) in records {
      for companion in CacheCompanion.allCases where names.contains(record.stem + companion.rawValue) {
        // One that cannot be opened now is fetched again when it is wanted.
        companionLengths[id, default: [:]][companion] =
          (try? files.openToRead(path(record.stem, companion.rawValue)))?.length
      }
    }
  }

  /// Keeps it beside a version, or in place of the one before, so that it survives a power cut.
  func keep(_ companion: CacheCompanion, _ bytes: [UInt8], _ id: Int64) throws(CacheStoreProblem) {
    if let problem { throw problem }
    guard let record = records[id] else { return }
    try CacheStoreProblem.files { () throws(StorageError) in
      try write(bytes, beside: record, companion.rawValue)
    }
    companionLengths[id, default: [:]][companion] = UInt64(bytes.count)
  }

  /// Not looked at yet; nil where none is kept.
  func open(_ companion: CacheCompanion, _ id: Int64) -> (any CacheFile)? {
    guard let record = records[id] else { return nil }
    return try? files.openToRead(path(record.stem, companion.rawValue))
  }

  /// Removes one that cannot be used.
  func remove(_ companion: CacheCompanion, _ id: Int64) {
    companionLengths[id]?[companion] = nil
    guard problem == nil, let record = records[id] else { return }
    // What stays is found to be of no use again.
    try? files.remove(path(record.stem, companion.rawValue))
  }
}

/// An index as it is kept.
enum KeptIndex {
  /// Of what stands behind it, in bytes.
  static let sealLength: UInt64 = 32

  /// SHA-256 of the version's tag, a zero, and the index: so it is of this version, and whole.
  static func seal(of bytes: [UInt8], _ version: RecordingVersion) -> [UInt8] {
    var digest = SHA256()
    digest.update(Array(version.tag.utf8) + [0])
    digest.update(bytes)
    return digest.finish()
  }

  /// Reads all of it. Blocks.
  ///
  /// - Returns: its bytes, where they are what was written.
  static func read(_ file: any CacheFile, of version: RecordingVersion) -> IndexBytes? {
    guard file.length > sealLength, file.length <= IndexBytes.limit + sealLength else { return nil }
    let length = file.length - sealLength
    var digest = SHA256()
    digest.update(Array(version.tag.utf8) + [0])
    do throws(StorageError) {
      var offset: UInt64 = 0
      while offset < length {
        let bytes = try file.read(at: offset, count: Int(min(1 << 18, length - offset)))
        digest.update(bytes)
        offset += UInt64(bytes.count)
      }
      guard try file.read(at: length, count: Int(sealLength)) == digest.finish() else { return nil }
    } catch { return nil }
    return IndexBytes(file, length: length)
  }
}
