/// Where the samples of a fragmented track stand in time, as they come: at the time that their fragment says, after a
/// gap that makes the sample before last longer, or right behind it where that time makes no sense.
struct FragmentTimes: Sendable {
  /// Decoding time of the first sample, in ticks.
  private(set) var first: Int64 = 0
  /// Of the last one.
  private var last: Int64 = 0
  /// Where the next one stands unless its fragment says otherwise.
  private(set) var next: Int64 = 0
  /// Added to the times of fragments, after they went back or too far.
  private var correction: Int64 = 0
  private var isEmpty = true
  private(set) var hasBrokenTimes = false

  /// Goes to where a fragment says that it begins.
  ///
  /// - Parameter decodeTime: nil where it does not say.
  /// - Returns: how long the sample before lasts by that; nil where it lasts as long as it said.
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
      // The recorder's clock was set: what follows goes on where the recording stood.
      correction = next - decodeTime
      hasBrokenTimes = true
      return nil
    }
    next = last + gap
    return UInt32(gap)
  }

  /// Goes on by a sample.
  ///
  /// - Returns: when it is decoded, in ticks.
  @inline(__always)
  mutating func append(duration: UInt32) -> Int64 {
    isEmpty = false
    last = next
    // At most 50 million times 2^32: far below 2^63.
    next += Int64(duration)
    return last
  }
}
