internal import FootageBase
internal import FootageSystem

/// The file with the list of items to fetch: `downloads` in the cache's folder. Only the process that owns the folder
/// writes it; any process may read it.
///
/// Slow work runs on separate threads, so that playing does not wait for it.
actor DownloadListFile {
  private let cache: MediaCache
  private let files: any CacheFiles
  /// The path of the file; nil if nothing is kept.
  private let path: String?
  /// The text that was last read from the file or written to it; nil if there was none.
  private var known: [UInt8]?
  /// True if the file is not a list, or was written by a later version of Footage.
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

  /// Returns the list if another process has written it since this one read or wrote it.
  ///
  /// - Returns: nil if the list has not changed.
  /// - Throws: `.folder` if the file exists and cannot be read. It must not be overwritten then.
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

  /// Writes the list, so that it survives a power cut. Call `news` first, since the present content of the file is
  /// lost.
  ///
  /// - Parameter text: the text of the list.
  /// - Throws: `.owned`; `.folder` if the folder cannot be written.
  func write(_ text: [UInt8]) async throws(MediaCacheError) {
    guard let path else { throw .folder("this cache has no folder") }
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
  /// Replaces the former list by a new one, if the folder still belongs to this process.
  ///
  /// - Parameters:
  ///   - draft: the file with the new list.
  ///   - isForeign: true if the present file has to be preserved for the program that wrote it, such as a later version
  ///     of Footage.
  /// - Throws: `.owned`; `.folder` if the folder cannot be written.
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
