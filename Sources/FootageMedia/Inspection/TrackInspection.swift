internal import FootageBase

/// What `footage inspect` shows of a track.
package struct TrackInspection: Sendable {
  let summary: TrackSummary
  /// nil where no configuration can be read.
  package let coding: VideoCoding?
  /// nil where nothing is served of the file, and for what is neither pictures nor sound.
  package let statistics: SampleStatistics?
  /// By how many degrees players turn its pictures clockwise: 90, 180 or 270; nil where they do not.
  package let rotation: Int?
  /// How many sample descriptions there are.
  let sampleEntryCount: Int
  /// How many edits show something.
  let editCount: Int

  package var id: UInt32 { summary.id }
  package var handler: FourCharacterCode { summary.handler }

  /// Of a file of which nothing is served.
  init(_ summary: TrackSummary) {
    self.summary = summary
    coding = summary.sampleEntry?.configuration?.coding
    statistics = nil
    rotation = nil
    sampleEntryCount = 0
    editCount = 0
  }

  private init(
    _ summary: TrackSummary, _ track: Track, of movie: Movie, coding: VideoCoding?, statistics: SampleStatistics?
  ) {
    self.summary = summary
    rotation =
      track.handler == "vide" ? DisplayMatrix.rotation(track: summary.matrix, movie: movie.header.matrix) : nil
    self.coding = coding
    self.statistics = statistics
    sampleEntryCount = track.sampleEntries.count
    editCount = track.edits.mediaEdits.count
  }

  /// The tracks of what is served, in file order. Reads the first key frame of pictures whose parameter sets are
  /// nowhere else. May block.
  ///
  /// - Parameter source: the recorder's file.
  static func all(in tables: MovieTables, _ source: some ByteSource) -> [TrackInspection] {
    var budget = Limits.inspectedSamples
    return tables.movie.tracks.map { track in
      var statistics: SampleStatistics?
      if track.isPictureOrSound {
        statistics = try? SampleStatistics(track, of: tables, limit: budget)
        budget -= statistics?.sampleCount ?? 0
      }
      return TrackInspection(
        TrackSummary(track, in: tables.movie), track, of: tables.movie, coding: coding(of: track, in: tables, source),
        statistics: statistics)
    }
  }

  private static func coding(of track: Track, in tables: MovieTables, _ source: some ByteSource) -> VideoCoding? {
    guard let entry = track.sampleEntries.first, var configuration = entry.configuration else { return nil }
    guard let lengthSize = entry.parameterSets?.lengthSize, configuration.lacksParameters else {
      return configuration.coding
    }
    // What cannot be read says less.
    var samples = SampleWalk(track, of: tables)
    for _ in 0..<Limits.samplesBeforeKeyFrame {
      guard let sample = try? samples.next() else { break }
      guard sample.isSync else { continue }
      try? configuration.complete(from: sample.bytes, lengthSize: lengthSize, in: source)
      break
    }
    return configuration.coding
  }
}
