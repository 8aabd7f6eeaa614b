/// The clock of a fragmented track's samples. A sample is normally at the time that its fragment claims, plus the
/// correction of the movie's clock. A gap before it makes the previous sample longer.
struct FragmentTimes: Sendable {
  /// The number of ticks a second, which is not 0.
  let timescale: UInt32
  /// The decoding time of the first sample, in ticks.
  private(set) var first: Int64 = 0
  /// The decoding time of the last sample, in ticks.
  private(set) var last: Int64 = 0
  /// The decoding time of the next sample, unless its fragment has a different one.
  private(set) var next: Int64 = 0
  /// The time that is added to the times of fragments, in nanoseconds, and the same in ticks.
  private(set) var correction: Int128 = 0
  private var correctionTicks: Int128 = 0
  private(set) var isEmpty = true
  /// The duration that the sample before the last one claims, and the longest such duration of any sample before the
  /// last one.
  private var previousDuration: UInt32 = 0
  private var longestDuration: UInt32 = 0
  private var lastDuration: UInt32 = 0
  /// The number of ticks by which the next sample is later than its fragment claims. The following durations become
  /// shorter by as much.
  private var delay: Int64 = 0
  /// True if a run claimed to begin long before the last sample or more than a day after it, and the movie's clock did
  /// not know.
  private(set) var wasSet = false
  /// True if a sample claimed to last longer than any gap that stays.
  private(set) var isMended = false

  /// The longest duration of a sample that is believed, in ticks. It is that of the longest gap that stays.
  private let longestClaim: UInt32

  init(timescale: UInt32) {
    self.timescale = timescale
    longestClaim = UInt32(clamping: Int64(timescale) * Int64(FragmentClock.longestGapSeconds))
  }

  /// Sets the time that is added to the times of the following fragments, in nanoseconds.
  mutating func correct(by nanoseconds: Int128) {
    correction = nanoseconds
    correctionTicks = rounded(nanoseconds)
  }

  /// Returns the time of this clock for a time that a fragment claims. A claim may be any number of 64 bits. The result
  /// is clamped far beyond any recording, so that no sum comes near 2^63.
  private func corrected(_ claimed: Int64) -> Int64 {
    let limit = Int128(2 * Limits.ticks)
    return Int64(clamping: min(max(Int128(claimed) + correctionTicks, -limit), limit))
  }

  /// Goes to the start time that a fragment claims. If that is a little before the last sample, the next one follows
  /// that directly.
  ///
  /// - Parameter decodeTime: the claimed time, or nil if the fragment has none.
  /// - Returns: the resulting duration of the previous sample in ticks, or nil if that keeps its own duration.
  mutating func seek(to decodeTime: Int64?) -> Int64? {
    guard !isEmpty else {
      first = decodeTime.map(corrected) ?? 0
      last = first
      next = first
      return nil
    }
    guard let decodeTime else { return nil }
    var time = corrected(decodeTime)
    guard time != next else { return nil }
    // A second track fragment of the same track has not passed the movie's clock.
    guard isInOrder(decodeTime), time - last <= Int64(FragmentClock.longestGapSeconds) * Int64(timescale) else {
      wasSet = true
      return nil
    }
    delay = 0
    if time < last {
      delay = last + 1 - time
      time = last + 1
    }
    next = time
    return time - last
  }

  /// Advances the clock by one sample of a fragment. If that claims to last longer than a day, it lasts as long as the
  /// sample before it.
  ///
  /// - Parameter claimed: the duration that the sample claims.
  /// - Returns: the decoding time of the sample and its duration, in ticks.
  @inline(__always)
  mutating func append(duration claimed: UInt32) -> (time: Int64, duration: UInt32) {
    guard claimed > longestClaim else { return pass(duration: claimed) }
    isMended = true
    return pass(duration: min(lastDuration, longestClaim))
  }

