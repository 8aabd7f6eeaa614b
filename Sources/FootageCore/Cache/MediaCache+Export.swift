internal import FootageBase
internal import FootageSystem

/// Recordings out of the cache, as plain files.
extension MediaCache {
  /// Writes a recording that is all here as a plain file, which is there whole or not at all. What it is made of is
  /// compared with what was received.
  ///
  /// It shares its bytes with the cache where the file system can do so, and is a file of its own all the same.
  ///
  /// - Parameters:
  ///   - key: of a recording in the cache; where there are two versions, the one that plays without its robot.
  ///   - path: of the file, in a folder that exists. What has that name is replaced.
  /// - Throws: `.notCached`; `.notComplete`; `.damaged` where bytes are not what was received, and then they are
  ///   fetched again when they are wanted; `.file` where the file cannot be written; `.cancelled` with the task.
  public func export(_ key: RecordingKey, to path: String) async throws(MediaCacheError) {
    contents.renew()
    guard let store = contents.store, let id = contents.preferred(key, in: store), let record = store.records[id] else {
      throw .notCached(key)
    }
    guard record.isComplete else {
      throw .notComplete(key, cachedBytes: record.claimed.byteCount, length: record.version.length)
    }
    let file = try MediaCacheError.files { () throws(StorageError) in try store.open(id) }
    let export: CacheExport
    do throws(SystemError) { export = try CacheExport(to: path) } catch { throw .file(FileFailure(error)) }
    let outcome: CacheExport.Outcome
    do throws(StorageError) {
      outcome = try await export.run(record.fragments, of: file)
    } catch { throw .file(FileFailure(error)) }
    switch outcome {
    case .done: return
    case .cancelled: throw .cancelled
    case .damaged(let range):
      // Where that cannot be written, the next read finds it again.
      if let now = contents.store, now === store { try? contents.setAside(range, of: id, in: now) }
      throw .damaged(key, range)
    }
  }
}

/// One file that is made of a version, on a thread of its own.
private actor CacheExport {
  enum Outcome: Hashable, Sendable {
    case done
    case cancelled
    /// These bytes are not those that were received; there is no file.
    case damaged(Range<UInt64>)
  }

  private let path: String
  private let queue: WorkQueue

  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe queue.asUnownedSerialExecutor() }

  init(to path: String) throws(SystemError) {
    self.path = path
    queue = try WorkQueue(name: "cache-export")
  }

  func run(_ fragments: [ChecksummedRange], of file: any CacheFile) throws(StorageError) -> Outcome {
    try FileTree.expectReplaceable(path)
    let folder = FileTree.folder(of: path)
    let made = try TemporaryFile(in: folder)
    for fragment in fragments {
      guard !Task.isCancelled else { return .cancelled }
      if let range = CacheDisk.damaged(fragment, of: file).first { return .damaged(range) }
      try file.append(fragment.range, to: made)
    }
    try made.sync()
    try made.rename(replacing: path)
    try FileTree.sync(folder: folder)
    return .done
  }
}
