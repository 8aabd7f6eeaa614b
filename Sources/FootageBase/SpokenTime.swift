/// A moment as a person types it: `yesterday 14:20`, `20 min ago`, `2026-11-20`.
///
/// It holds what was typed. The current time and the zone turn it into a moment.
package enum SpokenTime: Hashable, Sendable {
  package enum Day: Hashable, Sendable {
    /// The number of days ago: 0 is today, 1 is yesterday.
    case ago(Int)
    case date(year: Int, month: Int, day: Int)
  }

  package struct Clock: Hashable, Sendable {
    var hour: Int
    var minute: Int
    var second = 0
    var milliseconds = 0
  }

  /// A moment with its zone, as RFC 3339 writes it.
  case moment(UnixTimestamp)
  case day(Day)
  case time(Day, Clock)
  /// A time of day without a day.
  case clock(Clock)
  /// A number of milliseconds before now.
  case ago(Int64)

  /// Examples of what can be typed, for messages.
  package static let examples = "yesterday, 14:20, yesterday 14:20, 2026-11-20, 2026-11-20 14:20:05, 20 min ago"

  /// - Returns: nil if the text is not a time.
  package init?(_ text: String) {
    let lower = text.utf8.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 | 0x20 : $0 }
    var words = lower.split(separator: UInt8(ascii: " ")).map { Array($0) }
    if words.count == 1, let moment = UnixTimestamp(rfc3339: text), words[0].contains(UInt8(ascii: "t")) {
      self = .moment(moment)
      return
    }
    if words.count == 1, words[0].elementsEqual("now".utf8) {
      self = .ago(0)
      return
    }
    if let milliseconds = Self.milliseconds(ago: words) {
      self = .ago(milliseconds)
      return
    }
    // `2026-11-20T14:20` is also a day and a time.
    if words.count == 1, words[0].count > 11, words[0][10] == UInt8(ascii: "t") {
      words = [Array(words[0].prefix(10)), Array(words[0].dropFirst(11))]
    }
    switch words.count {
    case 1:
      if let day = Self.day(words[0]) {
        self = .day(day)
      } else if let clock = Self.clock(in: words[...]) {
        self = .clock(clock)
      } else {
        return nil
      }
    case 2, 3:
      if let clock = Self.clock(in: words[...]) {
        self = .clock(clock)
      } else if let day = Self.day(words[0]), let clock = Self.clock(in: words[1...]) {
        self = .time(day, clock)
      } else {
        return nil
      }
    default: return nil
    }
  }

  /// Returns the moment at which a stretch of time begins. A day begins with its first moment, and a time of day is the
  /// latest one in the past. If the clocks show a time twice, it is the first of the two.
  ///
  /// - Parameter zone: the zone of the person who typed it.
  package func beginning(now: UnixTimestamp, in zone: TimeZoneRules) -> UnixTimestamp {
    switch self {
    case .moment(let moment): return moment
    case .ago(let milliseconds): return now.advanced(byMilliseconds: -milliseconds)
    case .day(let day): return Self.moment(Self.date(day, now, zone), Clock(hour: 0, minute: 0), zone)
    case .time(let day, let clock): return Self.moment(Self.date(day, now, zone), clock, zone)
    case .clock(let clock):
      let today = Self.moment(Self.date(.ago(0), now, zone), clock, zone)
      return today <= now ? today : Self.moment(Self.date(.ago(1), now, zone), clock, zone)
    }
  }

  /// Returns the moment at which a stretch of time ends, which is no longer part of it. A day is included. A time of
  /// day is the first one after the beginning, or the latest one in the past if there is no beginning. If the clocks
  /// show a time twice, it is the second of the two, so that nothing that was asked for is cut off.
  package func end(after beginning: UnixTimestamp?, now: UnixTimestamp, in zone: TimeZoneRules) -> UnixTimestamp {
    switch self {
    case .day(let day):
      return Self.moment(Self.dayAfter(Self.date(day, now, zone)), Clock(hour: 0, minute: 0), zone)
    case .time(let day, let clock): return Self.moment(Self.date(day, now, zone), clock, zone, .second)
    case .clock(let clock):
      guard let beginning else {
        let today = Self.date(.ago(0), now, zone)
        // The first showing of a repeated hour decides. The second may be in the future, where there is nothing to cut
        // off.
        let hasBeen = Self.moment(today, clock, zone) <= now
        return Self.moment(hasBeen ? today : Self.date(.ago(1), now, zone), clock, zone, .second)
      }
      let first = zone.civilTime(at: beginning.seconds)
      let sameDay = Self.moment(first, clock, zone, .second)
      return sameDay > beginning ? sameDay : Self.moment(Self.dayAfter(first), clock, zone, .second)
    case .moment, .ago: return self.beginning(now: now, in: zone)
    }
  }

  // MARK: Calendar

  /// Returns a time on that day.
  private static func date(_ day: Day, _ now: UnixTimestamp, _ zone: TimeZoneRules) -> CivilTime {
    switch day {
    case .date(let year, let month, let day):
      return CivilTime(year: year, month: month, day: day, hour: 0, minute: 0, second: 0) ?? zone.civilTime(at: 0)
    case .ago(let days):
      // Days are counted by the calendar, since not every day has 24 hours.
      let today = zone.civilTime(at: now.seconds)
      return CivilTime(unixSeconds: today.unixSeconds - Int64(days) * 86_400)
    }
  }

  private static func dayAfter(_ time: CivilTime) -> CivilTime {
    CivilTime(unixSeconds: time.unixSeconds + 86_400)
  }

  /// A choice between two moments at which the clocks show the same time.
  private enum Reading { case first, second }

  /// Returns the moment at which the clocks show a time, or the first moment after the gap if the clocks skip it.
  private static func moment(
    _ date: CivilTime, _ clock: Clock, _ zone: TimeZoneRules, _ wanted: Reading = .first
  ) -> UnixTimestamp {
    var time = date
    (time.hour, time.minute, time.second) = (clock.hour, clock.minute, clock.second)
    switch zone.reading(of: time) {
    case .never(let next): return UnixTimestamp(seconds: next)
    case .once(let seconds): return UnixTimestamp(seconds: seconds, milliseconds: clock.milliseconds)
    case .twice(let first, let second):
      return UnixTimestamp(seconds: wanted == .first ? first : second, milliseconds: clock.milliseconds)
    }
  }

  // MARK: Reading

  private static func day(_ word: [UInt8]) -> Day? {
    if word.elementsEqual("today".utf8) { return .ago(0) }
    if word.elementsEqual("yesterday".utf8) { return .ago(1) }
    guard word.count == 10, let date = UnixTimestamp(rfc3339: String(decoding: word, as: UTF8.self)) else { return nil }
    let time = CivilTime(unixSeconds: date.seconds)
    return .date(year: time.year, month: time.month, day: time.day)
  }

  /// A half of the day on a twelve-hour clock.
  private enum Half: String, CaseIterable { case am, pm }

  /// Reads `14:20`; also `2:20 pm`, `2:20pm` and `2 pm`, in one word or two.
  private static func clock(in words: ArraySlice<[UInt8]>) -> Clock? {
    guard let first = words.first, let last = words.last, words.count <= 2 else { return nil }
    if words.count == 2 {
      guard let half = Half.allCases.first(where: { last.elementsEqual($0.rawValue.utf8) }) else { return nil }
      return clock(first[...], half)
    }
    let half = Half.allCases.first { first.suffix(2).elementsEqual($0.rawValue.utf8) }
    return clock(first.dropLast(half == nil ? 0 : 2), half)
  }

  /// Reads `14:20`, `9:05`, `14:20:05` or `14:20:05.250`; on a twelve-hour clock, also the hour alone.
  private static func clock(_ word: ArraySlice<UInt8>, _ half: Half?) -> Clock? {
    let parts = word.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
    guard ((half == nil ? 2 : 1)...3).contains(parts.count),
      var hour = number(parts[0], digits: 1...2, half == nil ? 0...23 : 1...12),
      let minute = parts.count == 1 ? 0 : number(parts[1], digits: 2...2, 0...59)
    else { return nil }
    // On a twelve-hour clock, 12 is the first hour of either half.
    if let half { hour = hour % 12 + (half == .pm ? 12 : 0) }
    var clock = Clock(hour: hour, minute: minute)
    if parts.count == 3 {
      let seconds = parts[2].split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
      guard (1...2).contains(seconds.count), let second = number(seconds[0], digits: 2...2, 0...59) else { return nil }
      clock.second = second
      if seconds.count == 2 {
        guard number(seconds[1], digits: 1...9, 0...999_999_999) != nil else { return nil }
        clock.milliseconds = UnixTimestamp.milliseconds(ofFraction: seconds[1])
      }
    }
    return clock
  }

  /// Reads `2h`, `20 min ago` or `90 s`: a number and a unit, in one word or two, with or without `ago`.
  private static func milliseconds(ago words: [[UInt8]]) -> Int64? {
    var words = words[...]
    if words.count > 1, let last = words.last, last.elementsEqual("ago".utf8) { words = words.dropLast() }
    let text = words.joined()
    let digits = text.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    let word = String(decoding: text.dropFirst(digits.count), as: UTF8.self)
    // The unit may be a separate word.
    guard words.count == 1 || (words.count == 2 && words.first?.count == digits.count),
      let number = number(Array(digits)[...], digits: 1...6, 0...999_999)
    else { return nil }
    let unit: Int64
    switch word {
    case "s", "sec", "secs", "second", "seconds": unit = 1
    case "m", "min", "mins", "minute", "minutes": unit = 60
    case "h", "hour", "hours": unit = 3_600
    case "d", "day", "days": unit = 86_400
    case "w", "week", "weeks": unit = 604_800
    default: return nil
    }
    return Int64(number) * unit * 1_000
  }

  private static func number(
    _ text: ArraySlice<UInt8>, digits: ClosedRange<Int>, _ allowed: ClosedRange<Int>
  ) -> Int? {
    guard digits.contains(text.count) else { return nil }
    var value = 0
    for byte in text {
      guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
      value = value * 10 + Int(byte - UInt8(ascii: "0"))
    }
    return allowed.contains(value) ? value : nil
  }
}
