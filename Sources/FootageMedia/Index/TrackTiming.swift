internal import FootageBase

/// How a track's own times become those of the presentation, by the first edit that shows anything (ISO/IEC 14496-12
/// §8.6.6).
package struct TrackTiming: Hashable, Sendable {
  /// Ticks a second, not 0.
  package let timescale: UInt32
  /// The media time that is shown at the beginning, in ticks: of the edit, less the empty ones before it. What is
  /// earlier is decoded and not shown.
  package let origin: Int64

  package init(timescale: UInt32, origin: Int64) {
    self.timescale = timescale
    self.origin = origin
  }

  init(_ edits: EditList, timescale: UInt32, movieTimescale: UInt32) {
    let presentation = PresentationTimes(edits, movieTimescale: movieTimescale, timescale: timescale)
    self.init(timescale: timescale, origin: -presentation.presentationTime(of: 0))
  }

  /// When a sample is shown, in ticks from the beginning of the presentation.
  package func presentationTime(of sample: IndexedSample) -> Int64 { sample.mediaTime - origin }

  /// In ticks of this track, the first that is not before a time in another one's.
  package func ceiling(_ time: Int64, of other: TrackTiming) -> Int64 {
    if timescale == other.timescale { return time }
    let product = Int128(time) * Int128(timescale)
    let scale = Int128(other.timescale)
    let quotient = product / scale
    return Int64(clamping: product > quotient * scale ? quotient + 1 : quotient)
  }

  /// The last tick of this track that is not after a time in another one's.
  package func floor(_ time: Int64, of other: TrackTiming) -> Int64 {
    if timescale == other.timescale { return time }
    let product = Int128(time) * Int128(timescale)
    let scale = Int128(other.timescale)
    let quotient = product / scale
    return Int64(clamping: product < quotient * scale ? quotient - 1 : quotient)
  }

  /// In ticks of this track, rounded down; clamped far beyond any recording.
  package func ticks(milliseconds: Int64) -> Int64 {
    Int64(clamping: Int128(milliseconds) * Int128(timescale) / 1_000)
  }

  /// Nanoseconds from the beginning of the presentation, rounded down.
  package func nanoseconds(_ ticks: Int64) -> Int64 {
    let product = Int128(ticks) * 1_000_000_000
    let scale = Int128(timescale)
    let quotient = product / scale
    return Int64(clamping: product < quotient * scale ? quotient - 1 : quotient)
  }
}
