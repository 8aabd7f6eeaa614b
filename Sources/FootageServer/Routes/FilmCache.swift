internal import FootageHTTP
internal import FootageLibrary
internal import FootageSystem

/// The recordings that one loop holds open for their films, so that requests for segments need not open files.
///
/// Belongs to its loop's thread. Recordings that the library no longer has are closed when the library reports it.
final class FilmCache {
  private struct Entry {
    let film: OpenFilm
    /// The growing film that was opened; nil for the film of a version.
    let growing: GrowingFilm?
    var lastUse: UInt64
    var idleSeconds = 0
  }

  /// A film: a recording or growing film, and the number of a track that films do not show.
  private struct Key: Hashable {
    let film: ObjectIdentifier
    var track: Int?
  }

  private var entries: [Key: Entry] = [:]
  private var uses: UInt64 = 0
  private let library: any RecordingOpener
  private let pool: ReadingPool
  /// The maximum number of recordings that are held open. Each costs two descriptors.
  private let limit: Int

  private static let longestIdleSeconds = 60

  init(_ library: any RecordingOpener, pool: ReadingPool, limit: Int) {
    self.library = library
    self.pool = pool
    self.limit = limit
  }

  /// Returns the film of a recording. If it is not open, another thread opens it.
  ///
  /// - Parameters:
  ///   - track: the number of the video track; nil for the one that films show.
  ///   - viewer: the viewer in whose turn the film is opened.
  func film(of recording: Recording, track: Int?, for viewer: Viewer) async throws(LibraryError) -> OpenFilm {
    let key = Key(film: ObjectIdentifier(recording), track: track)
    if let film = entries[key]?.film {
      use(film, nil, key)
      return film
    }
    let library = library
    return try await open(key, nil, for: viewer) { () throws(LibraryError) in
      try library.openFilm(recording, track: track)
    }
  }

  /// Returns the film of a growing recording in its current form, or of one that has stopped growing. If the latter is
  /// not open, another thread opens it.
  ///
  /// - Parameter viewer: the viewer in whose turn the film is opened.
  func film(
    of growing: GrowingFilm, _ recording: Recording, for viewer: Viewer
  ) async throws(LibraryError) -> OpenFilm {
    guard growing.isClosed else { return try library.openFilm(growing, of: recording) }
    let key = Key(film: ObjectIdentifier(growing))
    if let film = entries[key]?.film {
      use(film, growing, key)
      return film
    }
    let library = library
    return try await open(key, growing, for: viewer) { () throws(LibraryError) in
      try library.openFilm(growing, of: recording)
    }
  }

  private func open(
    _ key: Key, _ growing: GrowingFilm?, for viewer: Viewer,
    _ open: @escaping @Sendable () throws(LibraryError) -> OpenFilm
  ) async throws(LibraryError) -> OpenFilm {
    let film = try await pool.run(for: viewer, open)
    use(film, growing, key)
    if entries.count > limit, let oldest = entries.min(by: { $0.value.lastUse < $1.value.lastUse }) {
      entries[oldest.key] = nil
    }
    return film
  }

  private func use(_ film: OpenFilm, _ growing: GrowingFilm?, _ key: Key) {
    uses &+= 1
    entries[key] = Entry(film: film, growing: growing, lastUse: uses)
  }

  /// Closes a film that could not be read.
  func giveUp(_ film: OpenFilm) { entries = entries.filter { $0.value.film !== film } }

  /// Closes the films of versions whose recordings do not meet the condition, and the growing films that the library no
  /// longer keeps.
  func keep(where condition: (Recording) -> Bool) {
    guard !entries.isEmpty else { return }
    entries = entries.filter { entry in
      if let growing = entry.value.growing { return library.films.film(growing.id) === growing }
      return condition(entry.value.film.recording)
    }
  }

  /// Closes films that were not used for a minute, so that their disks can be unmounted. Call it once a second.
  func secondPassed() {
    guard !entries.isEmpty else { return }
    for key in entries.keys { entries[key]?.idleSeconds += 1 }
    entries = entries.filter { $0.value.idleSeconds < Self.longestIdleSeconds }
  }
}
