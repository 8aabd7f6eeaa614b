/// What people do to the cache: look into it, keep and remove, clean and verify.

internal import SQLite
internal import Storage

extension MediaCache {
  /// Why the folder could not be used when it was last tried; nil where it is in use.
  public var folderProblem: MediaCacheError? { shelf == nil ? problem : nil }

  /// Whether nothing is being played, fetched or put away.
  package var isAtRest: Bool { opened.isEmpty }

  /// What is in the cache, by name.
  public func entries() -> [Entry] {
    guard let shelf else { return [] }
    return shelf.records.values.map { record in
      Entry(
        key: record.key, version: record.version, cachedBytes: record.claimed.byteCount,
        isComplete: record.isComplete, isKept: record.isKept, path: shelf.path(record))
    }.sorted { ($0.key, $0.version.tag) < ($1.key, $1.version.tag) }
  }

  /// Says whether a recording may go to make room for others.
  ///
  /// It holds for the versions that are in the cache now, and for none that the robot has later. A version of which no byte
  /// was fetched is forgotten when its playback ends, kept or not.
  ///
  /// - Throws: `.notCached`; `.database`.
  public func keep(_ key: RecordingKey, _ isKept: Bool = true) throws(MediaCacheError) {
    guard let shelf, !shelf.ids(of: key).isEmpty else { throw .notCached(key) }
    for id in shelf.ids(of: key) {
      try MediaCacheError.index { () throws(SQLiteError) in try shelf.keep(isKept, id) }
      if isKept { superseded.remove(id) }
    }
  }

  /// Removes a recording, kept or not; who plays it plays on.
  ///
  /// - Throws: `.notCached`; `.database`, `.folder`.
  public func remove(_ key: RecordingKey) throws(MediaCacheError) {
    guard let shelf, !shelf.ids(of: key).isEmpty else { throw .notCached(key) }
    try remove(shelf.ids(of: key), from: shelf)
  }

  /// Removes all that is neither kept nor being played.
  ///
  /// - Returns: how many bytes are free again.
  /// - Throws: `.database`, `.folder`.
  public func clean() throws(MediaCacheError) -> UInt64 {
    guard let shelf else { return 0 }
    let unused = shelf.records.filter { !$0.value.isKept && opened[$0.key] == nil }
    try remove(Array(unused.keys), from: shelf)
    return unused.values.reduce(0) { $0 + $1.claimed.byteCount }
  }

  private func remove(_ ids: [Int64], from shelf: CacheShelf) throws(MediaCacheError) {
    for id in ids {
      opened[id] = nil
      reserved[id] = nil
      superseded.remove(id)
    }
    try shelf.remove(ids)
  }

  /// Reads all that is claimed and compares it with its checksums. What fails is no longer claimed, and is fetched again
  /// when it is wanted.
  ///
  /// - Returns: each version that was looked at, with the ranges of bytes that were damaged; none where all is well.
  /// - Throws: `.database`.
  public func verify() async throws(MediaCacheError) -> [(key: RecordingKey, damaged: [Range<UInt64>])] {
    var report: [(key: RecordingKey, damaged: [Range<UInt64>])] = []
    for id in shelf?.records.keys.sorted() ?? [] {
      // Others go on meanwhile: each version is looked up anew.
      guard let shelf, let record = shelf.records[id] else { continue }
      let file = try? shelf.open(id)
      var damaged: [Range<UInt64>] = []
      for fragment in record.fragments {
        if let file, await syncer.isIntact(fragment, of: file) { continue }
        damaged.append(fragment.range)
      }
      for range in damaged {
        // In this order: what is dropped is written over.
        _ = try MediaCacheError.index { () throws(SQLiteError) in try shelf.unclaim(range, of: id) }
        opened[id]?.drop(range)
      }
      report.append((record.key, damaged))
    }
    return report
  }
}
