/// The clock of a fragmented track's samples. The first sample of a fragment normally has the time that the fragment
/// states. A gap before it makes the previous sample longer. If the stated time is implausible, the sample follows the
/// previous one directly.
struct FragmentTimes: Sendable {
  /// The decoding time of the first sample, in ticks.
  private(set) var first: Int64 = 0
  /// The decoding time of the last sample, in ticks.
  private var last: Int64 = 0
  /// The decoding time of the next sample, unless its fragment states a different one.
  private(set) var next: Int64 = 0
  /// The number of ticks that is added to the times of fragments, after these went backward or jumped too far.
  private var correction: Int64 = 0
  private var isEmpty = true
  private(set) var hasBrokenTimes = false

  /// Moves the clock to the start time that a fragment states.
  ///
  /// - Parameter decodeTime: the stated time, or nil if the fragment has none.
  /// - Returns: the resulting duration of the previous sample, or nil if that keeps its own duration.
  mutating func seek(to decodeTime: Int64?) -> UInt32? {
    guard !isEmpty else {
      first = decodeTime ?? 0
      last = first
      next = first
      return nil
    }
    guard let decodeTime, decodeTime + correction != next else { return nil }
    let gap = decodeTime + correction - last
    guard gap >= 0, gap <= Int64(Int32.max) else {
      // The recorder's clock was set, so the following samples continue right after the previous ones.
      correction = next - decodeTime
      hasBrokenTimes = true
      return nil
    }
    next = last + gap
    return UInt32(gap)
  }

  /// Advances the clock by one sample.
  ///
  /// - Returns: the decoding time of the sample, in ticks.
  @inline(__always)
  mutating func append(duration: UInt32) -> Int64 {
    isEmpty = false
    last = next
    // The sum is at most 50 million times 2^32, which is far below 2^63.
    next += Int64(duration)
    return last
  }
}
