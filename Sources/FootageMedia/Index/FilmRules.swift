/// The rules for cutting films, with times in milliseconds. A segment ends at the first closed key frame after
/// `target`, or after `patience` at the first key frame of any kind. In a complete recording, a group of pictures is cut
/// only if it would become too large for players. In a growing one, a segment ends at any frame before it exceeds
/// `longest`.
///
/// The segments of a growing recording and of the complete one have the same numbers and bytes, provided that key
/// frames are frequent enough.
struct FilmRules: Hashable, Sendable {
  let target: Int64 = 6_000
  let patience: Int64 = 10_000
  /// The longest segment of a growing recording, in milliseconds. Playlists state it before the segments exist.
  static let longestGrowing: Int64 = 12_000
  /// True if more samples may follow.
  var isGrowing = false
  /// The shortest block that ends at a key frame, in milliseconds.
  var shortestBlock: Int64 = 500
  /// The time after which a block ends at any frame if there is no key frame, in milliseconds.
  let longestBlock: Int64 = 10_000
  /// The longest time without a sample of any track, in milliseconds, that is shown. A longer one is left out of the
  /// film as a gap, unless all pictures are that far apart, or no decoder can begin after it.
  let longestPause: Int64 = 10_000
  /// The longest segment in which sound goes on after the last picture, in milliseconds.
  let longestStill: Int64 = 60_000
  /// The time by which sound may be behind the pictures while a recording grows, in milliseconds. Sound that is later
  /// than this is not waited for.
  let soundPatience: Int64 = 10_000
  /// The largest number of a track's samples in a block.
  let blockSamples = 4_096
  /// The number of bytes of samples, and the number of samples of the leading track, after which a segment is cut at
  /// any frame. Browsers hold little more than 100 MB.
  let segmentBytes: UInt64 = 128 << 20
  let segmentSamples = 1 << 16

  /// The rules for a complete recording.
  static let whole = FilmRules()
  /// The rules of `whole` with a block for each key frame. They apply if each key frame must be searched for parameter
  /// sets, because a block's row holds the result for only one key frame.
  static let eachKeyFrame = FilmRules(shortestBlock: 0)
  /// The rules for a growing recording.
  static let growing = FilmRules(isGrowing: true)
  /// The rules of `growing` with a block for each key frame.
  static let growingByKeyFrame = FilmRules(isGrowing: true, shortestBlock: 0)
}

extension FilmRules {
  /// The rules with times in ticks of the leading track.
  struct InTicks: Sendable {
    let isGrowing: Bool
    let target, patience, longest, shortestBlock, longestBlock, soundPatience, longestPause, longestStill: Int64
    let blockSamples, segmentSamples: Int
    let segmentBytes: UInt64

    init(_ rules: FilmRules, of timing: TrackTiming) {
      isGrowing = rules.isGrowing
      target = timing.ticks(milliseconds: rules.target)
      patience = timing.ticks(milliseconds: rules.patience)
      longest = timing.ticks(milliseconds: FilmRules.longestGrowing)
      shortestBlock = timing.ticks(milliseconds: rules.shortestBlock)
      longestBlock = timing.ticks(milliseconds: rules.longestBlock)
      soundPatience = timing.ticks(milliseconds: rules.soundPatience)
      longestPause = timing.ticks(milliseconds: rules.longestPause)
      longestStill = timing.ticks(milliseconds: rules.longestStill)
      blockSamples = rules.blockSamples
      segmentSamples = rules.segmentSamples
      segmentBytes = rules.segmentBytes
    }
  }
}
