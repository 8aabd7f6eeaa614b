internal import FootageBase

/// The properties of a track that `footage inspect` shows.
package struct TrackInspection: Sendable {
  let summary: TrackSummary
  /// The coding of the pictures, or nil if no configuration can be read.
  package let coding: VideoCoding?
  /// The statistics of the track. It is nil if nothing can be served, or if the track is neither pictures nor sound.
  package let statistics: SampleStatistics?
  /// The angle by which players rotate the pictures clockwise: 90, 180 or 270 degrees. It is nil if they do not rotate
  /// them.
  package let rotation: Int?
  /// The number of sample descriptions.
  let sampleEntryCount: Int
  /// The number of edits that are not empty.
  let editCount: Int
  /// The number of the video track by which it can be selected, from 1 on; nil for other tracks, and for a video track
  /// without pictures.
  package let videoTrack: Int?
  /// True if films show the track, or the inspection is about its film.
  let isShown: Bool

  package var id: UInt32 { summary.id }
  package var handler: FourCharacterCode { summary.handler }

  /// Creates the inspection of a track in a file that cannot be served.
  init(_ summary: TrackSummary) {
    self.summary = summary
    coding = summary.sampleEntry?.configuration?.coding
    statistics = nil
    rotation = nil
    sampleEntryCount = 0
    editCount = 0
    videoTrack = nil
    isShown = false
  }

  private init(
    _ summary: TrackSummary, _ track: Track, of movie: Movie, coding: VideoCoding?, statistics: SampleStatistics?,
    shown: Track?
  ) {
    self.summary = summary
    rotation =
      track.handler == "vide" ? DisplayMatrix.rotation(track: summary.matrix, movie: movie.header.matrix) : nil
    self.coding = coding
    self.statistics = statistics
    sampleEntryCount = track.sampleEntries.count
    editCount = track.edits.mediaEdits.count
    videoTrack = movie.videoTracks.firstIndex { $0.id == track.id }.map { $0 + 1 }
    isShown = track.id == shown?.id
  }

  /// Returns the tracks of the served recording, in file order. Reads the first key frame of a video track whose sample
  /// entries lack parameter sets. May block.
  ///
  /// - Parameters:
  ///   - number: the number of the video track that is shown; nil for the one that films show.
  ///   - source: the recorder's file.
  static func all(in tables: MovieTables, shown number: Int?, _ source: some ByteSource) -> [TrackInspection] {
    let shown = tables.movie.chosenVideoTrack(number)
    var budget = Limits.inspectedSamples
    return tables.movie.tracks.map { track in
      var statistics: SampleStatistics?
      if track.isPictureOrSound {
        statistics = try? SampleStatistics(track, of: tables, limit: budget)
        budget -= statistics?.sampleCount ?? 0
      }
      return TrackInspection(
        TrackSummary(track, in: tables.movie), track, of: tables.movie, coding: coding(of: track, in: tables, source),
        statistics: statistics, shown: shown)
    }
  }

  private static func coding(of track: Track, in tables: MovieTables, _ source: some ByteSource) -> VideoCoding? {
    guard let entry = track.sampleEntries.first, var configuration = entry.configuration else { return nil }
    guard let lengthSize = entry.parameterSets?.lengthSize, configuration.lacksParameters else {
      return configuration.coding
    }
    // If the key frame cannot be read, the result has fewer details.
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
