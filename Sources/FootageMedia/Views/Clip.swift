package import FootageBase

/// A time range of one recording, or of several in a row, as one MP4 that is cut at exact pictures.
///
/// Pictures are decoded from the key frame before the beginning, and an edit hides those that are not requested.
/// Between two recordings, the last picture of the first one is extended over a gap of up to a second; a longer gap is
/// left out. No sample is cut, so sound consists of whole frames.
package struct Clip: Sendable {
  /// The version of this view, which is part of entity tags. It changes whenever the bytes of clips change.
  package static let viewVersion: UInt8 = 3

  /// The part of one recording for a clip.
  package struct Wanted: Hashable, Sendable {
    /// The times in the recording's presentation, in nanoseconds. The range is not empty.
    package var times: Range<Int64>
    /// The time between the previous part and this one, in nanoseconds, or 0 for the first part. A gap of more than a
    /// second is left out.
    package var gap: Int64
    /// True if this is the last part of the clip.
    package var isLast: Bool

    package init(times: Range<Int64>, gap: Int64 = 0, isLast: Bool = true) {
      self.times = times
      self.gap = gap
      self.isLast = isLast
    }
  }

  /// The length of the longest clip in nanoseconds: two hours.
  package static let longest: Int64 = 7_200_000_000_000
  package static let isTooLong =
    "A clip lasts at most two hours: request a shorter time, or the film (same path with .m3u8)."
  /// The longest gap that is shown, in nanoseconds.
  package static let longestGap: Int64 = 1_000_000_000
  /// The number of ticks a second in the clip's presentation.
  static let timescale: UInt32 = 90_000
  /// The largest number of samples in all of a clip's tracks together.
  static let sampleLimit = 2_000_000

  /// The media of the clip. Source n is the recorder's file of the n-th recording that was appended.
  private var media = Composition()
  private var movie: Movie?
  private var isQuickTime = false
  private var video: ClipTrack?
  private var sound: ClipTrack?
  private var initialization: SampleIndex.Initialization?
  private var sourceCount = 0
  /// The total length of the appended parts, in nanoseconds.
  private var length: Int64 = 0
  private var sampleCount = 0

  package init() {}

  /// Appends a part of a recording.
  ///
  /// - Throws: `ViewError`: `.noFilm`, `.outside` if the recording has no pictures or sound in that time,
  ///   `.formatsDiffer`, `.tooLong`.
  package mutating func append(_ wanted: Wanted, of index: SampleIndex, _ source: some ByteSource) throws(ViewError) {
    guard index.shift != nil else { throw .noFilm }
    let selection = try mapError(
      ViewError.index, try ClipSelection(wanted, isFirst: sourceCount == 0, index, source))
    guard let selection, !selection.leading.isEmpty else { throw .outside }
    try begin(index, index.initializations[selection.initialization])
    sampleCount += selection.leading.count + selection.sound.count
    guard sampleCount <= Self.sampleLimit else {
      throw .tooLong(
        "The clip would have more than \(Self.sampleLimit) samples: request a shorter time, or the film "
          + "(same path with .m3u8).")
    }
    let start = length + (sourceCount > 0 && wanted.gap <= Self.longestGap ? max(0, wanted.gap) : 0)
    let layout = MediaLayout([selection.leading, selection.sound], in: index.places)
    let base = media.length
    video?.append(selection.leading, from: wanted.times.lowerBound, at: start) { base + layout.place(of: $0) }
    sound?.append(selection.sound, from: wanted.times.lowerBound, at: start) { base + layout.place(of: $0) }
    for piece in layout.pieces { media.append(piece, of: sourceCount) }
    sourceCount += 1
    length = start + (wanted.times.upperBound - wanted.times.lowerBound)
  }

  /// Takes the description of the tracks from the first recording, and checks that the others have the same.
  private mutating func begin(_ index: SampleIndex, _ initialization: SampleIndex.Initialization) throws(ViewError) {
    if let known = self.initialization {
      let isSame =
        known.describesSamples(as: initialization) && isQuickTime == index.isQuickTime
        && video?.timing.timescale == index.leading.timing.timescale
        && sound?.timing.timescale == index.sound?.timing.timescale
      guard isSame else { throw .formatsDiffer }
      video?.timing = index.leading.timing
      if let timing = index.sound?.timing { sound?.timing = timing }
      return
    }
    let movie = try mapError(ViewError.broken, try initialization.movie(ofAll: true))
    self.initialization = initialization
    self.movie = movie
    isQuickTime = index.isQuickTime
    func track(_ indexed: IndexedTrack?) -> ClipTrack? {
      indexed.flatMap { indexed in
        movie.tracks.first { $0.id == indexed.id }.map { ClipTrack($0, indexed.timing) }
      }
    }
    video = track(index.leading)
    sound = track(index.sound)
  }

  /// Returns the whole clip.
  ///
  /// - Throws: `ViewError.outside` if nothing was appended.
  package func composition() throws(ViewError) -> Composition {
    guard let movie, let video else { throw .outside }
    let parts = [video, sound].compactMap { $0?.part(length: length) }
    let head = try mapError(
      ViewError.broken,
      try SampleMovie(
        movie: movie, isQuickTime: isQuickTime, timescale: Self.timescale, parts: parts, mediaLength: media.length
      ).head())
    var composition = Composition()
    composition.append(head)
    composition.append(media)
    return composition
  }
}

extension SampleIndex.Initialization {
  /// Returns true if the samples of the two indexes can share their tracks. Their sample descriptions must be the same,
  /// byte for byte, except for the bit rates.
  fileprivate func describesSamples(as other: SampleIndex.Initialization) -> Bool {
    if self == other { return true }
    guard let one = try? movie(ofAll: true), let two = try? other.movie(ofAll: true),
      one.tracks.count == two.tracks.count
    else { return false }
    return zip(one.tracks, two.tracks).allSatisfy { first, second in
      first.handler == second.handler
        && SampleEntry.withoutBitRates(first.boxes.sampleDescriptions, of: first.handler, in: one.buffer)
          == SampleEntry.withoutBitRates(second.boxes.sampleDescriptions, of: second.handler, in: two.buffer)
    }
  }
}
