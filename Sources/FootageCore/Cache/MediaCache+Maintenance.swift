internal import FootageBase
internal import FootageSystem

extension MediaCache {
  /// The result of comparing a version with its checksums.
  public struct Verification: Hashable, Sendable {
    /// The key of the recording.
    public var key: RecordingKey
    /// The damaged ranges, half-open and in order; empty if all is well.
    public var damagedBytes: [Range<UInt64>]

    /// - Parameters:
    ///   - key: the key of the recording.
    ///   - damagedBytes: the damaged ranges, half-open and in order.
    public init(key: RecordingKey, damagedBytes: [Range<UInt64>]) {
      self.key = key
      self.damagedBytes = damagedBytes
    }
  }
}

/// The operations on the cache that a person requests: list, keep, remove, clean and verify.
extension MediaCache {
  /// The reason why the folder could not be written at the last attempt, so that nothing is kept in it; nil if all is
  /// well.
  ///
  /// Everything that can be read is listed, played and exported nevertheless. The error is `.owned` if another process
  /// has the folder.
  public var folderProblem: MediaCacheError? { contents.writingProblem }

  /// True if no version is being played, fetched or closed.
  package var isAtRest: Bool { contents.open.isEmpty }

  /// Returns the entries of the cache, sorted by name.
  public func entries() -> [Entry] {
    if contents.store?.problem != nil { contents.renew() }
    guard let store = contents.store else { return [] }
    return store.records.values.map { record in
      Entry(
        key: record.key, version: record.version, cachedBytes: record.claimed.byteCount,
        isComplete: record.isComplete, isKept: record.isKept, path: store.path(record),
        recording: record.item.flatMap { RobotRecording(itemJSON: $0) } ?? remembered(record.key),
        itemJSON: record.item)
    }.sorted { ($0.key, $0.version.tag) < ($1.key, $1.version.tag) }
  }

  /// Returns the recording as its robot last listed it under the name in `key`, in any version. Its start and its
  /// camera, for example, seldom change between versions.
  private func remembered(_ key: RecordingKey) -> RobotRecording? {
    list(of: [key.robot])?.recordings.first { $0.id == ExactName(key.name) }
  }

  /// Keeps a recording: from now on it is not removed to make room for others.
  ///
  /// If the robot has another version later, that version is kept instead as soon as it is complete, and the old
  /// version is removed. A version without a fetched byte is forgotten when its playback ends, whether it is kept or
  /// not.
  ///
  /// - Throws: `.notCached`; `.database`; `.owned` or `.folder` if the folder cannot be written.
  public func keep(_ key: RecordingKey) throws(MediaCacheError) { try setKept(true, key) }

  /// Stops keeping a recording: it is removed to make room for others when it is its turn.
  ///
  /// - Throws: the same errors as `keep`.
  public func release(_ key: RecordingKey) throws(MediaCacheError) { try setKept(false, key) }

  private func setKept(_ isKept: Bool, _ key: RecordingKey) throws(MediaCacheError) {
    if let folderProblem { throw folderProblem }
    guard let store = contents.store, !store.ids(of: key).isEmpty else { throw .notCached(key) }
    try contents.keep(isKept, store.ids(of: key), in: store)
  }

  /// Removes a recording, whether it is kept or not. A player that plays it continues.
  ///
  /// This works on a full disk as well, and makes room there.
  ///
  /// - Throws: `.notCached`; `.database`; `.owned` or `.folder` if the folder cannot be written.
  public func remove(_ key: RecordingKey) throws(MediaCacheError) {
    if let folderProblem, contents.store?.isOwned != true { throw folderProblem }
    guard let store = contents.store, !store.ids(of: key).isEmpty else { throw .notCached(key) }
    try contents.remove(store.ids(of: key), from: store)
  }

  /// Removes everything that is neither kept nor being played.
  ///
  /// - Returns: the number of bytes that were freed.
  /// - Throws: `.database`; `.owned` or `.folder` if the folder cannot be written.
  @discardableResult
  public func clean() throws(MediaCacheError) -> UInt64 {
    if let folderProblem, contents.store?.isOwned != true { throw folderProblem }
    guard let store = contents.store else { return 0 }
    let unused = store.records.filter { !$0.value.isKept && contents.open[$0.key] == nil }
    let freed = unused.keys.reduce(UInt64(0)) { $0.addingClamped(store.heldBytes(of: $1)) }
    try contents.remove(Array(unused.keys), from: store)
    return freed
  }

  /// Reads all claimed bytes and compares them with their checksums. Damaged bytes are set aside: they are no longer
  /// claimed, and are fetched again when they are needed. The rest of the recording stays, and stays kept.
  ///
  /// If the folder cannot be written, damage is only reported. Reads find it as well.
  ///
  /// - Returns: a result for each version that was examined.
  /// - Throws: `.database`; `.folder` if a file cannot be opened just now, after all others were examined.
  public func verify() async throws(MediaCacheError) -> [Verification] {
    var report: [Verification] = []
    var unread: MediaCacheError?
    for id in contents.store?.records.keys.sorted() ?? [] {
      // Other work goes on in the meantime, so each version is looked up again.
      guard let store = contents.store, let record = store.records[id] else { continue }
      let file: (any CacheFile)?
      do throws(StorageError) { file = try store.open(id) } catch {
        // A file that cannot be opened just now is not damaged.
        guard error.reason == .system(.notFound) else {
          unread = unread ?? .folder(FileFailure(error))
          continue
        }
        file = nil
      }
      var damaged: [Range<UInt64>] = []
      for fragment in record.fragments {
        guard let file else {
          damaged.append(fragment.range)
          continue
        }
        damaged += await contents.syncer.damaged(fragment, of: file)
      }
      damaged = RangeSet(damaged).ranges
      for range in damaged where store.problem == nil {
        try MediaCacheError.index { () throws(SQLiteError) in try contents.setAside(range, of: id, in: store) }
      }
      // A damaged index is fetched or made again.
      if let index = store.open(.index, id), await contents.syncer.keptIndex(index, of: record.version) == nil {
        store.remove(.index, id)
      }
      report.append(Verification(key: record.key, damagedBytes: damaged))
    }
    if let unread { throw unread }
    return report
  }
}
