/// The rules for cutting films, with times in milliseconds. A segment ends at the first closed key frame after
/// `target`, or after `patience` at the first key frame of any kind. Without a key frame, it ends at any frame: in a
/// growing recording before the segment exceeds `longest`, in a complete one after it has reached `longest`.
///
/// The segments of a growing recording and of the complete one have the same numbers and bytes, provided that key
/// frames are frequent enough.
struct FilmRules: Hashable, Sendable {
  let target: Int64 = 6_000
  let patience: Int64 = 10_000
  let longest: Int64
  /// True if more samples may follow.
  var isGrowing = false
  /// The shortest block that ends at a key frame, in milliseconds.
  var shortestBlock: Int64 = 500
  /// The time after which a block ends at any frame if there is no key frame, in milliseconds.
  let longestBlock: Int64 = 10_000
  /// The time by which sound may be behind the pictures while a recording grows, in milliseconds. Sound that is later
  /// than this is not waited for.
  let soundPatience: Int64 = 10_000
  /// The largest number of a track's samples in a block.
  let blockSamples = 4_096
  /// The number of bytes of samples after which a segment is cut at any frame.
  let segmentBytes: UInt64 = 1 << 30

  /// The rules for a complete recording. A group of pictures of up to a minute stays in one segment. A recording
  /// without key frames is cut every minute.
  static let whole = FilmRules(longest: 60_000)
  /// The rules of `whole` with a block for each key frame. They apply if each key frame must be searched for parameter
  /// sets, because a block's row holds the result for only one key frame.
  static let eachKeyFrame = FilmRules(longest: 60_000, shortestBlock: 0)
  /// The rules for a growing recording. Playlists state the limit for a segment's duration before the segments exist.
  static let growing = FilmRules(longest: 12_000, isGrowing: true)
  /// The rules of `growing` with a block for each key frame.
  static let growingByKeyFrame = FilmRules(longest: 12_000, isGrowing: true, shortestBlock: 0)
}
