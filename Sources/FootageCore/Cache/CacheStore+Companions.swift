internal import FootageDigest
internal import FootageBase
internal import FootageSystem

/// A file that lies beside a version's own, with the name `STEM` and an extension. It is removed with its version, and
/// counts toward the quota.
enum CacheCompanion: String, CaseIterable {
  /// The sample index: the robot's bytes, followed by 32 more that reveal damage.
  case index = ".index"
  /// The manifest of the version that the robot signed, exactly as it was received.
  case manifest = ".signed"
}

/// The companion files of the versions in a store.
extension CacheStore {
  /// The size of the media and of the files beside them on disk, in bytes.
  var heldBytes: UInt64 {
    companionLengths.values.reduce(claimedBytes) { $1.values.reduce($0) { $0.addingClamped($1) } }
  }

  /// Returns the size of one version and of the files beside it, in bytes.
  func heldBytes(of id: Int64) -> UInt64 {
    let own = records[id]?.claimed.byteCount ?? 0
    return companionLengths[id]?.values.reduce(own) { $0.addingClamped($1) } ?? own
  }

  /// - Parameter names: the names in the folder of the media.
  func noteCompanions(_ names: Set<String>) {
    for (id, record) in records {
      for companion in CacheCompanion.allCases where names.contains(record.stem + companion.rawValue) {
        // A companion that cannot be opened now is fetched again when it is needed.
        companionLengths[id, default: [:]][companion] =
          (try? files.openToRead(path(record.stem, companion.rawValue)))?.length
      }
    }
  }

  /// Keeps a companion beside a version, or replaces the existing one, so that it survives a power cut.
  func keep(_ companion: CacheCompanion, _ bytes: [UInt8], _ id: Int64) throws(CacheStoreProblem) {
    if let problem { throw problem }
    guard let record = records[id] else { return }
    try CacheStoreProblem.files { () throws(StorageError) in
      try write(bytes, beside: record, companion.rawValue)
    }
    companionLengths[id, default: [:]][companion] = UInt64(bytes.count)
  }

  /// Opens a companion without examining it; returns nil if there is none.
  func open(_ companion: CacheCompanion, _ id: Int64) -> (any CacheFile)? {
    guard let record = records[id] else { return nil }
    return try? files.openToRead(path(record.stem, companion.rawValue))
  }

  /// Removes a companion that cannot be used.
  func remove(_ companion: CacheCompanion, _ id: Int64) {
    companionLengths[id]?[companion] = nil
    guard problem == nil, let record = records[id] else { return }
    // If the file stays, it is found to be useless again.
    try? files.remove(path(record.stem, companion.rawValue))
  }
}

/// The format of a sample index on disk.
enum KeptIndex {
  /// The length of the seal that follows the index, in bytes.
  static let sealLength: UInt64 = 32

  /// Returns the SHA-256 of the version's tag, a zero byte and the index. It shows that the index is complete and
  /// belongs to this version.
  static func seal(of bytes: [UInt8], _ version: RecordingVersion) -> [UInt8] {
    var digest = SHA256()
    digest.update(Array(version.tag.utf8) + [0])
    digest.update(bytes)
    return digest.finish()
  }

  /// Reads a whole index, and compares it with its seal. Blocks.
  ///
  /// - Returns: the bytes of the index; nil if they differ from what was written.
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
