internal import FootageBase

/// What the film of a recording that grows keeps from its first fragments on: its tracks, how times are moved, and how
/// a decoder begins.
struct GrowingLayout: Sendable {
  let leading: IndexedTrack
  let sound: IndexedTrack?
  private let shift: UInt32
  private let isQuickTime: Bool
  private let tracks: FilmTracks
  private let writer: InitializationWriter

  /// Tracks that have not begun by then are waited for no longer, in seconds.
  private static let patience: Int64 = 10

  /// - Parameters:
  ///   - tables: of what there is.
  ///   - isLast: whether nothing more will come.
  /// - Returns: nil where the film cannot be laid out yet, since a track has not begun, or not at all.
  init?(_ tables: MovieTables, isLast: Bool, media: some ByteSource) throws(MP4Error) {
    let movie = tables.movie
    guard let tracks = FilmTracks(movie), tracks.refusal == nil else { return nil }
    let isComplete = movie.tracks.allSatisfy { !$0.isPictureOrSound || $0.samples.count > 0 }
    let isPatient =
      tracks.leading.samples.decodingDuration < Self.patience * Int64(tracks.leading.timescale)
    guard isComplete || isLast || !isPatient else { return nil }
    let made = try SampleIndex.make(of: tables, media: media)
    guard let shift = made.shift, let index = try? SampleIndex(MemoryByteSource(made.bytes)) else { return nil }
    self.shift = shift
    isQuickTime = index.isQuickTime
    leading = index.leading.goingOn
    sound = index.sound?.goingOn
    self.tracks = tracks
    writer = InitializationWriter(movie: movie, leading: tracks.leading, sound: tracks.sound)
  }

  /// Whether key frames have to be looked into for what a decoder needs.
  var needsParameterSets: Bool { tracks.needsParameterSets }

  /// Marks the blocks whose key frame lacks what a decoder needs.
  func mark(_ builder: inout SampleIndexBuilder, in media: some ByteSource) throws(MP4Error) {
    try builder.markKeyFrames(of: tracks.leading, in: media)
  }

  /// What stands before the rows, which it does not count.
  ///
  /// - Parameters:
  ///   - descriptions: those that are used, as the builder has them.
  ///   - end: in ticks of the leading track.
  ///   - fileLength: where the last whole fragment ends.
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
  /// The same, shown for as long as it will go on.
  fileprivate var goingOn: IndexedTrack {
    var edits = edits
    if let last = edits.edits.indices.last { edits.edits[last].duration = 0 }
    return IndexedTrack(
      id: id, handler: handler, timing: timing, leastOffset: leastOffset, edits: edits, movieTimescale: movieTimescale)
  }
}
