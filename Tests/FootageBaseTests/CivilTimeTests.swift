import FootageBase
import Testing

@Suite struct CivilTimeTests {
  @Test(
    arguments: [
      (0, "1970-01-01T00:00:00Z", 4), (1_795_169_730, "2026-11-20T10:15:30Z", 5), (-1, "1969-12-31T23:59:59Z", 3),
      (951_782_399, "2000-02-28T23:59:59Z", 1), (951_782_400, "2000-02-29T00:00:00Z", 2),
      (1_709_164_800, "2024-02-29T00:00:00Z", 4), (4_107_542_399, "2100-02-28T23:59:59Z", 0),
      (4_107_542_400, "2100-03-01T00:00:00Z", 1), (-2_203_891_200, "1900-03-01T00:00:00Z", 4),
      (-62_135_596_800, "0001-01-01T00:00:00Z", 1), (253_402_300_799, "9999-12-31T23:59:59Z", 5),
      (2_147_483_648, "2038-01-19T03:14:08Z", 2),
    ] as [(Int64, String, Int)])
  func `a second is a moment of the calendar, and back`(seconds: Int64, text: String, weekday: Int) {
    let time = CivilTime(unixSeconds: seconds)
    #expect(time.rfc3339 == text)
    #expect(time.unixSeconds == seconds)
    #expect(time.weekday == weekday)
    #expect(CivilTime.unixSeconds(rfc3339: text) == seconds)
  }

  @Test func `seconds outside of the years 1 to 9999 are clamped`() {
    #expect(CivilTime(unixSeconds: .min).rfc3339 == "0001-01-01T00:00:00Z")
    #expect(CivilTime(unixSeconds: .max).rfc3339 == "9999-12-31T23:59:59Z")
  }

  @Test func `four hundred years of days follow one another`() throws {
    // The days are counted from 1 January 1970 with only the rule for leap years.
    var day = Int64(0)
    for year in 1970..<2370 {
      let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
      for (month, length) in [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31].enumerated() {
        for date in [1, length] {
          let time = CivilTime(unixSeconds: (day + Int64(date) - 1) * 86_400 + 43_210)
          #expect((time.year, time.month, time.day) == (year, month + 1, date))
          #expect((time.hour, time.minute, time.second) == (12, 0, 10))
          #expect(time.unixSeconds == (day + Int64(date) - 1) * 86_400 + 43_210)
          #expect(Int64(time.weekday) == (day + Int64(date) - 1 + 4) % 7)
        }
        day += Int64(length)
      }
    }
  }

  @Test(arguments: [
    (2024, 2, 29, true), (2023, 2, 29, false), (2000, 2, 29, true), (1900, 2, 29, false), (2024, 2, 30, false),
    (2024, 4, 31, false), (2024, 12, 31, true), (2024, 0, 1, false), (2024, 13, 1, false), (2024, 1, 0, false),
    (2024, 1, 32, false), (0, 1, 1, false), (10_000, 1, 1, false),
  ])
  func `only days that exist are days`(year: Int, month: Int, day: Int, exists: Bool) {
    let time = CivilTime(year: year, month: month, day: day, hour: 0, minute: 0, second: 0)
    #expect((time != nil) == exists)
  }

  @Test(
    arguments: [
      ("2026-11-20", 1_795_132_800), ("2026-11-20T00:00:00Z", 1_795_132_800), ("2026-11-20t00:00:00z", 1_795_132_800),
      ("2026-11-20T00:00:00.999Z", 1_795_132_800), ("2026-11-20T01:00:00+01:00", 1_795_132_800),
      ("2026-11-19T18:30:00-05:30", 1_795_132_800), ("2026-11-20T00:00:00.5+00:00", 1_795_132_800),
      ("2016-12-31T23:59:60Z", 1_483_228_800),
    ] as [(String, Int64)])
  func `a time stamp is read with fractions and offsets`(text: String, seconds: Int64) {
    #expect(CivilTime.unixSeconds(rfc3339: text) == seconds)
  }

  @Test(arguments: [
    "", "2026", "2026-11", "2026-11-2", "2026-1-20", "26-11-20", "2026/11/20", "2026-11-20T", "2026-11-20T10",
    "2026-11-20T10:15", "2026-11-20T10:15:30", "2026-11-20 10:15:30Z", "2026-11-20T10:15:30ZZ", "2026-11-20T10:15:30.Z",
    "2026-11-20T10:15:30+1:00", "2026-11-20T10:15:30+0100", "2026-11-20T10:15:30+01:0", "2026-11-20T10:15:30+24:00",
    "2026-11-20T10:15:30+01:60", "2026-11-31T10:15:30Z", "2026-13-01T10:15:30Z", "2026-11-20T24:00:00Z",
    "2026-11-20T10:60:00Z", "2026-11-20T10:15:61Z", "-026-11-20T10:15:30Z", "2026-11-20T10:15:30Z ",
    "2026\r11\r20", "2026-11-20T10\u{1A}15\u{1A}30Z", "2026-11-20T10:15:30,5Z", "２０２６-11-20", "0000-01-01",
  ])
  func `what is no time stamp is none`(text: String) {
    #expect(CivilTime.unixSeconds(rfc3339: text) == nil)
  }
}