  /// Advances the clock by one sample.
  ///
  /// - Parameter claimed: the duration of the sample.
  /// - Returns: the decoding time of the sample and its duration, in ticks.
  @inline(__always)
  mutating func pass(duration claimed: UInt32) -> (time: Int64, duration: UInt32) {
    isEmpty = false
    var duration = claimed
    if delay > 0 {
      let shorter = UInt32(min(delay, Int64(claimed) - min(Int64(claimed), 1)))
      duration -= shorter
      delay -= Int64(shorter)
    }
    longestDuration = max(longestDuration, lastDuration)
    previousDuration = lastDuration
    lastDuration = duration
    last = next
    // The sum is at most 50 million times 2^32, which is far below 2^63.
    next += Int64(duration)
    return (last, duration)
  }

  /// Advances the clock by equal samples, of which none has to become shorter.
  private mutating func append(duration claimed: UInt32, count: Int) -> UInt32 {
    let duration = append(duration: claimed).duration
    guard count > 1 else { return duration }
    longestDuration = max(longestDuration, duration)
    previousDuration = duration
    // The product is at most `Limits.equalSampleTicks`.
    last += Int64(count - 1) * Int64(duration)
    next = last + Int64(duration)
    return duration
  }

  /// True if the last sample claims a duration that no recorder means: more than ten seconds, and more than ten times
  /// that of any sample before it.
  var isLastDurationWild: Bool {
    longestDuration > 0 && lastDuration / 10 > timescale && lastDuration / 10 > longestDuration
  }

  /// The end of the last sample, in ticks. A sample with a wild duration lasts as long as the one before it.
  var end: Int64 { last + Int64(isLastDurationWild ? previousDuration : lastDuration) }

  /// Returns a time of this track in nanoseconds.
  func nanoseconds(_ ticks: Int64) -> Int128 { Int128(ticks) * 1_000_000_000 / Int128(timescale) }

  /// Returns the time between what a fragment claims and the end of the last sample, in nanoseconds. It is negative if
  /// the fragment claims to begin before that end.
  func gap(before decodeTime: Int64, correction: Int128) -> Int128 {
    nanoseconds(decodeTime) + correction - nanoseconds(end)
  }

  /// Returns true if a fragment at this time would begin after the last sample does, or almost: some recorders claim
  /// longer durations than their samples have.
  func isInOrder(_ decodeTime: Int64) -> Bool { last - corrected(decodeTime) <= Int64(timescale) / 25 }

  /// Returns nanoseconds in ticks, rounded to the nearest. The result is clamped.
  func ticks(_ nanoseconds: Int128) -> Int64 { Int64(clamping: rounded(nanoseconds)) }

  private func rounded(_ nanoseconds: Int128) -> Int128 {
    // The time between two claims is below 2^95 nanoseconds, so that the product is below 2^127.
    let product = nanoseconds * Int128(timescale)
    return (product + (product < 0 ? -500_000_000 : 500_000_000)) / 1_000_000_000
  }
}

extension FragmentTimes {
  /// Advances the clock by all samples of a run.
  mutating func pass(_ run: TrackRun, in buffer: BoxBuffer) {
    guard run.count > 0 else { return }
    _ = seek(to: run.decodeTime)
    append(run, in: buffer) { _, _, _ in }
  }

  /// Advances the clock by all samples of a run, and passes them to `body` in order: equal ones together.
  @inline(__always)
  mutating func append(
    _ run: TrackRun, in buffer: BoxBuffer, _ body: (_ sample: TrackRun.Sample, _ duration: UInt32, _ count: Int) -> Void
  ) {
    var times = self
    if let sample = run.commonSample {
      var left = run.count
      while left > 0, times.delay > 0 {
        body(sample, times.append(duration: sample.duration).duration, 1)
        left -= 1
      }
      if left > 0 { body(sample, times.append(duration: sample.duration, count: left), left) }
    } else {
      run.forEachSample(in: buffer) { body($0, times.append(duration: $0.duration).duration, 1) }
    }
    self = times
  }
}
