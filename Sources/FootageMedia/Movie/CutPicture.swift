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

  /// Passes the runs of a track's composition offsets to `write`, with that of one sample enlarged.
  ///
  /// - Parameters:
  ///   - sample: the number of the sample, from 0.
  ///   - count: the number of samples. Those that no run counts have no offset.
  ///   - forEachRun: passes the present runs to its argument.
  static func delay(
    _ sample: Int, by ticks: Int64, of count: Int, _ forEachRun: ((_ count: Int, _ value: UInt32) -> Void) -> Void,
    _ write: (_ count: Int, _ value: UInt32) -> Void
  ) {
    var done = 0
    func split(_ count: Int, _ value: UInt32) {
      guard count > 0 else { return }
      let place = sample - done
      done += count
      guard (0..<count).contains(place) else { return write(count, value) }
      if place > 0 { write(place, value) }
      write(1, UInt32(bitPattern: Int32(clamping: Int64(Int32(bitPattern: value)) + ticks)))
      if place + 1 < count { write(count - place - 1, value) }
    }
    forEachRun { split(min($0, count - done), $1) }
    split(count - done, 0)
  }
}
