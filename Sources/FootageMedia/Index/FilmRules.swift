/// Where films are cut, in milliseconds: at the first closed key frame from `target` on, from `patience` on at any key
/// frame, and where none comes, at any frame before a segment lasts longer than `longest`.
///
/// Segments of what grows and of what is whole have the same numbers and bytes for as long as a key frame comes in time.
struct FilmRules: Hashable, Sendable {
  let target: Int64 = 6_000
  let patience: Int64 = 10_000
  let longest: Int64
  /// Whether more may come than there is.
  var isGrowing = false
  /// Blocks begin with key frames that are at least so far apart,
  var shortestBlock: Int64 = 500
  /// and, where none comes, with any frame.
  let longestBlock: Int64 = 10_000
  /// Of sound that is so far behind the pictures nobody waits for, as long as a recording grows.
  let soundPatience: Int64 = 10_000
  /// How many samples of a track a block has at most.
  let blockSamples = 4_096
  /// How many bytes of samples a segment has at most before it is cut at any frame.
  let segmentBytes: UInt64 = 1 << 30

  /// Of a whole recording: a long group of pictures is one segment, and what has no key frames at all is cut each minute.
  static let whole = FilmRules(longest: 60_000)
  /// The same, with a block for each key frame: where each has to be looked into, its row says what was found.
  static let eachKeyFrame = FilmRules(longest: 60_000, shortestBlock: 0)
  /// Of one that grows: its viewers were told how long a segment may be before that was known.
  static let growing = FilmRules(longest: 12_000, isGrowing: true)
  /// The same, with a block for each key frame.
  static let growingByKeyFrame = FilmRules(longest: 12_000, isGrowing: true, shortestBlock: 0)
}
