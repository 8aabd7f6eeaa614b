internal import FootageBase
internal import FootageSystem

extension MediaCache {
  /// What came of comparing a version with its checksums.
  public struct Verification: Hashable, Sendable {
    /// Its recording.
    public var key: RecordingKey
    /// Half-open, in order; none where all is well.
    public var damagedBytes: [Range<UInt64>]

    /// - Parameters:
    ///   - key: of its recording.
    ///   - damagedBytes: half-open, in order.
    public init(key: RecordingKey, damagedBytes: [Range<UInt64>]) {
      self.key = key
      self.damagedBytes = damagedBytes
    }
  }
}

/// What people do to the cache: look into it, keep and remove, clean and verify.
extension MediaCache {
  /// Why the folder could not be written when it was last tried: nothing is kept in it. Nil where all is well.
  ///
  /// What can be read of it is listed, played and exported all the same. `.owned` where another process has it.
  public var folderProblem: MediaCacheError? { contents.writingProblem }

  /// Whether nothing is being played, fetched or put away.
  package var isAtRest: Bool { contents.open.isEmpty }

  /// What is in the cache, by name.
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

  /// What was listed under that name last, of whichever version: start, camera and the like seldom change.
  private func remembered(_ key: RecordingKey) -> RobotRecording? {
    list(of: [key.robot])?.recordings.first { $0.id == ExactName(key.name) }
  }

  /// Keeps a recording: from now on it does not go to make room for others.
  ///
  /// Where the robot has another version later, that one is kept in its place as soon as it is complete, and the old
  /// one goes. A version of which no byte was fetched is forgotten when its playback ends, kept or not.
  ///
  /// - Throws: `.notCached`; `.database`; `.owned`, `.folder` where the folder cannot be written.
  public func keep(_ key: RecordingKey) throws(MediaCacheError) { try setKept(true, key) }

  /// Keeps a recording no longer: it goes to make room for others when it is its turn.
  ///
  /// - Throws: as `keep`.
  public func release(_ key: RecordingKey) throws(MediaCacheError) { try setKept(false, key) }

  private func setKept(_ isKept: Bool, _ key: RecordingKey) throws(MediaCacheError) {
    if let folderProblem { throw folderProblem }
    guard let store = contents.store, !store.ids(of: key).isEmpty else { throw .notCached(key) }
    try contents.keep(isKept, store.ids(of: key), in: store)
  }

  /// Removes a recording, kept or not; who plays it plays on.
  ///
  /// It works on a full disk, and makes room there.
  ///
  /// - Throws: `.notCached`; `.database`; `.owned`, `.folder` where the folder cannot be written.
  public func remove(_ key: RecordingKey) throws(MediaCacheError) {
    if let folderProblem, contents.store?.isOwned != true { throw folderProblem }
    guard let store = contents.store, !store.ids(of: key).isEmpty else { throw .notCached(key) }
    try contents.remove(store.ids(of: key), from: store)
  }

  /// Removes all that is neither kept nor being played.
  ///
  /// - Returns: how many bytes are free again.
  /// - Throws: `.database`; `.owned`, `.folder` where the folder cannot be written.
  @discardableResult
  public func clean() throws(MediaCacheError) -> UInt64 {
    if let folderProblem, contents.store?.isOwned != true { throw folderProblem }
    guard let store = contents.store else { return 0 }
    let unused = store.records.filter { !$0.value.isKept && contents.open[$0.key] == nil }
    let freed = unused.keys.reduce(UInt64(0)) { $0.addingClamped(store.heldBytes(of: $1)) }
    try contents.remove(Array(unused.keys), from: store)
    return freed
  }

  /// Reads all that is claimed and compares it with its checksums. What fails is set aside: it is no longer claimed,
  /// and is fetched again when it is wanted. The rest of the recording stays, and stays kept.
  ///
  /// Where the folder cannot be written, it is said and nothing more: reads find it as well.
  ///
  /// - Returns: each version that was looked at.
  /// - Throws: `.database`; `.folder` where a file cannot be opened just now, once all others were looked at.
  public func verify() async throws(MediaCacheError) -> [Verification] {
    var report: [Verification] = []
    var unread: MediaCacheError?
    for id in contents.store?.records.keys.sorted() ?? [] {
      // Others go on meanwhile: each version is looked up anew.
      guard let store = contents.store, let record = store.records[id] else { continue }
      let file: (any CacheFile)?
      do throws(StorageError) { file = try store.open(id) } catch {
        // What cannot be read just now is not damaged.
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
      // An index that is damaged is fetched again, or made.
      if let index = store.open(.index, id), await contents.syncer.keptIndex(index, of: record.version) == nil {
        store.remove(.index, id)
      }
      report.append(Verification(key: record.key, damagedBytes: damaged))
    }
    if let unread { throw unread }
    return report
  }
}
