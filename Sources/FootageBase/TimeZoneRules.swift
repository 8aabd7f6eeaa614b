/// The rules of a time zone, which say what its clocks show at each moment.
///
/// They consist of the offsets from UTC over time, and of a rule for the years after the last known change.
package struct TimeZoneRules: Hashable, Sendable {
  /// The name in the time zone database (`Europe/Berlin`), or the rule itself.
  package let name: String
  /// The seconds since 1970 at which the offset changes, in order.
  private let transitions: [Int64]
  /// The offsets in seconds east of Greenwich: first the one before the first transition, then one from each transition
  /// on.
  private let offsets: [Int32]
  /// The rule from the last transition on; nil if the last offset lasts.
  private let rule: POSIXTimeZone?

  /// - Parameter offsets: one more than there are transitions.
  init(name: String, transitions: [Int64], offsets: [Int32], rule: POSIXTimeZone?) {
    self.name = name
    self.transitions = transitions
    self.offsets = offsets
    self.rule = rule
  }

  /// Creates a zone in which this rule has always applied.
  package init(name: String, rule: POSIXTimeZone) {
    self.init(name: name, transitions: [], offsets: [], rule: rule)
  }

  package static let utc = TimeZoneRules(name: "UTC", transitions: [], offsets: [0], rule: nil)

  /// Returns the offset in seconds east of Greenwich. Takes O(log n).
  package func offsetSeconds(at unixSeconds: Int64) -> Int {
    let moment = min(max(unixSeconds, Self.earliest), Self.latest)
    var (low, high) = (0, transitions.count)
    while low < high {
      let middle = (low + high) / 2
      if transitions[middle] <= moment { low = middle + 1 } else { high = middle }
    }
    if low == transitions.count, let rule { return rule.offsetSeconds(at: moment) }
    return low < offsets.count ? Int(offsets[low]) : 0
  }

  /// Returns what the clocks show, clamped to the years 1 to 9999.
  package func civilTime(at unixSeconds: Int64) -> CivilTime {
    let moment = min(max(unixSeconds, Self.earliest), Self.latest)
    return CivilTime(unixSeconds: moment + Int64(offsetSeconds(at: moment)))
  }

  /// The moments at which the clocks show a time.
  package enum Reading: Hashable, Sendable {
    case once(Int64)
    /// The clocks show the time twice, because an hour is repeated.
    case twice(first: Int64, second: Int64)
    /// The clocks skip the time; `next` is the first moment after the gap.
    case never(next: Int64)
  }

  /// Returns the moments at which the clocks show a time, in seconds since 1970.
  package func reading(of time: CivilTime) -> Reading {
    let local = time.unixSeconds
    // No zone changes its clocks twice within two days, or by more than one day.
    let (before, after) = (local - 86_400, local + 86_400)
    let (offsetBefore, offsetAfter) = (offsetSeconds(at: before), offsetSeconds(at: after))
    let first = local - Int64(max(offsetBefore, offsetAfter))
    let second = local - Int64(min(offsetBefore, offsetAfter))
    let isFirst = first + Int64(offsetSeconds(at: first)) == local
    let isSecond = second + Int64(offsetSeconds(at: second)) == local
    switch (isFirst, isSecond) {
    case (true, true): return first == second ? .once(first) : .twice(first: first, second: second)
    case (true, false): return .once(first)
    case (false, true): return .once(second)
    case (false, false): return .never(next: change(from: offsetBefore, in: before..<after))
    }
  }

  /// Returns the first moment in the range at which the offset differs from `offset`.
  private func change(from offset: Int, in range: Range<Int64>) -> Int64 {
    var (low, high) = (range.lowerBound, range.upperBound)
    while low < high {
      let middle = low + (high - low) / 2
      if offsetSeconds(at: middle) == offset { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Returns the moment at which the clocks show a time, in seconds since 1970. In a repeated hour it is the moment
  /// nearer to `witness`, or the first one without a witness. In a skipped hour it is the first moment after the gap.
  package func unixSeconds(of time: CivilTime, nearestTo witness: Int64? = nil) -> Int64 {
    switch reading(of: time) {
    case .once(let moment): return moment
    case .never(let next): return next
    case .twice(let first, let second):
      guard let witness else { return first }
      // Adding the two could overflow; the midpoint is computed from their small difference.
      return witness > first + (second - first) / 2 ? second : first
    }
  }

  /// The first second of year 1. With `latest` it limits moments to the years 1 to 9999.
  private static let earliest: Int64 = -62_135_596_800
  private static let latest: Int64 = 253_402_300_799
}
