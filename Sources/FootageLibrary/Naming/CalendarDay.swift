internal import FootageBase

/// A calendar day in a name.
struct CalendarDay: Hashable, Sendable {
  let year: Int
  let month: Int
  let day: Int

  /// The years that a name may contain. A number outside this range is not a year.
  static let years = 2000...2100

  /// The seconds since 1970 that a name may contain: from 2015, because a clock that shows an earlier time was never
  /// set, to 2100.
  static let unixSeconds = Int(TimeWitnesses.plausibleUnixSeconds)...4_102_444_799

  /// - Returns: nil if there is no such day.
  init?(year: Int, month: Int, day: Int) {
    guard CivilTime(year: year, month: month, day: day, hour: 0, minute: 0, second: 0) != nil else { return nil }
    self.year = year
    self.month = month
    self.day = day
  }

  /// Reads `2026-11-20`, `20261120`, `2026/11/20`, `2026Y11M20D`, or `20_11_2026`. With the day first, separators are
  /// required.
  init?(_ scanner: inout NameScanner) {
    var ahead = scanner
    if let year = ahead.number(digits: 4, Self.years) {
      ahead.skip(oneOf: "-_.:/Yy")
      if let month = ahead.number(digits: 2, 1...12) {
        ahead.skip(oneOf: "-_.:/Mm")
        if let date = ahead.number(digits: 2, 1...31), let day = CalendarDay(year: year, month: month, day: date) {
          ahead.skip(oneOf: "Dd")
          self = day
          scanner = ahead
          return
        }
      }
    }
    self.init(dayFirst: &scanner)
  }

  /// Reads `20_11_2026`.
  init?(dayFirst scanner: inout NameScanner) {
    var ahead = scanner
    guard let date = ahead.number(digits: 2, 1...31), ahead.skip(oneOf: "-_./"),
      let month = ahead.number(digits: 2, 1...12), ahead.skip(oneOf: "-_./"),
      let year = ahead.number(digits: 4, Self.years), let day = CalendarDay(year: year, month: month, day: date)
    else { return nil }
    self = day
    scanner = ahead
  }
}
