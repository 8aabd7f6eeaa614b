/// What the fragments of a recording that grows have brought since somebody asked, as far as it is of use to those who
/// watch it live: the last seconds, and what is needed to begin with.
struct RecentFragments: Sendable {
  private var fragments: [FilmFragment] = []
  private var count = 0

  /// How many are added before those of no use are forgotten.
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

  /// All that were added since the last time.
  mutating func take() -> [FilmFragment] {
    defer { fragments = [] }
    return fragments
  }
}

extension FilmFragment {
  /// How far back, in seconds.
  private static let seconds: Int64 = 15
  /// How far back somebody may have to go for a key frame, in seconds, and in fragments.
  private static let longest: Int64 = 60
  private static let most = 4_096

  /// Of the fragments of a recording, those that are of use to those who watch it live: the last seconds, and what is
  /// needed to begin with.
  ///
  /// - Parameter timescale: of the leading track.
  package static func useful(_ fragments: ArraySlice<FilmFragment>, timescale: UInt32) -> ArraySlice<FilmFragment> {
    guard let last = fragments.last else { return fragments }
    let scale = Int64(timescale)
    let start = fragments.firstIndex { $0.time >= last.time - seconds * scale } ?? fragments.startIndex
    let key = fragments[...start].lastIndex { $0.beginsWithKeyFrame } ?? fragments.startIndex
    let kept = fragments[key...].drop { $0.time < last.time - longest * scale }
    return kept.suffix(most)
  }
}
