import FootageBase
import FootageHTTP
import Testing

@Suite struct HTTPDateTests {
  private func read(_ text: String, now: Int64 = 1_700_000_000) -> Int64? {
    HTTPDate.unixSeconds(Array(text.utf8).borrowedSpan, now: now)
  }

  /// The example of RFC 9110 §5.6.7.
  @Test(arguments: ["Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994"])
  func `the three forms of the standard's example are one second`(form: String) {
    #expect(read(form) == 784_111_777)
  }

  @Test(
    arguments: [
      (0, "Thu, 01 Jan 1970 00:00:00 GMT"), (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"),
      (1_709_164_799, "Wed, 28 Feb 2024 23:59:59 GMT"), (1_709_164_800, "Thu, 29 Feb 2024 00:00:00 GMT"),
      (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"), (4_107_542_400, "Mon, 01 Mar 2100 00:00:00 GMT"),
      (-1, "Wed, 31 Dec 1969 23:59:59 GMT"), (253_402_300_799, "Fri, 31 Dec 9999 23:59:59 GMT"),
    ] as [(Int64, String)])
  func `a date is written and read back`(seconds: Int64, date: String) {
    #expect(text(HTTPDate.bytes(unixSeconds: seconds)) == date)
    #expect(read(date) == seconds)
  }

  @Test func `dates past what can be written are clamped`() {
    #expect(text(HTTPDate.bytes(unixSeconds: .max)) == "Fri, 31 Dec 9999 23:59:59 GMT")
    #expect(text(HTTPDate.bytes(unixSeconds: .min)) == "Mon, 01 Jan 0001 00:00:00 GMT")
  }

  @Test(arguments: Array(stride(from: Int64(0), to: 365 * 86_400, by: 86_400 * 7 + 3_661)))
  func `every day and month reads back, in all forms`(seconds: Int64) {
    let fixed = text(HTTPDate.bytes(unixSeconds: seconds + 1_700_000_000))
    #expect(read(fixed) == seconds + 1_700_000_000)
    // `Tue, 14 Nov 2023 22:13:20 GMT` as `Tue Nov 14 22:13:20 2023`; a day below ten is padded with a blank.
    let parts = fixed.split(separator: " ").map { String($0) }
    let day = parts[1].hasPrefix("0") ? " " + parts[1].dropFirst() : parts[1]
    #expect(read("\(parts[0].dropLast()) \(parts[2]) \(day) \(parts[4]) \(parts[3])") == seconds + 1_700_000_000)
  }

  /// The clock is in 2023, so "more than 50 years in the future" begins after the same second of 2073.
  @Test(
    arguments: [
      ("Friday, 31-Dec-99 23:59:59 GMT", 946_684_799), ("Saturday, 01-Jan-00 00:00:00 GMT", 946_684_800),
      ("Tuesday, 14-Nov-73 22:13:20 GMT", 3_277_923_200), ("Tuesday, 14-Nov-73 22:13:21 GMT", 122_163_201),
      ("Sunday, 14-Nov-72 22:13:21 GMT", 3_246_300_801 + 86_400), ("Thursday, 29-Feb-96 00:00:00 GMT", 825_552_000),
    ] as [(String, Int64)])
  func `a two-digit year is at most 50 years ahead`(date: String, seconds: Int64) {
    #expect(read(date) == seconds)
  }

  @Test func `the century of a two-digit year follows the clock`() {
    #expect(read("Sunday, 06-Nov-94 08:49:37 GMT", now: 0) == 784_111_777)
    // In 2095, the year 05 is ten years ahead, not ninety years ago.
    #expect(read("Saturday, 01-Jan-05 00:00:00 GMT", now: 3_944_678_400) == 4_260_211_200)
  }

  @Test(arguments: [
    "", "Sun", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 UTC", "sun, 06 Nov 1994 08:49:37 GMT",
    "Sun, 06 nov 1994 08:49:37 GMT", "Xxx, 06 Nov 1994 08:49:37 GMT", "Sun, 6 Nov 1994 08:49:37 GMT",
    "Sun, 31 Nov 1994 08:49:37 GMT", "Sun, 29 Feb 1993 08:49:37 GMT", "Sun, 00 Nov 1994 08:49:37 GMT",
    "Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 06 Nov 1994 08:60:37 GMT", "Sun, 06 Nov 1994 08:49:61 GMT",
    "Sun, 06 Nov 1994 08:49:37 GMT ", " Sun, 06 Nov 1994 08:49:37 GMT", "Sun, 06-Nov-1994 08:49:37 GMT",
    "Sun, 06 Nov 0000 08:49:37 GMT", "Sun, 06 Nov 1994 08.49.37 GMT", "Sun, +6 Nov 1994 08:49:37 GMT",
    "Sunday, 06-Nov-1994 08:49:37 GMT", "Sun, 06-Nov-94 08:49:37 GMT", "Someday, 06-Nov-94 08:49:37 GMT",
    "Sunday, 30-Feb-94 08:49:37 GMT", "Sun Nov 6 08:49:37 1994", "Sun Nov 31 08:49:37 1994", "Sun Nov  6 08:49:37 94",
    "Sun Nov   08:49:37 1994 ", "784111777", "1994-11-06T08:49:37Z",
  ])
  func `these are no dates`(text: String) {
    #expect(read(text) == nil)
  }

  @Test func `a leap second is read as the next minute's first`() {
    #expect(read("Sat, 31 Dec 2016 23:59:60 GMT") == 1_483_228_800)
  }

  @Test func `the Date line is that of its second`() {
    let field = DateField(unixSeconds: 784_111_777)
    #expect(text(field.line) == "Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n")
    #expect(field.unixSeconds == 784_111_777)
    #expect(text(DateField(unixSeconds: 784_111_778).line) == "Date: Sun, 06 Nov 1994 08:49:38 GMT\r\n")
  }
}
