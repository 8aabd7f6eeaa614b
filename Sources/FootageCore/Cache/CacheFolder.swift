internal import FootageSystem

/// A cache's folder, with the store that is open in it. If the folder disappears, or cannot be written, it is taken
/// over again when a version is opened.
///
/// Only the cache that owns it calls it. A call may block that cache's thread.
final class CacheFolder {
  let path: String
  private let files: any CacheFiles
  private let onWarning: @Sendable (String) -> Void
  private let onEvent: @Sendable (MediaCache.Event) -> Void
  /// The store; nil while the folder cannot be read. All recordings are then played from their robots, and nothing is
  /// kept.
  private(set) var store: CacheStore?
  /// The reason why there is no store.
  private var problem: MediaCacheError?
  private var isClosed = false
  /// True if the folder was opened only for reading. It is then never taken over.
  private let isReadOnly: Bool

  /// Takes over the folder.
  init(
    _ path: String, files: any CacheFiles, onWarning: @escaping @Sendable (String) -> Void,
    onEvent: @escaping @Sendable (MediaCache.Event) -> Void
  ) {
    self.onEvent = onEvent
    self.path = path
    self.files = files
    self.onWarning = onWarning
    isReadOnly = false
    do throws(MediaCacheError) {
      let opened = try CacheStore.open(path, files: files, onWarning: onWarning)
      if let problem = opened.problem?.error(path) {
        onWarning("\(problem); cached recordings still play, but nothing more is cached")
      }
      opened.onEvent = onEvent
      store = opened
    } catch {
      problem = error
      onWarning("\(error); recordings play, but nothing is cached")
    }
  }

  /// Opens the folder only for reading: nothing is changed, and nothing is created.
  init(reading path: String, files: any CacheFiles) {
    self.path = path
    self.files = files
    isReadOnly = true
    onWarning = { _ in }
    onEvent = { _ in }
    do throws(MediaCacheError) { store = try CacheStore.openReading(path, files: files) } catch { problem = error }
  }

  /// Creates a stand-in for a missing folder, in which nothing is kept.
  init() {
    isReadOnly = false
    path = ""
    files = SystemCacheFiles()
    onWarning = { _ in }
    onEvent = { _ in }
    problem = .folder("this cache has no folder")
    isClosed = true
  }

  /// Returns the store.
  ///
  /// - Throws: the reason why there is no store.
  func readable() throws(MediaCacheError) -> CacheStore {
    guard let store else { throw problem ?? .folder("\(path) does not exist") }
    return store
  }

  /// The reason why the folder could not be written at the last attempt; nil if all is well.
  var writingProblem: MediaCacheError? {
    guard let store else { return problem }
    return isReadOnly ? nil : store.problem?.error(path)
  }

  /// Takes over the folder again if it was deleted while this cache had it, or if it could not be written before.
  ///
  /// - Parameter isInUse: true if versions are open.
  /// - Returns: true if the folder was taken over, or if taking it over was attempted. The new store then does not
  ///   contain the versions that were open. Their readers continue with the open files, which no longer have names, and
  ///   whose bytes are never claimed.
  func renew(isInUse: Bool) -> Bool {
    if isClosed { return false }
    if isReadOnly {
      // Another process may have written in the meantime. If that cannot be read now, the records stay as they were.
      try? store?.reload()
      return false
    }
    if let store, store.problem == nil, store.isIntact { return false }
    if let store, store.problem != nil, isInUse {
      // Open versions continue with what they have.
      try? store.reload()
      return false
    }
    if store?.problem == nil, store != nil {
      onWarning("the cache folder \(path) was deleted or replaced: it will be recreated")
    }
    let former = store
    store = nil
    do throws(MediaCacheError) {
      store = try CacheStore.open(path, files: files, after: former, onWarning: onWarning)
      store?.onEvent = onEvent
      problem = nil
    } catch {
      problem = error
    }
    return true
  }

  /// Stops the folder from being taken over again.
  func beginClosing() { isClosed = true }

  /// Releases the folder permanently.
  func close() {
    store = nil
    problem = .folder("the cache in \(path) was closed")
  }

  /// Runs `body`, and throws its errors as errors of the folder.
  func perform<Result>(
    _ body: () throws(CacheStoreProblem) -> Result
  ) throws(MediaCacheError) -> Result {
    do throws(CacheStoreProblem) { return try body() } catch { throw error.error(path) }
  }
}
