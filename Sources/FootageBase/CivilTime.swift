/// A moment as people write it: from year to second, in UTC, in the Gregorian calendar.
package struct CivilTime: Hashable, Sendable {
  package var year: Int
  /// The month, from 1 to 12.
  package var month: Int
  /// The day of the month, from 1 to 31.
  package var day: Int
  /// The hour, from 0 to 23.
  package var hour: Int
  /// The minute, from 0 to 59.
  package var minute: Int
  /// The second, from 0 to 60. A leap second, 60, is the first second of the next minute.
  package var second: Int

  /// - Returns: nil if no such day or time exists.
  package init?(year: Int, month: Int, day: Int, hour: Int, minute: Int, second: Int) {
    guard (1...9999).contains(year), (1...12).contains(month),
      (1...Self.days(inMonth: month, year: year)).contains(day), (0...23).contains(hour), (0...59).contains(minute),
      (0...60).contains(second)
    else { return nil }
    self.year = year
    self.month = month
    self.day = day
    self.hour = hour
    self.minute = minute
    self.second = second
  }

  /// - Parameter unixSeconds: seconds since 1970-01-01T00:00:00Z, clamped to the years 1 to 9999.
  package init(unixSeconds: Int64) {
    let seconds = min(max(unixSeconds, -62_135_596_800), 253_402_300_799)
    let days = Int(seconds >= 0 ? seconds / 86_400 : (seconds - 86_399) / 86_400)
    let rest = Int(seconds) - days * 86_400
    // The civil calendar from a day count: years are treated as if they began in March, so that the leap day comes
    // last.
    let shifted = days + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
    month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    hour = rest / 3_600
    minute = rest / 60 % 60
    second = rest % 60
  }

  /// The number of seconds since 1970-01-01T00:00:00Z.
  package var unixSeconds: Int64 {
    Int64(daysSinceEpoch) * 86_400 + Int64(hour * 3_600 + minute * 60 + second)
  }

  /// The day of the week; 0 is Sunday.
  package var weekday: Int { ((daysSinceEpoch + 4) % 7 + 7) % 7 }

  private var daysSinceEpoch: Int {
    let shiftedYear = month <= 2 ? year - 1 : year
    let era = (shiftedYear >= 0 ? shiftedYear : shiftedYear - 399) / 400
    let yearOfEra = shiftedYear - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }

  private static func days(inMonth month: Int, year: Int) -> Int {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }
}

extension CivilTime {
  /// The time as RFC 3339 §5.6 writes it, in UTC: `2026-11-20T10:15:30Z`.
  package var rfc3339: String { text { $0.append(rfc3339: self, thenZ: true) } }

  /// The date, as in `2026-11-20`.
  package var dateText: String { text { $0.append(date: self) } }

  /// The time of day, as in `10:15:30`.
  package var timeText: String { text { $0.append(time: self) } }

  private func text(_ make: (inout [UInt8]) -> Void) -> String {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(24)
    make(&bytes)
    return String(decoding: bytes, as: UTF8.self)
  }
}

extension [UInt8] {
  /// Appends `2026-11-20T10:15:30`, and `Z` if no fraction follows.
  mutating func append(rfc3339 time: CivilTime, thenZ isWhole: Bool) {
    append(date: time)
    append(UInt8(ascii: "T"))
    append(time: time)
    if isWhole { append(UInt8(ascii: "Z")) }
  }

  fileprivate mutating func append(date: CivilTime) {
    append(decimal: Int64(date.year), digits: 4)
    append(UInt8(ascii: "-"))
    append(decimal: Int64(date.month), digits: 2)
    append(UInt8(ascii: "-"))
    append(decimal: Int64(date.day), digits: 2)
  }

  fileprivate mutating func append(time: CivilTime) {
    append(decimal: Int64(time.hour), digits: 2)
    append(UInt8(ascii: ":"))
    append(decimal: Int64(time.minute), digits: 2)
    append(UInt8(ascii: ":"))
    append(decimal: Int64(time.second), digits: 2)
  }
}
