internal import FootageSystem

/// A cache's folder, with the store that is open in it. Where the folder goes away, or cannot be written, it is taken
/// over again when something is opened.
///
/// Belongs to its cache, on whose thread it may block.
final class CacheFolder {
  let path: String
  private let files: any CacheFiles
  private let onWarning: @Sendable (String) -> Void
  private let onEvent: @Sendable (MediaCache.Event) -> Void
  /// Nil where the folder cannot even be read just now: everything plays from its robot, nothing is kept.
  private(set) var store: CacheStore?
  /// Why there is none.
  private var problem: MediaCacheError?
  private var isClosed = false
  /// True if it was opened to be read alone: it is never taken over.
  private let isReadOnly: Bool

  /// Takes the folder over.
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
        onWarning("\(problem); what is there plays, and nothing more is kept")
      }
      opened.onEvent = onEvent
      store = opened
    } catch {
      problem = error
      onWarning("\(error); recordings play, and nothing is kept")
    }
  }

  /// Opens the folder to be read alone: nothing is changed, and nothing is made.
  init(reading path: String, files: any CacheFiles) {
    self.path = path
    self.files = files
    isReadOnly = true
    onWarning = { _ in }
    onEvent = { _ in }
    do throws(MediaCacheError) { store = try CacheStore.openReading(path, files: files) } catch { problem = error }
  }

  /// There is none: nothing is kept.
  init() {
    isReadOnly = false
    path = ""
    files = SystemCacheFiles()
    onWarning = { _ in }
    onEvent = { _ in }
    problem = .folder("there is none")
    isClosed = true
  }

  /// The store.
  ///
  /// - Throws: why there is none.
  func readable() throws(MediaCacheError) -> CacheStore {
    guard let store else { throw problem ?? .folder("\(path) is not there") }
    return store
  }

  /// Why it could not be written when that was last tried; nil where all is well.
  var writingProblem: MediaCacheError? {
    guard let store else { return problem }
    return isReadOnly ? nil : store.problem?.error(path)
  }

  /// Where the folder was deleted under us, or could not be written before, it is taken over anew.
  ///
  /// - Parameter isInUse: whether versions are open.
  /// - Returns: whether it was taken over, or tried to: nothing of what was open is in the store any more. That goes on
  ///   with its files, which have no names any more, and is never claimed.
  func renew(isInUse: Bool) -> Bool {
    if isClosed { return false }
    if isReadOnly {
      // Another process may have written meanwhile; what cannot be read now is as it was.
      try? store?.reload()
      return false
    }
    if let store, store.problem == nil, store.isIntact { return false }
    if let store, store.problem != nil, isInUse {
      // Whoever plays goes on with what it has.
      try? store.reload()
      return false
    }
    if store?.problem == nil, store != nil {
      onWarning("the cache folder \(path) was deleted or replaced: it is made anew")
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

  /// From now on it is not taken over anew.
  func beginClosing() { isClosed = true }

  /// Lets go of the folder, for good.
  func close() {
    store = nil
    problem = .folder("the cache in \(path) was closed")
  }

  /// Runs `body`, whose failures are the folder's.
  func perform<Result>(
    _ body: () throws(CacheStoreProblem) -> Result
  ) throws(MediaCacheError) -> Result {
    do throws(CacheStoreProblem) { return try body() } catch { throw error.error(path) }
  }
}
