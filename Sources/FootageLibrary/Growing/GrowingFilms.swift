package import FootageAPI
internal import FootageBase
internal import FootageSystem
internal import Synchronization

/// The films of recordings that are growing, or were within the last day, by their IDs and by their files. All threads
/// may use it.
package final class GrowingFilms: Sendable {
  private struct State {
    var films: [ItemTag: GrowingFilm] = [:]
    /// The last film of each file.
    var byPath: [RelativePath: GrowingFilm] = [:]
    var listener: (@Sendable () -> Void)?
    /// The files that are growing, or were growing when the last server ended.
    var files: Set<RelativePath> = []
  }

  private let state = Mutex(State())
  private let watching = Mutex<GrowthThread?>(nil)

  /// Returns the film with this ID, if it is growing or was within the last day.
  package func film(_ id: ItemTag) -> GrowingFilm? { state.withLock { $0.films[id] } }

  /// Returns the last film of a file.
  func film(at path: RelativePath) -> GrowingFilm? { state.withLock { $0.byPath[path] } }

  private let waitingCount = Atomic<Int>(0)

  /// Registers a caller that waits for a film to grow, until `endWaiting`. Call this before examining the film: while
  /// no caller waits, the listener is not called.
  package func beginWaiting() { waitingCount.add(1, ordering: .sequentiallyConsistent) }
  package func endWaiting() { waitingCount.subtract(1, ordering: .sequentiallyConsistent) }

  /// Sets a listener that is called on another thread whenever a film has grown, has ended, or was removed; it should
  /// be quick.
  package func onGrowth(_ listener: @escaping @Sendable () -> Void) { state.withLock { $0.listener = listener } }

  func put(_ film: GrowingFilm) {
    state.withLock {
      $0.films[film.id] = film
      $0.byPath[film.path] = film
    }
  }

  /// Removes a film, so that it is no longer served.
  func remove(_ film: GrowingFilm) {
    state.withLock {
      $0.films[film.id] = nil
      if $0.byPath[film.path] === film { $0.byPath[film.path] = nil }
    }
  }

  /// Returns the films that were closed before a moment, in nanoseconds since 1970.
  func closed(before moment: Int64) -> [GrowingFilm] {
    state.withLock { state in
      state.films.values.filter { film in
        if case .closed(let closed, _) = film.now { closed.closedNanoseconds < moment } else { false }
      }
    }
  }

  func tell() {
    // The change was made earlier, and callers register before they examine a film, so none misses it.
    guard waitingCount.load(ordering: .sequentiallyConsistent) > 0 else { return }
    state.withLock { $0.listener }?()
  }

  // MARK: Files

  /// Restores the films from the catalog's rows.
  ///
  /// - Returns: the rows of films that were growing when the server ended. They start again with the same IDs.
  func restore(_ rows: [GrowingFilmRow]) -> [GrowingFilmRow] {
    for row in rows {
      guard let closed = row.closed else { continue }
      put(
        GrowingFilm(
          id: row.id, path: row.path, name: row.name, inode: row.inode, start: row.start, .closed(closed, last: nil)))
    }
    let former = rows.filter { $0.closed == nil }
    state.withLock { $0.files.formUnion(former.lazy.map(\.path)) }
    return former
  }

  /// Starts the thread that watches files.
  func start(_ thread: GrowthThread) { watching.withLock { $0 = thread } }

  /// Stops the thread and waits for it. The listener is not called any more.
  func stop() {
    state.withLock { $0.listener = nil }
    watching.withLock { thread in
      defer { thread = nil }
      return thread
    }?.stop()
  }

  /// Records the state of a file according to the library: growing, finished, or removed (nil).
  func note(_ path: RelativePath, _ recording: Recording?) {
    let isWatched = state.withLock { state in
      if recording?.state == .recording {
        state.files.insert(path)
        return true
      }
      let isOther = state.byPath[path].map { !$0.isClosed(as: recording) } ?? false
      return state.files.remove(path) != nil || isOther
    }
    if isWatched { watching.withLock { $0 }?.note(path, recording) }
  }
}

extension GrowingFilm {
  /// Returns whether the film was closed with the present version of the file.
  ///
  /// - Parameter recording: the recording of the file; nil if the file no longer exists.
  func isClosed(as recording: Recording?) -> Bool {
    guard let recording, case .closed(let closed, _) = now else { return false }
    var version = recording.version
    version.device = closed.version.device
    return version == closed.version
  }
}
