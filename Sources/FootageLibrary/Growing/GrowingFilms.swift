package import FootageAPI
internal import FootageBase
internal import FootageSystem
internal import Synchronization

/// The films of what grows, and of what has grown within the last day, by their IDs and by their files. For all
/// threads.
package final class GrowingFilms: Sendable {
  private struct State {
    var films: [FilmKey: GrowingFilm] = [:]
    /// Of each file, the last one.
    var byPath: [RelativePath: GrowingFilm] = [:]
    var listener: (@Sendable () -> Void)?
    /// The files that grow, or grew when the last server ended.
    var files: Set<RelativePath> = []
  }

  private let state = Mutex(State())
  private let watching = Mutex<GrowthThread?>(nil)

  /// A film under this ID: one that grows, or has grown within the last day.
  package func film(_ id: FilmKey) -> GrowingFilm? { state.withLock { $0.films[id] } }

  /// The last film of a file.
  func film(at path: RelativePath) -> GrowingFilm? { state.withLock { $0.byPath[path] } }

  private let waitingCount = Atomic<Int>(0)

  /// Somebody waits for a film to grow, until `endWaiting`: to be said before the film is looked at, since nobody is told
  /// where nobody waits.
  package func beginWaiting() { waitingCount.add(1, ordering: .sequentiallyConsistent) }
  package func endWaiting() { waitingCount.subtract(1, ordering: .sequentiallyConsistent) }

  /// Has somebody told whenever a film has grown, has come to its end, or is gone: from another thread, and to be quick.
  package func onGrowth(_ listener: @escaping @Sendable () -> Void) { state.withLock { $0.listener = listener } }

  func put(_ film: GrowingFilm) {
    state.withLock {
      $0.films[film.id] = film
      $0.byPath[film.path] = film
    }
  }

  /// Nobody gets it any more.
  func remove(_ film: GrowingFilm) {
    state.withLock {
      $0.films[film.id] = nil
      if $0.byPath[film.path] === film { $0.byPath[film.path] = nil }
    }
  }

  /// Those that were closed before a moment, in nanoseconds since 1970.
  func closed(before moment: Int64) -> [GrowingFilm] {
    state.withLock { state in
      state.films.values.filter { film in
        if case .closed(let closed, _) = film.now { closed.closedNanoseconds < moment } else { false }
      }
    }
  }

  func tell() {
    // What has changed was changed before, and who waits counts before it looks.
    guard waitingCount.load(ordering: .sequentiallyConsistent) > 0 else { return }
    state.withLock { $0.listener }?()
  }

  // MARK: Files

  /// Takes over what the catalog remembers.
  ///
  /// - Returns: the rows of what grew when the server ended, whose films begin again with their IDs.
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

  /// Ends it and waits for it. Nobody is told of anything any more.
  func stop() {
    state.withLock { $0.listener = nil }
    watching.withLock { thread in
      defer { thread = nil }
      return thread
    }?.stop()
  }

  /// What the library has found of a file: that it grows, that it is what it will be, or that it is gone (nil).
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
  /// Whether it was closed with the file that is there.
  ///
  /// - Parameter recording: what is known of the file; nil where it is gone.
  func isClosed(as recording: Recording?) -> Bool {
    guard let recording, case .closed(let closed, _) = now else { return false }
    var version = recording.version
    version.device = closed.version.device
    return version == closed.version
  }
}
