internal import FootageBase
internal import FootageSystem

/// The export of recordings from the cache as plain files.
extension MediaCache {
  /// Writes a recording that is complete in the cache as a plain file, completely or not at all. Its bytes are compared
  /// with what was received.
  ///
  /// The file shares its blocks with the cache if the file system supports that. Later changes to one do not affect the
  /// other.
  ///
  /// - Parameters:
  ///   - key: the key of a recording in the cache. If two versions are cached, it is the one that is played when no
  ///     robot can be asked.
  ///   - path: the path of the file, in a folder that exists. A file with that name is replaced.
  /// - Throws: `.notCached`; `.notComplete`; `.folder` if the recording's file in the cache cannot be opened;
  ///   `.damaged` if bytes differ from what was received, in which case they are fetched again when they are needed;
  ///   `.file` if the new file cannot be written; `.cancelled` if the task is canceled.
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
      // If this cannot be written, the next read finds the damage again.
      if let now = contents.store, now === store { try? contents.setAside(range, of: id, in: now) }
      throw .damaged(key, range)
    }
  }
}

/// Writes a version to a new file, on a separate thread.
private actor CacheExport {
  enum Outcome: Hashable, Sendable {
    case done
    case cancelled
    /// The bytes in this range differ from those that were received, so no file was made.
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
