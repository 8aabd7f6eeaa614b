internal import FootageBase

/// The conversion of a track's own times into those of the presentation, by the first edit that is not empty (ISO/IEC
/// 14496-12 §8.6.6).
package struct TrackTiming: Hashable, Sendable {
  /// The number of ticks a second, which is not 0.
  package let timescale: UInt32
  /// The media time at the beginning of the presentation, in ticks: the start of the edit, minus the empty edits before
  /// it. Earlier media is decoded but not shown.
  package let origin: Int64

  package init(timescale: UInt32, origin: Int64) {
    self.timescale = timescale
    self.origin = origin
  }

  init(_ edits: EditList, timescale: UInt32, movieTimescale: UInt32) {
    let presentation = PresentationTimes(edits, movieTimescale: movieTimescale, timescale: timescale)
    self.init(timescale: timescale, origin: -presentation.presentationTime(of: 0))
  }

  /// Returns the same timing with this many ticks for each.
  func finer(_ factor: UInt32) -> TrackTiming {
    TrackTiming(timescale: timescale * factor, origin: origin.scaled(by: factor))
  }

  /// Returns the time at which a sample is shown, in ticks from the beginning of the presentation.
  package func presentationTime(of sample: IndexedSample) -> Int64 { sample.mediaTime - origin }

  /// Returns the first tick of this track that is not before a time of another track.
  package func ceiling(_ time: Int64, of other: TrackTiming) -> Int64 {
    if timescale == other.timescale { return time }
    let product = Int128(time) * Int128(timescale)
    let scale = Int128(other.timescale)
    let quotient = product / scale
    return Int64(ticks: product > quotient * scale ? quotient + 1 : quotient)
  }

  /// Returns the last tick of this track that is not after a time of another track.
  package func floor(_ time: Int64, of other: TrackTiming) -> Int64 {
    if timescale == other.timescale { return time }
    let product = Int128(time) * Int128(timescale)
    let scale = Int128(other.timescale)
    let quotient = product / scale
    return Int64(ticks: product < quotient * scale ? quotient - 1 : quotient)
  }

  /// Returns milliseconds in ticks of this track, rounded down. The result is clamped far beyond any recording.
  package func ticks(milliseconds: Int64) -> Int64 {
    Int64(ticks: Int128(milliseconds) * Int128(timescale) / 1_000)
  }

  /// Returns ticks in hundred thousandths of a second, rounded to the nearest.
  func hundredThousandths(_ ticks: Int64) -> Int64 {
    let scale = Int128(timescale)
    return Int64(clamping: (Int128(max(0, ticks)) * 100_000 + scale / 2) / scale)
  }

  /// Returns hundred thousandths of a second in ticks, rounded to the nearest.
  func ticks(hundredThousandths time: UInt32) -> Int64 {
    Int64(ticks: (Int128(time) * Int128(timescale) + 50_000) / 100_000)
  }

  /// Returns ticks in nanoseconds, rounded down.
  package func nanoseconds(_ ticks: Int64) -> Int64 {
    let product = Int128(ticks) * 1_000_000_000
    let scale = Int128(timescale)
    let quotient = product / scale
    return Int64(clamping: product < quotient * scale ? quotient - 1 : quotient)
  }
}
