package import FootageBase

/// The samples of a track, which can be found by time, number and place in O(log n).
///
/// Samples are counted from 0, in decoding order. A media time is decoding time plus composition offset, in the track's
/// ticks. The edit list selects from these times. The tables are used as they are in `moov`, with an additional mark
/// for every 64th entry.
package struct TrackTables: Sendable {
  let track: Track
  private let buffer: BoxBuffer
  private let times: SampleTimes
  private let places: SamplePlaces
  private let syncSamples: SyncSamples
  private let presentation: PresentationTimes
  /// The duration of the presentation in seconds, finite and not negative.
  package let duration: Double
  /// True if the track is shown by default (`tkhd`, ISO/IEC 14496-12 §8.3.2).
  package let isEnabled: Bool

  /// Reads the track in one walk over its tables.
  init(_ track: Track, of movie: Movie) {
    self.track = track
    buffer = movie.buffer
    times = SampleTimes(track.samples, in: movie.buffer)
    places = SamplePlaces(track.samples, in: movie.buffer)
    syncSamples = SyncSamples(track.samples, times: times, in: movie.buffer)
    presentation = PresentationTimes(
      track.edits, movieTimescale: movie.header.timescale, timescale: track.timescale)
    duration = TrackSummary(track, in: movie).duration
    isEnabled = track.isEnabled
  }

  /// The track ID, which is not 0.
  package var id: UInt32 { track.id }
  /// The type of the track: `vide`, `soun`, …
  package var handler: FourCharacterCode { track.handler }
  /// The number of ticks a second.
  package var timescale: UInt32 { track.timescale }
  package var sampleCount: Int { track.samples.count }

  // MARK: By sample

  /// Returns the decoding time in ticks.
  ///
  /// - Precondition: the sample exists. This holds for all functions with a sample as their parameter.
  package func decodingTime(of sample: Int) -> Int64 { times.decodingTime(of: sample, in: buffer) }

  package func mediaTime(of sample: Int) -> Int64 { times.mediaTime(of: sample, in: buffer) }

  /// Returns the duration in ticks.
  package func duration(of sample: Int) -> UInt32 { times.duration(of: sample, in: buffer) }

  package func isSync(_ sample: Int) -> Bool {
    (0..<sampleCount).contains(sample) && syncSamples.contains(sample, in: buffer)
  }

  /// Returns the range of a sample in the served bytes and its entry in `stsd`, from 1. The result is nil if the range
  /// would exceed any possible file.
  package func place(of sample: Int) -> (bytes: Range<UInt64>, descriptionIndex: UInt32)? {
    places.place(of: sample, in: buffer)
  }

  // MARK: By time

  /// Returns the sample that is shown at a media time, which is the one with the latest media time that is at most
  /// this. The result is nil if all are later.
  package func sample(shownAt mediaTime: Int64) -> Int? { times.lastSample(shownAtOrBefore: mediaTime, in: buffer) }

  /// Returns the sync sample with the latest media time that is at most this, or nil if all are later.
  package func syncSample(atOrBefore mediaTime: Int64) -> Int? {
    syncSamples.last(shownAtOrBefore: mediaTime, in: buffer)
  }

  /// Returns the sync sample with the earliest media time that is later than this, or nil if there is none.
  package func syncSample(after mediaTime: Int64) -> Int? { syncSamples.first(shownAfter: mediaTime, in: buffer) }

  // MARK: By the edit list

  /// Returns the media time that is shown at a presentation time, rounded down to a tick.
  ///
  /// In an empty edit, it is the media time that was shown last, or the first one that will be shown. After the end, it
  /// is the last one.
  package func mediaTime(at time: DecimalSeconds) -> Int64 { presentation.mediaTime(at: time) }

  /// Returns the time at which a sample is shown, by the first edit that is not empty. The result is in ticks from the
  /// beginning of the presentation. It is negative for a sample that is decoded but not shown.
  package func presentationTime(of sample: Int) -> Int64 { presentation.presentationTime(of: mediaTime(of: sample)) }
}
