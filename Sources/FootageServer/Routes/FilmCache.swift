internal import RecordingLibrary
internal import System

/// The recordings that one loop holds open for their films, so that a segment opens no file.
///
/// Belongs to its loop's thread. What the library no longer has is closed on its word.
final class FilmCache {
  private struct Entry {
    let film: OpenFilm
    var lastUse: UInt64
    var idleSeconds = 0
  }

  private var entries: [ObjectIdentifier: Entry] = [:]
  private var uses: UInt64 = 0
  private let library: RecordingLibrary
  private let pool: BlockingPool
  /// Recordings held open; each costs two descriptors.
  private let limit: Int

  private static let longestIdleSeconds = 60

  init(_ library: RecordingLibrary, pool: BlockingPool, limit: Int) {
    self.library = library
    self.pool = pool
    self.limit = limit
  }

  /// The film of a recording, opened off the loop where it is not open.
  func film(of recording: Recording) async throws(LibraryError) -> OpenFilm {
    if let film = entries[ObjectIdentifier(recording)]?.film {
      use(film)
      return film
    }
    let library = library
    let opened = await pool.run { () -> Result<OpenFilm, LibraryError> in
      do throws(LibraryError) { return .success(try library.openFilm(recording)) } catch { return .failure(error) }
    }
    let film = try opened.get()
    use(film)
    if entries.count > limit, let oldest = entries.min(by: { $0.value.lastUse < $1.value.lastUse }) {
      entries[oldest.key] = nil
    }
    return film
  }

  private func use(_ film: OpenFilm) {
    uses &+= 1
    entries[ObjectIdentifier(film.recording)] = Entry(film: film, lastUse: uses)
  }

  /// Closes a film that could not be read.
  func giveUp(_ film: OpenFilm) { entries[ObjectIdentifier(film.recording)] = nil }

  /// Closes those of which `condition` does not hold.
  func keep(where condition: (Recording) -> Bool) {
    guard !entries.isEmpty else { return }
    entries = entries.filter { condition($0.value.film.recording) }
  }

  /// To be called once a second: closes what nobody has asked for in a while, so that its disk can be unmounted.
  func secondPassed() {
    guard !entries.isEmpty else { return }
    for key in entries.keys { entries[key]?.idleSeconds += 1 }
    entries = entries.filter { $0.value.idleSeconds < Self.longestIdleSeconds }
  }
}
