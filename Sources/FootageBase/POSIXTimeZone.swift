/// A zone's rule for future years, as in the variable `TZ` and in the last line of a TZif file.
///
/// An example is `CET-1CEST,M3.5.0,M10.5.0/3` (IEEE Std 1003.1 §8.3 `TZ`, with the hours that RFC 9636 §3.3.2 adds).
package struct POSIXTimeZone: Hashable, Sendable {
  /// A day of the year on which the clocks change.
  private enum Day: Hashable, Sendable {
    /// `Jn`: day 1 to 365, not counting 29 February.
    case withoutLeapDay(Int)
    /// `n`: day 0 to 365.
    case zeroBased(Int)
    /// `Mm.w.d`: the weekday d (0 is Sunday) of week w of month m; week 5 is the last.
    case weekday(month: Int, week: Int, weekday: Int)
  }

  private struct Change: Hashable, Sendable {
    var day: Day
    /// The seconds after midnight by the clock in force before the change. They may reach into another day.
    var secondsOfDay: Int
  }

  private struct DaylightSaving: Hashable, Sendable {
    var offset: Int
    var start: Change
    var end: Change
  }

  /// The offset of standard time, in seconds east of Greenwich.
  private let standardOffset: Int
  private let daylight: DaylightSaving?

  /// - Returns: nil if the text is not a rule of this form.
  package init?(_ text: some StringProtocol) {
    var scanner = Scanner(Array(text.utf8))
    guard scanner.name(), let west = scanner.clock(hours: 24) else { return nil }
    standardOffset = -west
    if scanner.isAtEnd {
      daylight = nil
      return
    }
    guard scanner.name() else { return nil }
    var offset = standardOffset + 3_600
    if !scanner.isAtEnd, !scanner.isAt(",") {
      guard let west = scanner.clock(hours: 24) else { return nil }
      offset = -west
    }
    guard !scanner.isAtEnd else {
      // Without a rule the system may choose one; this is the C library's choice.
      daylight = DaylightSaving(
        offset: offset, start: Change(day: .weekday(month: 3, week: 2, weekday: 0), secondsOfDay: 7_200),
        end: Change(day: .weekday(month: 11, week: 1, weekday: 0), secondsOfDay: 7_200))
      return
    }
    guard let start = scanner.change(), let end = scanner.change(), scanner.isAtEnd else { return nil }
    daylight = DaylightSaving(offset: offset, start: start, end: end)
  }

  /// Returns the offset in seconds east of Greenwich.
  ///
  /// - Parameter unixSeconds: a moment within the years 1 to 9999.
  package func offsetSeconds(at unixSeconds: Int64) -> Int {
    guard let daylight else { return standardOffset }
    let year = CivilTime(unixSeconds: unixSeconds).year
    // The latest change so far decides. If summer time starts at the moment at which it ends, it continues.
    var (offset, latest) = (standardOffset, Int64.min)
    for year in (year - 1)...(year + 1) {
      let end = Self.moment(of: daylight.end, year: year).map { $0 - Int64(daylight.offset) }
      if let end, end <= unixSeconds, end > latest { (offset, latest) = (standardOffset, end) }
      let start = Self.moment(of: daylight.start, year: year).map { $0 - Int64(standardOffset) }
      if let start, start <= unixSeconds, start >= latest { (offset, latest) = (daylight.offset, start) }
    }
    return offset
  }

  /// Returns the moment of a change by the local clock, as if that were UTC; nil if it is outside the calendar.
  private static func moment(of change: Change, year: Int) -> Int64? {
    guard let newYear = CivilTime(year: year, month: 1, day: 1, hour: 0, minute: 0, second: 0)?.unixSeconds
    else { return nil }
    let day: Int64
    switch change.day {
    case .zeroBased(let number): day = newYear + Int64(number) * 86_400
    case .withoutLeapDay(let number):
      let isLeap = CivilTime(year: year, month: 2, day: 29, hour: 0, minute: 0, second: 0) != nil
      day = newYear + Int64(number - (number < 60 || !isLeap ? 1 : 0)) * 86_400
    case .weekday(let month, let week, let weekday):
      guard let first = CivilTime(year: year, month: month, day: 1, hour: 0, minute: 0, second: 0) else { return nil }
      var date = 1 + (weekday - first.weekday + 7) % 7 + (week - 1) * 7
      if CivilTime(year: year, month: month, day: date, hour: 0, minute: 0, second: 0) == nil { date -= 7 }
      day = first.unixSeconds + Int64(date - 1) * 86_400
    }
    return day + Int64(change.secondsOfDay)
  }

  /// Reads the rule from left to right.
  private struct Scanner {
    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var isAtEnd: Bool { position == bytes.count }

    func isAt(_ character: Unicode.Scalar) -> Bool {
      position < bytes.count && bytes[position] == UInt8(ascii: character)
    }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
      guard isAt(character) else { return false }
      position += 1
      return true
    }

    /// Skips a name such as `CEST` or `<+0330>`, of at least three characters. The name itself does not matter.
    mutating func name() -> Bool {
      let isQuoted = take("<")
      let start = position
      while position < bytes.count {
        let byte = bytes[position]
        let isLetter = (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
        let isSign = byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-")
        guard isLetter || (isQuoted && (isSign || Self.isDigit(byte))) else { break }
        position += 1
      }
      return position - start >= 3 && (!isQuoted || take(">"))
    }

    /// Reads `[+-]hh[:mm[:ss]]` and returns it in seconds.
    mutating func clock(hours: Int) -> Int? {
      let isNegative = take("-")
      if !isNegative { _ = take("+") }
      guard let hour = number(0...hours) else { return nil }
      var seconds = hour * 3_600
      for unit in [60, 1] where take(":") {
        guard let part = number(0...59) else { return nil }
        seconds += part * unit
      }
      return isNegative ? -seconds : seconds
    }

    /// Reads a change such as `,M3.5.0/2`.
    mutating func change() -> Change? {
      guard take(","), let day = day() else { return nil }
      guard take("/") else { return Change(day: day, secondsOfDay: 7_200) }
      return clock(hours: 167).map { Change(day: day, secondsOfDay: $0) }
    }

    private mutating func day() -> Day? {
      if take("M") {
        guard let month = number(1...12), take("."), let week = number(1...5), take("."), let weekday = number(0...6)
        else { return nil }
        return .weekday(month: month, week: week, weekday: weekday)
      }
      if take("J") { return number(1...365).map { .withoutLeapDay($0) } }
      return number(0...365).map { .zeroBased($0) }
    }

    /// Reads a number of one to three digits.
    private mutating func number(_ allowed: ClosedRange<Int>) -> Int? {
      let start = position
      var value = 0
      while position < bytes.count, position - start < 3, Self.isDigit(bytes[position]) {
        value = value * 10 + Int(bytes[position] - UInt8(ascii: "0"))
        position += 1
      }
      return position > start && allowed.contains(value) ? value : nil
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
  }
}
