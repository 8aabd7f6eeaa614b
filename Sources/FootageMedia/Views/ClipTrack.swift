internal import FootageBase

/// A track of a clip, to which the samples of recordings are appended.
///
/// The track's timeline begins with its first sample, and its edit states the position at which the clip begins. Each
/// recording's samples are shifted together to the beginning of their part of the clip.
struct ClipTrack: Sendable {
  private struct Sample {
    let offset: UInt64
    let size: UInt32
    /// The decoding time on the track's timeline, in its ticks.
    let decodingTime: Int64
    let mediaTime: Int64
    let duration: UInt32
    let isSync: Bool
  }

  let track: Track
  /// The timing of the recording that is appended next. All have the same timescale.
  var timing: TrackTiming
  private var samples: [Sample] = []
  /// The beginning of the clip on the track's timeline, in its ticks.
  private var origin: Int64?

  init(_ track: Track, _ timing: TrackTiming) {
    self.track = track
    self.timing = timing
  }

  /// The smallest timescale of a clip's track: its beginning is exact to a millisecond.
  private static let leastTimescale: UInt32 = 1_000

  /// The number of the clip's ticks for each tick of the recording.
  private var scale: UInt32 {
    timing.timescale < Self.leastTimescale ? (Self.leastTimescale - 1) / timing.timescale + 1 : 1
  }

  /// - Parameters:
  ///   - more: the samples, in decoding order.
  ///   - beginning: the time of the recording's presentation that is shown at `start`, in nanoseconds.
  ///   - start: the time from the beginning of the clip, in nanoseconds.
  ///   - place: returns the offset in the clip's media for an offset in the recorder's file.
  mutating func append(
    _ more: [IndexedSample], from beginning: Int64, at start: Int64, _ place: (UInt64) -> UInt64
  ) {
    let timing = timing.finer(scale)
    let more = more.map { $0.finer(scale) }
    guard let first = more.first else { return }
    let shown = timing.ticks(nanoseconds: beginning) + timing.origin
    // A picture that is shown at the beginning begins there: players disagree about pictures that an edit cuts.
    let cut =
      origin == nil && track.handler == "vide"
      ? more.indices.filter { more[$0].mediaTime <= shown }
        .max { (more[$0].mediaTime, $0) < (more[$1].mediaTime, $1) } : nil
    let line = origin ?? shown - first.decodingTime
    origin = line
    // The number of ticks that is added to the recording's own times.
    let shift = line + timing.ticks(nanoseconds: start) - shown
    let isSound = track.handler == "soun"
    /// The number of ticks by which the picture at the beginning comes later, with those that are shown or decoded
    /// before it.
    let later = cut.map { shown - more[$0].mediaTime } ?? 0
    var isJoin = isSound
    for (index, sample) in zip(more.indices, more) {
      // What is shown before that picture, or at the same time but decoded before it, ends before it.
      let delay = index == cut ? later : max(0, later - 1)
      let media = sample.mediaTime + shift + (sample.mediaTime <= shown - later ? delay : 0)
      var time = sample.decodingTime + shift + (index <= cut ?? -1 ? delay : 0)
      if let last = samples.last {
        // Where two recordings join, sound continues where it ended, to within half a frame.
        let end = last.decodingTime + Int64(last.duration)
        if isJoin, time < end - Int64(sample.duration) / 2 { continue }
        isJoin = false
        time = max(time, last.decodingTime + 1)
      }
      samples.append(
        Sample(
          offset: sample.size > 0 ? place(sample.offset) : 0, size: sample.size, decodingTime: time, mediaTime: media,
          duration: sample.duration, isSync: sample.isSync || isSound))
    }
  }

  /// - Parameter length: the length of the clip in nanoseconds.
  /// - Returns: nil if the track has no samples.
  func part(length: Int64) -> SampleMovie.Part? {
    guard let first = samples.first, let origin else { return nil }
    let timing = timing.finer(scale)
    var part = SampleMovie.Part(track, timescale: timing.timescale)
    var shownEnd = Int64.min
    var shownStart = Int64.max
    for (index, sample) in samples.enumerated() {
      let next =
        index + 1 < samples.count ? samples[index + 1].decodingTime : sample.decodingTime + Int64(sample.duration)
      let duration = max(0, next - sample.decodingTime)
      part.append(
        at: sample.offset, size: sample.size,
        compositionOffset: Int32(clamping: sample.mediaTime - sample.decodingTime), duration: duration,
        isSync: sample.isSync)
      shownStart = min(shownStart, sample.mediaTime)
      shownEnd = max(shownEnd, sample.mediaTime + Int64(sample.duration))
    }
    // The timeline counts from the decoding time of the first sample.
    let base = first.decodingTime
    let start = max(origin, shownStart)
    let end = min(shownEnd, origin + timing.ticks(nanoseconds: length))
    part.mediaTime = max(0, start - base)
    part.emptyDuration = Clip.ticks(max(0, start - origin), of: timing)
    let whole = UInt64(max(0, Int128(length) * Int128(Clip.timescale) / 1_000_000_000))
    part.shownDuration = min(
      Clip.ticks(max(1, end - start), of: timing), max(1, whole - min(whole, part.emptyDuration)))
    return part
  }
}

extension Clip {
  /// Returns ticks of a track in ticks of the clip, rounded up.
  fileprivate static func ticks(_ ticks: Int64, of timing: TrackTiming) -> UInt64 {
    let scale = Int128(timing.timescale)
    return UInt64(clamping: (Int128(ticks) * Int128(timescale) + scale - 1) / scale)
  }
}
