internal import FootageAPI
internal import FootageBase
internal import FootageMedia
internal import FootageSystem

/// A recording whose index is open, but not the recorder's file. This is enough for playlists.
struct IndexedFilm: Sendable {
  let recording: Recording
  /// The text with which the entity tags of its parts begin: a version's tag without quotes, with the track's number if
  /// it is not the track that films show; or the ID of a film that is or was growing.
  let tag: String
  /// The address of its parts.
  let address: FilmAddress
  /// The views made from its index.
  let views: RecordingViews
  /// The start of its presentation.
  let start: UnixTimestamp

  /// Opens a version of a recording.
  ///
  /// - Throws: `LibraryError`: the errors of `Recording.openIndex`.
  init(_ recording: Recording, rebuilt: DerivedFiles?) throws(LibraryError) {
    try self.init(recording, index: try recording.openIndex(rebuilt: rebuilt), track: nil)
  }

  /// Opens a version of a recording with an index.
  ///
  /// - Parameters:
  ///   - source: the index.
  ///   - track: the number of the video track that leads in it; nil for the one that films show.
  /// - Throws: `LibraryError`: `.notReady`, `.indexDamaged`.
  init(_ recording: Recording, index source: BoundComposition, track: Int?) throws(LibraryError) {
    guard let content = recording.content, let key = recording.filmKey else { throw recording.notReady }
    do throws(SampleIndexError) { views = RecordingViews(try SampleIndex(source), source) } catch {
      throw .indexDamaged(name: recording.name)
    }
    self.recording = recording
    tag = track.map { VersionTag.entityTag(of: content.tag, view: "t\($0)") } ?? content.tag
    address = .version(key, track: track)
    start = recording.startedAt
  }

  /// Creates the film of a growing recording as it is now.
  init(_ film: GrowingFilm, _ growth: GrowingFilm.Growth, of recording: Recording) {
    let source = growth.source
    views = RecordingViews(
      growth.index, source, .growing(segments: source.wholeSegments, blocks: source.wholeBlocks))
    self.recording = recording
    tag = film.id.text
    address = .growing(film.id)
    start = film.start.moment
  }

  /// Opens a film that was growing within the last day.
  ///
  /// - Throws: `LibraryError`: `.noSuchFilm` if its index is missing, because it is made only once; `.storage`.
  init(_ film: GrowingFilm, _ closed: ClosedFilm, of recording: Recording) throws(LibraryError) {
    let stored: BoundComposition
    do throws(StorageError) {
      stored = try film.storedIndex.open(
        recording.place.index(film.id.text), length: closed.indexLength, digest: closed.indexDigest, rebuilt: nil)
    } catch { throw error.isForWantOfRoom ? .storage(error) : .noSuchFilm(name: recording.name) }
    let index: SampleIndex
    do throws(SampleIndexError) { index = try SampleIndex(stored) } catch { throw .noSuchFilm(name: recording.name) }
    views = RecordingViews(index, stored, .grown)
    self.recording = recording
    tag = film.id.text
    address = .growing(film.id)
    start = film.start.moment
  }

  /// Returns the segments that show a range of time.
  ///
  /// - Parameters:
  ///   - times: the range, in milliseconds of the presentation.
  ///   - isCutAtStart: true if nothing before the range may be shown; otherwise the first segment may begin before it.
  ///   - isCutAtEnd: true if nothing after the range may be shown; otherwise the last segment may end after it.
  func segments(of times: Range<Int64>, isCutAtStart: Bool, isCutAtEnd: Bool) throws(LibraryError) -> Range<Int> {
    try made { () throws(ViewError) in
      try views.segments(of: times, isCutAtStart: isCutAtStart, isCutAtEnd: isCutAtEnd)
    }
  }

  /// Returns the result of making a view, with its errors translated.
  func made<Made>(_ make: () throws(ViewError) -> Made) throws(LibraryError) -> Made {
    do throws(ViewError) { return try make() } catch { throw LibraryError(error, of: recording.name) }
  }
}
