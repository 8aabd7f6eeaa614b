/// The fragments of a growing recording since the last `take`, reduced to those that live viewers need: the last
/// seconds, and the fragments with which a decoder begins.
struct RecentFragments: Sendable {
  private var fragments: [FilmFragment] = []
  private var count = 0

  /// The number of added fragments after which those that are not needed are removed.
  private static let step = 256

  mutating func add(_ block: SampleBlock, of timing: TrackTiming) {
    count += 1
    let time = block.leading.first.map { timing.presentationTime(of: $0) }
    fragments.append(
      FilmFragment(
        number: count, time: time ?? fragments.last?.time ?? 0,
        beginsWithKeyFrame: block.leading.first?.isSync ?? false,
        samples: block))
    guard fragments.count.isMultiple(of: Self.step) else { return }
    fragments = Array(FilmFragment.useful(fragments[...], timescale: timing.timescale))
  }

  /// Returns all fragments since the last call.
  mutating func take() -> [FilmFragment] {
    defer { fragments = [] }
    return fragments
  }
}

extension FilmFragment {
  /// The number of seconds that live viewers need.
  private static let seconds: Int64 = 15
  /// The number of seconds by which the fragments may go back, at most, to begin with a key frame. `most` is the limit
  /// in fragments.
  private static let longest: Int64 = 60
  private static let most = 4_096

  /// Returns the fragments of a recording that live viewers need: the last seconds, and the fragments with which a
  /// decoder begins.
  ///
  /// - Parameter timescale: the timescale of the leading track.
  package static func useful(_ fragments: ArraySlice<FilmFragment>, timescale: UInt32) -> ArraySlice<FilmFragment> {
    guard let last = fragments.last else { return fragments }
    let scale = Int64(timescale)
    let start = fragments.firstIndex { $0.time >= last.time - seconds * scale } ?? fragments.startIndex
    let key = fragments[...start].lastIndex { $0.beginsWithKeyFrame } ?? fragments.startIndex
    let kept = fragments[key...].drop { $0.time < last.time - longest * scale }
    return kept.suffix(most)
  }
}
