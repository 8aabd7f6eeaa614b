/// The picture that an edit list cuts in two, because the edit begins after it does.
///
/// Players disagree about it: some show the rest of it, and others begin with the next picture, at the wrong time. So it
/// is written as if it began with the edit.
struct CutPicture {
  private let time: Int64
  /// The number of the picture from 0, or nil before one was found.
  private(set) var sample: Int?
  /// The time at which it begins, in the track's ticks.
  private(set) var mediaTime = Int64.min

  /// - Parameter time: the beginning of the edit, in the track's ticks.
  init(_ time: Int64) { self.time = time }

  /// The longest time, in seconds, by which a picture comes later. A picture from before a gap stays where it is.
  private static let longestDelay: Int64 = 10
  /// The largest composition offset that players accept, in ticks: FFmpeg ignores all offsets of a track if one is
  /// larger.
  private static let largestOffset: Int64 = 1 << 27

  /// Returns the largest number of ticks by which a picture comes later.
  static func longestDelay(in timescale: UInt32) -> Int64 {
    min(longestDelay * Int64(timescale), largestOffset)
  }

  /// Looks at a picture. Of two that begin at the same time, the later one is shown.
  mutating func look(at sample: Int, mediaTime: Int64) {
    guard mediaTime <= time, mediaTime >= self.mediaTime else { return }
    (self.sample, self.mediaTime) = (sample, mediaTime)
  }

  /// Divides a run of equal composition offsets at the sample that comes later.
  ///
  /// - Parameters:
  ///   - run: the numbers of the run's samples, from 0.
  ///   - value: the offset of each of them.
  ///   - sample: the number of the sample that comes later by so many ticks.
  /// - Returns: the parts of the run, of which none is empty.
  static func divide(
    _ run: Range<Int>, _ value: UInt32, at sample: Int, by ticks: Int64
  ) -> [(count: Int, value: UInt32)] {
    guard run.contains(sample) else { return run.isEmpty ? [] : [(run.count, value)] }
    let later = UInt32(bitPattern: Int32(clamping: Int64(Int32(bitPattern: value)) + ticks))
    return [(sample - run.lowerBound, value), (1, later), (run.upperBound - sample - 1, value)].filter { $0.0 > 0 }
  }
}
