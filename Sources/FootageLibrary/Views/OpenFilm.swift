internal import FootageDigest
internal import FootageAPI
package import FootageBase
internal import FootageMedia
internal import FootageSystem

/// A recording that is open for views of it: the recorder's file, and the index of its samples.
///
/// It keeps both open for as long as it exists. All of its methods block unless they are described as cheap: do not
/// call them on an event loop.
package final class OpenFilm: Sendable {
  let indexed: IndexedFilm
  private let file: Representation.Source

  package var recording: Recording { indexed.recording }
  /// The text with which the entity tags of its parts begin.
  var tag: String { indexed.tag }
  /// The address of its parts.
  var address: FilmAddress { indexed.address }
  /// The views made from its index.
  var views: RecordingViews { indexed.views }

  /// Opens a version of a recording.
  ///
  /// - Throws: `LibraryError`: the errors of `Recording.openFile` and `openIndex`.
  init(_ recording: Recording, rebuilt: DerivedFiles?) throws(LibraryError) {
    let (file, _) = try recording.openFile()
    indexed = try IndexedFilm(recording, rebuilt: rebuilt)
    self.file = recording.source(file)
  }

  /// Opens a film that is growing, as it is now, or a film that was growing within the last day.
  ///
  /// - Throws: `LibraryError`: `.noSuchFilm` if the file no longer exists or is a different one, or if the index of a
  ///   film that has stopped growing is missing, because it is made only once; `.storage`.
  init(_ film: GrowingFilm, of recording: Recording) throws(LibraryError) {
    switch film.now {
    case .growing(let growing):
      indexed = IndexedFilm(film, growing, of: recording)
      file = Representation.Source(
        file: growing.file, condition: .reaches(growing.index.fileLength), validity: film.validity)
    case .closed(let closed, _):
      let opened = try Self.file(of: film, closed, recording)
      indexed = try IndexedFilm(film, closed, of: recording)
      file = Representation.Source(
        file: opened, condition: .unchanged(opened.openingStatus.version), validity: film.validity)
    }
  }

  /// Opens a version of a recording with the index of another video track than the one that films show.
  ///
  /// - Throws: `LibraryError`: the errors of `Recording.openFile`; `.indexDamaged`.
  init(_ recording: Recording, index: BoundComposition, track: Int) throws(LibraryError) {
    let (file, _) = try recording.openFile()
    indexed = try IndexedFilm(recording, index: index, track: track)
    self.file = recording.source(file)
  }

  private static func file(
    of film: GrowingFilm, _ closed: ClosedFilm, _ recording: Recording
  ) throws(LibraryError) -> RandomAccessFile {
    let file: RandomAccessFile
    do throws(StorageError) { file = try recording.place.open(film.path) } catch {
      throw error.isForWantOfRoom ? .storage(error) : .noSuchFilm(name: recording.name)
    }
    var version = file.openingStatus.version
    version.device = closed.version.device
    guard version == closed.version else { throw .noSuchFilm(name: recording.name) }
    return file
  }

  // MARK: Views of a recording

  /// Opens a part of the film.
  ///
  /// - Throws: `LibraryError`: `.noSuchPart`, `.nothingToShow`, `.indexDamaged`.
  package func open(_ part: FilmPart) throws(LibraryError) -> Representation {
    try opened { (views) throws(ViewError) in try views.part(part) }
  }

  /// Returns the key frame at or before a time in seconds.
  package func keyFrame(at seconds: DecimalSeconds) throws(LibraryError) -> Representation {
    try opened { (views) throws(ViewError) in try views.keyFrame(at: seconds) }
  }

  /// Returns the recording's key frames as a movie.
  package func keyFrames(every distance: DecimalSeconds, speed: Int) throws(LibraryError) -> Representation {
    try opened { (views) throws(ViewError) in try views.keyFrames(every: distance, speed: speed) }
  }

  /// Returns a part of the recording as one movie.
  ///
  /// - Parameters:
  ///   - start: nil for its beginning.
  ///   - end: nil for its end; a time after that counts as the end.
  /// - Throws: `LibraryError`: `.outside` if the recording ends before that part, `.tooLong`.
  package func clip(start: DecimalSeconds?, end: DecimalSeconds?) throws(LibraryError) -> Representation {
    try opened { (views) throws(ViewError) in try views.clip(start: start, end: end) }
  }

  /// Returns the start of the last picture before a time, in nanoseconds of the presentation; nil if there is none.
  func lastPicture(before time: Int64) throws(LibraryError) -> Int64? {
    try indexed.made { () throws(ViewError) in
      do throws(SampleIndexError) {
        let timing = views.index.leading.timing
        let end = timing.ticks(milliseconds: time / 1_000_000)
        guard views.index.blockCount > 0 else { return nil }
        let block = try views.index.block(at: end - 1, views.source)
        // Samples of the previous block may be shown later than the first of this one.
        let samples = try views.index.blocks(max(0, block - 1)..<(block + 1), views.source).flatMap(\.leading)
        let times = samples.lazy.map { timing.presentationTime(of: $0) }
        return times.filter { $0 < end }.max().map { timing.nanoseconds($0) }
      } catch {
        throw ViewError.index(error)
      }
    }
  }

  // MARK: Playlists

  /// Returns the multivariant playlist, with the relative URLs of the two other playlists.
  package func variants(media: String, keyFrames: String) throws(LibraryError) -> Representation {
    representation(
      ofPlaylist: try indexed.made { () throws(ViewError) in try views.variants(media: media, keyFrames: keyFrames) })
  }

  /// Returns the playlist of segments.
  ///
  /// - Parameter prefix: the text before the parts' names in their relative URLs.
  package func mediaPlaylist(prefix: String) throws(LibraryError) -> Representation {
    representation(
      ofPlaylist: try indexed.made { () throws(ViewError) in
        try views.mediaPlaylist(from: indexed.start, prefix: prefix)
      })
  }

  /// Returns the playlist of key frames.
  package func keyFramePlaylist(prefix: String) throws(LibraryError) -> Representation {
    representation(
      ofPlaylist: try indexed.made { () throws(ViewError) in
        try views.keyFramePlaylist(from: indexed.start, prefix: prefix)
      })
  }

  /// Returns a playlist that contains this film, alone or with others. Its entity tag is derived from its text.
  func representation(ofPlaylist text: [UInt8]) -> Representation {
    Representation(
      mediaType: FilmPlaylist.mediaType, entityTag: "\"\(Hexadecimal.encode(SHA256.hash(text).prefix(16)))\"",
      lastModified: nil, bytes: BoundComposition(text), source: file)
  }

  private func opened(
    _ make: (RecordingViews) throws(ViewError) -> RecordingViews.View
  ) throws(LibraryError) -> Representation {
    let view = try indexed.made { () throws(ViewError) in try make(views) }
    return Representation(
      mediaType: Recording.MediaType.mp4.rawValue,
      entityTag: "\"\(VersionTag.entityTag(of: tag, view: view.label))\"",
      lastModified: views.stays ? recording.lastModified : nil,
      bytes: BoundComposition(view.composition, of: [file.file]), source: file)
  }

  /// Returns a view of several recordings, whose files are the composition's sources in their order.
  ///
  /// - Precondition: there is at least one.
  static func representation(of composition: Composition, in films: [OpenFilm], entityTag: String) -> Representation {
    Representation(
      mediaType: Recording.MediaType.mp4.rawValue, entityTag: "\"\(entityTag)\"", lastModified: nil,
      bytes: BoundComposition(composition, of: films.map(\.file.file)), source: films[0].file,
      others: films.dropFirst().map(\.file))
  }
}

extension LibraryError {
  /// Creates the error for a view of a recording that cannot be made.
  init(_ error: ViewError, of name: String) {
    switch error {
    case .noVideo, .noKeyFrame, .noParameterSets, .noFilm, .broken, .formatsDiffer:
      self = .nothingToShow(name: name, reason: error.description)
    case .noSuchPart: self = .noSuchPart(name: name)
    case .tooLong(let reason): self = .tooLong(reason)
    case .outside: self = .outside(name: name)
    case .index: self = .indexDamaged(name: name)
    }
  }
}
