internal import Digest
internal import Formats
internal import Storage

/// The sample indexes of versions, each in a file beside its version's, `STEM.index`: the robot's bytes, and behind them
/// 32 more by which damage shows. They go with their version, and count for the quota.
extension CacheStore {
  static let indexEnding = ".index"

  /// On disk, media and indexes, in bytes.
  var heldBytes: UInt64 { indexLengths.values.reduce(claimedBytes) { $0.addingClamped($1) } }

  /// Of one version, in bytes.
  func heldBytes(of id: Int64) -> UInt64 {
    (records[id]?.claimed.byteCount ?? 0).addingClamped(indexLengths[id] ?? 0)
  }

  /// - Parameter names: of what is in the folder of the media.
  func noteIndexes(_ names: Set<String>) {
    for (id, record) in records where names.contains(record.stem + Self.indexEnding) {
      // One that cannot be opened now is fetched again when it is wanted.
      indexLengths[id] = (try? files.openToRead(path(record.stem, Self.indexEnding)))?.length
    }
  }

  /// Keeps the index of a version, or another one in its place, so that it survives a power cut.
  func keepIndex(_ bytes: [UInt8], _ id: Int64) throws(CacheStoreProblem) {
    if let problem { throw problem }
    guard let record = records[id] else { return }
    let whole = bytes + KeptIndex.seal(of: bytes, record.version)
    try CacheStoreProblem.files { () throws(StorageError) in
      try write(whole, beside: record, Self.indexEnding)
    }
    indexLengths[id] = UInt64(whole.count)
  }

  /// The index of a version, not compared with its seal yet; nil where none is kept.
  func openIndex(_ id: Int64) -> (any CacheFile)? {
    guard let record = records[id] else { return nil }
    return try? files.openToRead(path(record.stem, Self.indexEnding))
  }

  /// Removes an index that cannot be used.
  func removeIndex(_ id: Int64) {
    indexLengths[id] = nil
    guard problem == nil, let record = records[id] else { return }
    // What stays is found to be of no use again.
    try? files.remove(path(record.stem, Self.indexEnding))
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
