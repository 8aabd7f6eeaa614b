internal import FootageBase

/// The number of samples a second of a track while samples come, whatever gaps are between them.
///
/// A duration is a gap if it is longer than a second and than five times the median duration.
struct SampleRate {
  /// The number of samples by duration, in ticks.
  private var counts: [UInt32: Int] = [:]
  private var total = 0

  /// The largest number of different durations that are counted. Further ones change the rate too little to matter.
  private static let mostDurations = 1 << 16

  mutating func add(_ count: Int, duration: UInt32) {
    guard count > 0, counts.count < Self.mostDurations || counts[duration] != nil else { return }
    counts[duration, default: 0] += count
    total += count
  }

  /// Returns the rate in samples a second, or nil if no sample has a duration.
  func rate(timescale: UInt32) -> Double? {
    let sorted = counts.sorted { $0.key < $1.key }
    var left = total / 2
    let median = sorted.first { entry in
      left -= entry.value
      return left < 0
    }
    guard let median else { return nil }
    let longest = max(UInt64(timescale), 5 * UInt64(median.key))
    var (samples, ticks) = (0.0, 0.0)
    for (duration, count) in sorted where UInt64(duration) <= longest {
      samples += Double(count)
      ticks += Double(count) * Double(duration)
    }
    return ticks > 0 ? samples * Double(timescale) / ticks : nil
  }
}

extension SampleRate {
  init(_ samples: SampleTable, in buffer: BoxBuffer) {
    let raw = buffer.bytes.borrowedSpan
    var cursor = RunCursor(samples.timeToSample)
    var left = samples.count
    while left > 0, let run = cursor.run(in: raw) {
      let count = min(run.count, left)
      add(count, duration: run.value)
      cursor.advance(by: count)
      left -= count
    }
  }

  init(_ samples: SampleTableBuilder) { samples.durations.forEach { add($0, duration: $1) } }
}
