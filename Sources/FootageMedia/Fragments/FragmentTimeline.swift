internal import FootageBase

/// The presentation times of the tracks of a fragmented recording, after each track was moved to begin at 0.
///
/// In a fragmented file a track may begin at any time, but a sample table always begins at 0, and the recording begins
/// with its first picture or sound. The difference between tracks goes into the edit list: into its media time, or into
/// an empty edit before it. A track that would begin more than a day after the others has another clock, and begins with
/// them.
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

  /// A time in units of 2^-40 seconds, which are finer than any tick. It is at most 2^50 seconds from 0, which is far
  /// beyond any recording.
  private struct Time: Comparable {
    private var units: Int128

    private static let limit: Int128 = 1 << 90

    init(_ ticks: Int64, _ timescale: UInt32) {
      self.init(units: (Int128(ticks) << 40) / Int128(timescale))
    }

    /// - Parameter nanoseconds: any number; it is clamped, too.
    init(nanoseconds: Int128) {
      let limit = Self.limit >> 10
      self.init(units: (min(max(nanoseconds, -limit), limit) << 40) / 1_000_000_000)
    }

    private init(units: Int128) { self.units = min(max(units, -Self.limit), Self.limit) }

    static func + (one: Time, two: Time) -> Time { Time(units: one.units + two.units) }

    static func - (one: Time, two: Time) -> Time { Time(units: one.units - two.units) }

    static func < (one: Time, two: Time) -> Bool { one.units < two.units }

    /// The time in ticks, rounded to the nearest and clamped far beyond any recording.
    func ticks(of timescale: UInt32) -> Int64 {
      let ticks = Int64(clamping: (units * Int128(timescale) + 1 << 39) >> 40)
      return min(max(ticks, -Limits.ticks), Limits.ticks)
    }

    /// Returns true if the time is a whole number of ticks of this timescale.
    func isWhole(in timescale: UInt32) -> Bool {
      let rest = (units * Int128(timescale) + 1 << 39) & (1 << 40 - 1) - 1 << 39
      return rest.magnitude <= 2 * Int128.Magnitude(timescale)
    }

    /// The number of whole seconds, rounded towards 0.
    var seconds: Int64 { Int64(clamping: units / (1 << 40)) }
  }

  /// The number of ticks a second. It is the source's, or a finer one if that cannot place a track exactly.
  let movieTimescale: UInt32
  /// The presentation of each track.
  let presentations: [Presentation]
  let notes: [String]

  /// - Parameter clockBeginning: the time that the movie's clock has taken from all times, in nanoseconds.
  init(_ movie: Movie, tracks: [FragmentedTrack], clockBeginning: Int128 = 0) {
    var notes = movie.editNotes
    let zero = Time(0, 1)
    let taken = Time(nanoseconds: max(0, clockBeginning))
    /// The time in the file at which each track begins. Times below 0 were moved to begin there.
    let firstTimes = tracks.map { taken + Time($0.firstTime, $0.timescale) }
    /// The time at which each track begins in the file, beside the empty edits that the recorder wrote, or nil if it has
    /// no sample.
    let starts = movie.tracks.indices.map { (index) -> Time? in
      let (track, fragmented) = (movie.tracks[index], tracks[index])
      guard fragmented.samples.sampleCount > 0 else { return nil }
      return max(zero, firstTimes[index] - Self.hiddenTime(of: track))
    }
    let earliest = movie.tracks.indices.filter { movie.tracks[$0].isPictureOrSound }.compactMap { starts[$0] }.min()
    let beginning = earliest ?? zero
    let seconds = clockBeginning < 0 ? Time(nanoseconds: clockBeginning).seconds : beginning.seconds
    if let note = Movie.note(beginning: seconds) { notes.append(note) }

    /// The beginning of each track: the time in which nothing is shown, and the media time after it.
    var beginnings = movie.tracks.indices.map { (index) -> (late: Time, mediaTime: Int64)? in
      let (track, fragmented) = (movie.tracks[index], tracks[index])
      guard let start = starts[index] else { return nil }
      var late = start - beginning + Time(Int64(clamping: track.edits.leadingEmptyDuration), movie.header.timescale)
      let longest = Time(Int64(FragmentClock.longestGapSeconds), 1)
      if late > longest {
        notes.append("track \(track.id) claims to begin more than a day after the others, and begins with them")
        late = zero
      }
      // What a timecode or a text says about the time before the beginning is not shown.
      let hidden = max(zero, Self.hiddenTime(of: track) - firstTimes[index]) + max(zero, zero - late)
      late = max(zero, late)
      var mediaTime = hidden.ticks(of: fragmented.timescale)
      if late > zero || mediaTime > 0, fragmented.compositionStart > mediaTime {
        // Players disagree about what an edit does to the time before the first picture is shown (its composition
        // offset), so that time becomes an empty edit, or a part of it.
        late = min(longest, late + Time(fragmented.compositionStart - mediaTime, fragmented.timescale))
        mediaTime = fragmented.compositionStart
      }
      return (late, mediaTime)
    }
    // The time in which nothing is shown or heard yet is left out.
    let wait = max(zero, beginnings.compactMap { $0?.late }.min() ?? zero)
    for index in beginnings.indices {
      if let late = beginnings[index]?.late { beginnings[index]?.late = late - wait }
    }

    var timescale = movie.header.timescale
    for (beginning, track) in zip(beginnings, tracks) {
      guard let late = beginning?.late, late > zero, !late.isWhole(in: timescale) else { continue }
      let common = Self.leastCommonMultiple(UInt64(timescale), UInt64(track.timescale))
      if common <= UInt64(UInt32.max) { timescale = UInt32(common) }
    }
    movieTimescale = timescale

    presentations = movie.tracks.indices.map { index in
      let (track, fragmented) = (movie.tracks[index], tracks[index])
      guard let (late, mediaTime) = beginnings[index] else { return Presentation() }
      if track.edits.mediaEdits.count > 1 {
        notes.append("track \(track.id): only the first of its \(track.edits.mediaEdits.count) edits is kept")
      }
      // This is rounded up, because an edit that ends a fraction of a tick too early would cut off the last sample.
      let shown = UInt64(max(1, fragmented.compositionEnd - mediaTime))
      return Presentation(
        emptyDuration: UInt64(max(0, late.ticks(of: timescale))), mediaTime: mediaTime,
        mediaDuration: shown.rescaled(from: fragmented.timescale, to: timescale, rounding: .up))
    }
    self.notes = notes
  }

  /// Returns the time at the beginning of a track's media that its edit list hides.
  private static func hiddenTime(of track: Track) -> Time {
    Time(track.edits.mediaEdits.first?.mediaTime ?? 0, track.timescale)
  }

  private static func leastCommonMultiple(_ first: UInt64, _ second: UInt64) -> UInt64 {
    var (greatest, rest) = (first, second)
    while rest != 0 { (greatest, rest) = (rest, greatest % rest) }
    return first / greatest * second
  }
}
