internal import FootageBase
internal import FootageSystem

/// The file of the list of what is to be fetched: `downloads` in the cache's folder. It is written by the process that
/// has the folder, one after the other, and read by any.
///
/// What takes time runs on threads of its own, so that playing does not wait for it.
actor DownloadListFile {
  private let cache: MediaCache
  private let files: any CacheFiles
  /// Nil where nothing is kept.
  private let path: String?
  /// As it was read or written last; nil where there was none.
  private var known: [UInt8]?
  /// Whether what is there is no list, or one that a later version wrote.
  private var isForeign = false

  private enum Found: Sendable {
    case nothing
    case list(DownloadList, [UInt8])
    case foreign
  }

  init(in cache: MediaCache) {
    self.cache = cache
    files = cache.files
    path = cache.folderPath.isEmpty ? nil : "\(cache.folderPath)/downloads"
  }

  /// What another process has written since this one read or wrote the list.
  ///
  /// - Returns: nil for nothing.
  /// - Throws: `.folder` where the file is there and cannot be read: then nothing may be written over it.
  func news() async throws(MediaCacheError) -> DownloadList? {
    guard let path else { return nil }
    let found = try await Self.onThread { [files] () throws(StorageError) in try Self.read(path, files) }
    isForeign = false
    switch found {
    case .nothing: known = nil
    case .foreign: (known, isForeign) = (nil, true)
    case .list(_, let text) where text == known: break
    case .list(let list, let text):
      known = text
      return list
    }
    return nil
  }

  /// Writes the list, so that it survives a power cut. `news` has to be asked before, since what is there is lost.
  ///
  /// - Parameter text: of the list.
  /// - Throws: `.owned`, `.folder` where the folder cannot be written.
  func write(_ text: [UInt8]) async throws(MediaCacheError) {
    guard let path else { throw .folder("there is none") }
    guard text != known else { return }
    if let problem = await cache.folderProblem { throw problem }
    let draft = try await Self.onThread { [files] () throws(StorageError) in try files.draft(of: path, with: text) }
    try await cache.replaceDownloads(path, by: draft, puttingAside: isForeign)
    (known, isForeign) = (text, false)
    try await Self.onThread { [files] () throws(StorageError) in try files.sync(folder: FileTree.folder(of: path)) }
  }

  private static func read(_ path: String, _ files: any CacheFiles) throws(StorageError) -> Found {
    let file: any CacheFile
    do throws(StorageError) { file = try files.openToRead(path) } catch {
      guard error.reason == .system(.notFound) else { throw error }
      return .nothing
    }
    guard file.length <= UInt64(DownloadList.longestText) else { return .foreign }
    let text = try file.read(at: 0, count: Int(file.length))
    return DownloadList(text).map { .list($0, text) } ?? .foreign
  }

  private static func onThread<Value: Sendable>(
    _ body: @escaping @Sendable () throws(StorageError) -> Value
  ) async throws(MediaCacheError) -> Value {
    let outcome: Result<Value, StorageError>
    do throws(RobotError) {
      outcome = try await DetachedWork.run("downloads") { Result(catching: body) }
    } catch { throw .folder(FileFailure(.other, error.description)) }
    return try outcome.mapError { MediaCacheError.folder(FileFailure($0)) }.get()
  }
}

extension MediaCache {
  /// Puts a list that was written in the place of the former one, where the folder is still this process's.
  ///
  /// - Parameters:
  ///   - draft: the file that was written.
  ///   - isForeign: whether what is there is to be found again by whoever wrote it, a later version perhaps.
  /// - Throws: `.owned`, `.folder` where the folder cannot be written.
  fileprivate func replaceDownloads(
    _ path: String, by draft: String, puttingAside isForeign: Bool
  ) throws(MediaCacheError) {
    if let folderProblem { throw folderProblem }
    try MediaCacheError.files { () throws(StorageError) in
      if isForeign { try files.rename(path, to: "\(path).unread") }
      try files.rename(draft, to: path)
    }
  }
}
