/// The rules for cutting films, with times in milliseconds. A segment ends at the first closed key frame from `target`
/// on, and from `patience` on at any key frame. If none comes, it ends at any frame: in a growing recording before the
/// segment exceeds `longest`, in a whole one when it has reached `longest`.
///
/// The segments of a growing recording and of the whole one have the same numbers and bytes as long as key frames come
/// in time.
struct FilmRules: Hashable, Sendable {
  let target: Int64 = 6_000
  let patience: Int64 = 10_000
  let longest: Int64
  /// True if more samples may follow.
  var isGrowing = false
  /// The shortest block that ends at a key frame, in milliseconds.
  var shortestBlock: Int64 = 500
  /// The time after which a block ends at any frame if no key frame comes, in milliseconds.
  let longestBlock: Int64 = 10_000
  /// The time by which sound may be behind the pictures while a recording grows, in milliseconds. Later sound is not
  /// waited for.
  let soundPatience: Int64 = 10_000
  /// The largest number of a track's samples in a block.
  let blockSamples = 4_096
  /// The number of bytes of samples after which a segment is cut at any frame.
  let segmentBytes: UInt64 = 1 << 30

  /// The rules for a whole recording. A long group of pictures is one segment. A recording without key frames is cut
  /// every minute.
  static let whole = FilmRules(longest: 60_000)
  /// The rules of `whole` with a block for each key frame. They apply if each key frame has to be searched for
  /// parameter sets, because a block's row holds the result for only one.
  static let eachKeyFrame = FilmRules(longest: 60_000, shortestBlock: 0)
  /// The rules for a growing recording. Viewers get the limit for a segment's duration before the segments exist.
  static let growing = FilmRules(longest: 12_000, isGrowing: true)
  /// The rules of `growing` with a block for each key frame.
  static let growingByKeyFrame = FilmRules(longest: 12_000, isGrowing: true, shortestBlock: 0)
}
