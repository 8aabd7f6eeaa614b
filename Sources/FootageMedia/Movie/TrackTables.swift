package import FootageBase

/// A track's samples by time, by number and by place, in O(log n).
///
/// Samples are counted from 0, in decoding order. A media time is decoding time plus composition offset, in the track's
/// ticks: the line that its edit list picks from. The tables stay as they are in `moov`; beside them there is a mark
/// for every 64th of their entries.
package struct TrackTables: Sendable {
  let track: Track
  private let buffer: BoxBuffer
  private let times: SampleTimes
  private let places: SamplePlaces
  private let syncSamples: SyncSamples
  private let presentation: PresentationTimes
  /// Of the presentation, in seconds: 0 or more, finite.
  package let duration: Double
  /// Whether it is to be shown unless somebody chooses otherwise (`tkhd`, ISO/IEC 14496-12 §8.3.2).
  package let isEnabled: Bool

  /// One walk over the tables.
  init(_ track: Track, of movie: Movie) {
    self.track = track
    buffer = movie.buffer
    times = SampleTimes(track.samples, in: movie.buffer)
    places = SamplePlaces(track.samples, in: movie.buffer)
    syncSamples = SyncSamples(track.samples, times: times, in: movie.buffer)
    presentation = PresentationTimes(
      track.edits, movieTimescale: movie.header.timescale, timescale: track.timescale)
    duration = TrackSummary(track, in: movie).duration
    isEnabled = track.isEnabled(in: movie.buffer)
  }

  /// Not 0.
  package var id: UInt32 { track.id }
  /// `vide`, `soun`, …
  package var handler: FourCharacterCode { track.handler }
  /// Ticks a second.
  package var timescale: UInt32 { track.timescale }
  package var sampleCount: Int { track.samples.count }

  // MARK: By sample

  /// In ticks.
  ///
  /// - Precondition: there is such a sample; this holds for all that asks for one.
  package func decodingTime(of sample: Int) -> Int64 { times.decodingTime(of: sample, in: buffer) }

  package func mediaTime(of sample: Int) -> Int64 { times.mediaTime(of: sample, in: buffer) }

  /// In ticks.
  package func duration(of sample: Int) -> UInt32 { times.duration(of: sample, in: buffer) }

  package func isSync(_ sample: Int) -> Bool {
    (0..<sampleCount).contains(sample) && syncSamples.contains(sample, in: buffer)
  }

  /// Where a sample lies in what is served, and its entry in `stsd`, from 1; nil where no file can be.
  package func place(of sample: Int) -> (bytes: Range<UInt64>, descriptionIndex: UInt32)? {
    places.place(of: sample, in: buffer)
  }

  // MARK: By time

  /// The sample that is shown at a media time: the one with the latest media time that is at most this; nil where all
  /// are later.
  package func sample(shownAt mediaTime: Int64) -> Int? { times.lastSample(shownAtOrBefore: mediaTime, in: buffer) }

  /// The sync sample with the latest media time that is at most this; nil where all are later.
  package func syncSample(atOrBefore mediaTime: Int64) -> Int? {
    syncSamples.last(shownAtOrBefore: mediaTime, in: buffer)
  }

  /// The sync sample with the earliest media time that is later than this; nil where none is.
  package func syncSample(after mediaTime: Int64) -> Int? { syncSamples.first(shownAfter: mediaTime, in: buffer) }

  // MARK: By the edit list

  /// The media time that is shown at a time of the presentation, rounded down to a tick.
  ///
  /// Where nothing is shown it is what was shown last, or what will be shown first; beyond the end it is the last one.
  package func mediaTime(at time: DecimalSeconds) -> Int64 { presentation.mediaTime(at: time) }

  /// When a sample is shown, by the first edit that shows anything: in ticks from the beginning of the presentation;
  /// below 0 for one that is decoded and not shown.
  package func presentationTime(of sample: Int) -> Int64 { presentation.presentationTime(of: mediaTime(of: sample)) }
}
