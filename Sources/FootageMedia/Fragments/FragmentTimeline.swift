/// The presentation times of the tracks of a fragmented recording, after each track was moved to begin at 0.
///
/// In a fragmented file a track may begin at any time, but a sample table always begins at 0. The difference is stored
/// in the edit list: into its media time, or into an empty edit before it.
struct FragmentTimeline {
  struct Presentation: Hashable {
    /// The time at the beginning in which nothing is shown, in the movie's ticks.
    var emptyDuration: UInt64 = 0
    /// The start of the shown part, in the track's ticks from its first sample.
    var mediaTime: Int64 = 0
    /// The duration of the shown part, in the movie's ticks.
    var mediaDuration: UInt64 = 0

    /// The duration of the presentation, in the movie's ticks.
    var duration: UInt64 { emptyDuration + mediaDuration }
    var needsEditList: Bool { emptyDuration > 0 || mediaTime > 0 }
  }

  /// The number of ticks a second. It is the timescale of the recorder's movie, or a finer one if that cannot express a
  /// track's start exactly.
  let movieTimescale: UInt32
  /// The presentation of each track.
  let presentations: [Presentation]
  let notes: [String]

  init(_ movie: Movie, tracks: [FragmentedTrack]) {
    var notes: [String] = []
    let lateSeconds = Self.lateSeconds(movie, tracks: tracks)
    if lateSeconds > 0 {
      notes.append("times begin at \(lateSeconds) s in the file, and at 0 in the served recording")
    }
    /// Returns the time of the track's first sample, in its own ticks.
    func start(_ index: Int) -> Int64 {
      tracks[index].firstTime - lateSeconds * Int64(movie.tracks[index].timescale)
    }
    func sourceMediaTime(_ index: Int) -> Int64 { movie.tracks[index].edits.mediaEdits.first?.mediaTime ?? 0 }

    var timescale = movie.header.timescale
    for (index, track) in movie.tracks.enumerated() where tracks[index].samples.sampleCount > 0 {
      let late = max(0, start(index) - sourceMediaTime(index))
      let (product, overflow) = UInt64(late).multipliedReportingOverflow(by: UInt64(timescale))
      guard overflow || product % UInt64(track.timescale) != 0 else { continue }
      let common = Self.leastCommonMultiple(UInt64(timescale), UInt64(track.timescale))
      if common <= UInt64(UInt32.max) { timescale = UInt32(common) }
    }
    movieTimescale = timescale

    presentations = movie.tracks.indices.map { index in
      let track = movie.tracks[index]
      guard tracks[index].samples.sampleCount > 0 else { return Presentation() }
      if track.edits.mediaEdits.count > 1 {
        notes.append("track \(track.id): only the first of its \(track.edits.mediaEdits.count) edits is kept")
      }
      let late = start(index) - sourceMediaTime(index)
      // This is rounded to the nearest tick. It is exact if a suitable timescale was found.
      let empty =
        Self.rescaled(
          track.edits.leadingEmptyDuration, from: movie.header.timescale, to: timescale,
          rounding: .toNearestOrAwayFromZero)
        + Self.rescaled(UInt64(max(0, late)), from: track.timescale, to: timescale, rounding: .toNearestOrAwayFromZero)
      let mediaTime = max(0, -late)
      // This is rounded up, because an edit that ends a fraction of a tick too early would cut off the last sample.
      let shown = UInt64(max(1, tracks[index].compositionEnd - mediaTime))
      return Presentation(
        emptyDuration: min(empty, UInt64(Limits.ticks)), mediaTime: mediaTime,
        mediaDuration: Self.rescaled(shown, from: track.timescale, to: timescale, rounding: .up))
    }
    self.notes = notes
  }

  /// Returns the number of whole seconds before the first sample of any track, if it exceeds the limit for a late
  /// start. Recorders that count time from their own start produce such times.
  private static func lateSeconds(_ movie: Movie, tracks: [FragmentedTrack]) -> Int64 {
    var earliest = Int64.max
    for (track, fragmented) in zip(movie.tracks, tracks) where fragmented.samples.sampleCount > 0 {
      earliest = min(earliest, fragmented.firstTime / Int64(track.timescale))
    }
    return earliest != .max && earliest > Limits.lateStart ? earliest : 0
  }

  /// Converts ticks, exactly in 128 bits. The result is clamped to times far beyond any recording.
  static func rescaled(
    _ ticks: UInt64, from timescale: UInt32, to newTimescale: UInt32, rounding rule: FloatingPointRoundingRule
  ) -> UInt64 {
    let product = ticks.multipliedFullWidth(by: UInt64(newTimescale))
    guard product.high < UInt64(timescale) else { return UInt64(Limits.ticks) }
    let (quotient, remainder) = UInt64(timescale).dividingFullWidth(product)
    let roundsUp = rule == .up ? remainder > 0 : remainder >= UInt64(timescale) - remainder
    return min(quotient &+ (roundsUp ? 1 : 0), UInt64(Limits.ticks))
  }

  private static func leastCommonMultiple(_ first: UInt64, _ second: UInt64) -> UInt64 {
    var (greatest, rest) = (first, second)
    while rest != 0 { (greatest, rest) = (rest, greatest % rest) }
    return first / greatest * second
  }
}
