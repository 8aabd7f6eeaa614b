internal import FootageBase

/// The mapping between presentation time and a track's media time, by its edit list (ISO/IEC 14496-12 §8.6.6).
struct PresentationTimes: Sendable {
  private struct Edit {
    /// The start in the presentation, in the movie's ticks.
    let start: UInt64
    /// The duration in the movie's ticks. 0 in the last edit means that the track is shown to its end.
    let duration: UInt64
    /// The start of the media in the track's ticks, or -1 for an empty edit.
    let mediaTime: Int64
  }

  private let edits: [Edit]
  private let movieTimescale: UInt32
  private let timescale: UInt32

  init(_ list: EditList, movieTimescale: UInt32, timescale: UInt32) {
    self.movieTimescale = movieTimescale
    self.timescale = timescale
    var start: UInt64 = 0
    edits = list.edits.map { edit in
      defer { start = min(start + edit.duration, UInt64(Limits.ticks)) }
      return Edit(start: start, duration: edit.duration, mediaTime: edit.mediaTime)
    }
  }

  /// A part of the presentation in which media time increases at a constant rate up to a value, and then stays the
  /// same.
  private struct Stretch {
    /// The start in the presentation, in the movie's ticks.
    var start: UInt64 = 0
    /// The media time at the start, in the track's ticks.
    var mediaTime: Int64 = 0
    /// The amount by which media time increases, in the track's ticks.
    var rise = Int128(Limits.ticks)
  }

  /// Returns the stretch that contains a time: an edit that is not empty, with the empty edits after it. Before the
  /// first such edit, the media time stays at that edit's start.
  ///
  /// - Parameter position: nanoseconds, times the movie's timescale.
  private func stretch(at position: Int128) -> Stretch {
    func start(_ index: Int) -> Int128 { Int128(edits[index].start) * 1_000_000_000 }
    var low = 0
    var high = edits.count
    while low < high {
      let middle = (low + high) / 2
      if start(middle) <= position { low = middle + 1 } else { high = middle }
    }
    // The first edit starts at 0.
    var index = max(0, low - 1)
    while index > 0, edits[index].mediaTime < 0 { index -= 1 }
    guard edits[index].mediaTime >= 0 else {
      let next = edits[min(low, edits.count)...].first { $0.mediaTime >= 0 }
      return Stretch(mediaTime: next?.mediaTime ?? 0, rise: 0)
    }
    let edit = edits[index]
    // A last edit of no length has no end. After the end of any other edit, media time stays at its last tick.
    let isOpen = edit.duration == 0 && index + 1 == edits.count
    let length = (Int128(edit.duration) * Int128(timescale) + Int128(movieTimescale) - 1) / Int128(movieTimescale)
    return Stretch(
      start: edit.start, mediaTime: edit.mediaTime,
      rise: isOpen ? Int128(Limits.ticks) : min(max(0, length - 1), Int128(Limits.ticks)))
  }

  private var showsAnything: Bool { edits.contains { $0.mediaTime >= 0 } }

  /// Returns the media time that is shown at a presentation time, rounded down to a tick.
  ///
  /// In an empty edit, it is the media time that was shown last, or the first one that will be shown. After the end, it
  /// is the last one.
  func mediaTime(at time: DecimalSeconds) -> Int64 {
    guard showsAnything else { return Int64(time.ticks(of: timescale)) }
    // The product is below 10^18 times 2^32.
    let position = Int128(time.nanoseconds) * Int128(movieTimescale)
    let stretch = stretch(at: position)
    // The product is below 2^60 times 2^32 times 2^32.
    let elapsed =
      (position - Int128(stretch.start) * 1_000_000_000) * Int128(timescale)
      / (1_000_000_000 * Int128(movieTimescale))
    return stretch.mediaTime + Int64(min(elapsed, stretch.rise))
  }

  /// Returns the time at which a media time is shown, by the first edit that is not empty. The result is in the track's
  /// ticks from the beginning of the presentation, rounded to the nearest. It is negative for media before that edit.
  func presentationTime(of mediaTime: Int64) -> Int64 {
    guard let edit = edits.first(where: { $0.mediaTime >= 0 }) else { return mediaTime }
    let product = Int128(edit.start) * Int128(timescale)
    let start = (product + Int128(movieTimescale) / 2) / Int128(movieTimescale)
    return mediaTime - edit.mediaTime + Int64(min(start, Int128(Limits.ticks)))
  }
}
