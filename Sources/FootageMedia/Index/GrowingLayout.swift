internal import FootageBase

/// The constant properties of a growing recording's film, from its first fragments on: its tracks, the shift of times,
/// and the init segments.
struct GrowingLayout: Sendable {
  let leading: IndexedTrack
  let sound: IndexedTrack?
  private let shift: UInt32
  private let isQuickTime: Bool
  private let tracks: FilmTracks
  private let writer: InitializationWriter

  /// The number of seconds of the leading track after which the film no longer waits for tracks that have not begun.
  private static let patience: Int64 = 10
  /// The largest number of pictures that an encoder reorders. Only after as many of them is it known by how much a
  /// picture may be shown before it is decoded, as far as the recorder's times say.
  private static let reordered = 16

  /// - Parameters:
  ///   - tables: the tables of the recording so far.
  ///   - isLast: true if the recording has ended.
  /// - Returns: nil if there is no layout yet, because a track has not begun, or if there cannot be a film.
  init?(_ tables: MovieTables, isLast: Bool, media: some ByteSource) throws(MP4Error) {
    let movie = tables.movie
    guard let tracks = FilmTracks(movie), tracks.refusal == nil else { return nil }
    let isComplete = movie.tracks.allSatisfy { !$0.isPictureOrSound || $0.samples.count > 0 }
    let isPatient =
      tracks.leading.samples.decodingDuration < Self.patience * Int64(tracks.leading.timescale)
    let samples = tracks.leading.samples
    let isOrdered =
      tracks.leading.handler != "vide" || samples.count > (samples.compositionOffsets == nil ? 1 : Self.reordered)
    guard isComplete && isOrdered || isLast || !isPatient else { return nil }
    let made = try SampleIndex.make(of: tables, media: media)
    guard let shift = made.shift, let index = try? SampleIndex(MemoryByteSource(made.bytes)) else { return nil }
    self.shift = shift
    isQuickTime = index.isQuickTime
    leading = index.leading.goingOn
    sound = index.sound?.goingOn
    self.tracks = tracks
    writer = InitializationWriter(movie: movie, leading: tracks.leading, sound: tracks.sound)
  }

  /// True if key frames have to be searched for the parameter sets that a decoder needs.
  var needsParameterSets: Bool { tracks.needsParameterSets }

  /// Marks the blocks whose key frames lack parameter sets that a decoder needs.
  func mark(_ builder: inout SampleIndexBuilder, in media: some ByteSource) throws(MP4Error) {
    try builder.markKeyFrames(of: tracks.leading, in: media)
  }

  /// Returns the header of the index. Its counts of rows are not set.
  ///
  /// - Parameters:
  ///   - descriptions: the sample descriptions that are used, in the builder's order.
  ///   - end: the end of the film, in ticks of the leading track.
  ///   - fileLength: the end of the last complete fragment.
  func header(descriptions: [UInt16], end: Int64, fileLength: UInt64) throws(MP4Error) -> SampleIndex.Header {
    var header = SampleIndex.Header(leading: leading, sound: sound)
    header.fileLength = fileLength
    header.end = end
    header.isFilm = true
    header.shift = shift
    header.isQuickTime = isQuickTime
    header.initializations = try descriptions.map { (description) throws(MP4Error) in
      try writer.initialization(description)
    }
    return header
  }
}

extension IndexedTrack {
  /// The same track with a last edit that has no end.
  fileprivate var goingOn: IndexedTrack {
    var edits = edits
    if let last = edits.edits.indices.last { edits.edits[last].duration = 0 }
    return IndexedTrack(
      id: id, handler: handler, timing: timing, leastOffset: leastOffset, edits: edits, movieTimescale: movieTimescale)
  }
}
