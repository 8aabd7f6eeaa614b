internal import FootageBase

/// A day as a name gives it.
struct CalendarDay: Hashable, Sendable {
  let year: Int
  let month: Int
  let day: Int

  /// What lies outside of them is some other number.
  static let years = 2000...2100

  /// The seconds since 1970 that a name may tell: 2015, before which no clock was set, to 2100.
  static let unixSeconds = Int(TimeWitnesses.plausibleUnixSeconds)...4_102_444_799

  /// - Returns: nil where there is no such day.
  init?(year: Int, month: Int, day: Int) {
    guard CivilTime(year: year, month: month, day: day, hour: 0, minute: 0, second: 0) != nil else { return nil }
    self.year = year
    self.month = month
    self.day = day
  }

  /// Takes `2026-11-20`, `20261120`, `2026/11/20`, or day first, `20_11_2026`, with separators then.
  init?(_ scanner: inout NameScanner) {
    var ahead = scanner
    if let year = ahead.number(digits: 4, Self.years) {
      ahead.skip(oneOf: "-_.:/")
      if let month = ahead.number(digits: 2, 1...12) {
        ahead.skip(oneOf: "-_.:/")
        if let date = ahead.number(digits: 2, 1...31), let day = CalendarDay(year: year, month: month, day: date) {
          self = day
          scanner = ahead
          return
        }
      }
    }
    self.init(dayFirst: &scanner)
  }

  /// Takes `20_11_2026`.
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
