internal import FootageAPI
internal import FootageBase
internal import FootageMedia
internal import FootageSystem

/// A recording of which the index is open, and not the recorder's file: enough for playlists.
struct IndexedFilm: Sendable {
  let recording: Recording
  /// What its parts are named after: of a version, its tag without quotes; of what grows, or has grown, its ID.
  let tag: String
  /// Out of its index.
  let views: RecordingViews
  /// Of its presentation.
  let start: UnixTimestamp

  /// A version of a recording.
  ///
  /// - Throws: `LibraryError`: as `Recording.openIndex`.
  init(_ recording: Recording, rebuilt: DerivedFiles?) throws(LibraryError) {
    let source = try recording.openIndex(rebuilt: rebuilt)
    do throws(SampleIndexError) { views = RecordingViews(try SampleIndex(source), source) } catch {
      throw .indexDamaged(name: recording.name)
    }
    self.recording = recording
    tag = recording.content?.tag ?? ""
    start = recording.startedAt
  }

  /// What grows, as it is now.
  init(_ film: GrowingFilm, _ growth: GrowingFilm.Growth, of recording: Recording) {
    let source = growth.source
    views = RecordingViews(
      growth.index, source, .growing(segments: source.wholeSegments, blocks: source.wholeBlocks))
    self.recording = recording
    tag = film.id.text
    start = film.start.moment
  }

  /// What has grown within the last day.
  ///
  /// - Throws: `LibraryError`: `.noSuchFilm` where its index is gone: it is made once; `.storage`.
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
    start = film.start.moment
  }

  /// Which segments show a time.
  ///
  /// - Parameters:
  ///   - times: on the line of the presentation, in milliseconds.
  ///   - isCutAtStart: whether what is before that time must not be shown; else the first segment may begin before.
  ///   - isCutAtEnd: the same of what is behind it.
  func segments(of times: Range<Int64>, isCutAtStart: Bool, isCutAtEnd: Bool) throws(LibraryError) -> Range<Int> {
    try made { () throws(ViewError) in
      try views.segments(of: times, isCutAtStart: isCutAtStart, isCutAtEnd: isCutAtEnd)
    }
  }

  /// What a view comes to.
  func made<Made>(_ make: () throws(ViewError) -> Made) throws(LibraryError) -> Made {
    do throws(ViewError) { return try make() } catch { throw LibraryError(error, of: recording.name) }
  }
}
