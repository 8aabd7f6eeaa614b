internal import FootageBase

/// A track of a clip, as recordings are appended to it.
///
/// Its line begins with its first sample; where the clip begins on it, its edit says. Each recording's samples are moved
/// as a whole to where its part of the clip begins.
struct ClipTrack: Sendable {
  private struct Sample {
    let offset: UInt64
    let size: UInt32
    /// On the track's line, in its ticks.
    let decodingTime: Int64
    let mediaTime: Int64
    let duration: UInt32
    let isSync: Bool
  }

  let track: Track
  /// Of the recording that is appended next.
  var timing: TrackTiming
  private var samples: [Sample] = []
  /// Where the clip begins on the track's line, in its ticks.
  private var origin: Int64?

  init(_ track: Track, _ timing: TrackTiming) {
    self.track = track
    self.timing = timing
  }

  /// - Parameters:
  ///   - beginning: what of the recording's presentation is shown at `start`, in nanoseconds.
  ///   - start: in nanoseconds from the beginning of the clip.
  ///   - place: where a byte of the recorder's file lies in the clip's media.
  mutating func append(
    _ more: [IndexedSample], from beginning: Int64, at start: Int64, _ place: (UInt64) -> UInt64
  ) {
    guard let first = more.first else { return }
    let shown = timing.ticks(nanoseconds: beginning) + timing.origin
    let line = origin ?? shown - first.decodingTime
    origin = line
    // What is added to the recording's own times.
    let shift = line + timing.ticks(nanoseconds: start) - shown
    let isSound = track.handler == "soun"
    for sample in more {
      let media = sample.mediaTime + shift
      var time = sample.decodingTime + shift
      if let last = samples.last {
        // At a join sound goes on where it ended, to within half a frame; within a recording it always does.
        let end = last.decodingTime + Int64(last.duration)
        if isSound, time < end - Int64(sample.duration) / 2 { continue }
        time = max(time, last.decodingTime + 1)
      }
      samples.append(
        Sample(
          offset: sample.size > 0 ? place(sample.offset) : 0, size: sample.size, decodingTime: time, mediaTime: media,
          duration: sample.duration, isSync: sample.isSync || isSound))
    }
  }

  /// - Parameter length: of the clip, in nanoseconds.
  /// - Returns: nil where it has no samples.
  func part(length: Int64) -> SampleMovie.Part? {
    guard let first = samples.first, let origin else { return nil }
    var part = SampleMovie.Part(track)
    var shownEnd = Int64.min
    var shownStart = Int64.max
    for (index, sample) in samples.enumerated() {
      let next =
        index + 1 < samples.count ? samples[index + 1].decodingTime : sample.decodingTime + Int64(sample.duration)
      let duration = UInt32(clamping: max(0, next - sample.decodingTime))
      part.append(
        at: sample.offset, size: sample.size,
        compositionOffset: Int32(clamping: sample.mediaTime - sample.decodingTime), duration: duration,
        isSync: sample.isSync)
      shownStart = min(shownStart, sample.mediaTime)
      shownEnd = max(shownEnd, sample.mediaTime + Int64(sample.duration))
    }
    // The line counts from the first sample's decoding.
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
  /// On the clip's own line, rounded up.
  fileprivate static func ticks(_ ticks: Int64, of timing: TrackTiming) -> UInt64 {
    let scale = Int128(timing.timescale)
    return UInt64(clamping: (Int128(ticks) * Int128(timescale) + scale - 1) / scale)
  }
}
