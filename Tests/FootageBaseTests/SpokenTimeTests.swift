/// Times as people type them, for one clock and one zone.

import FootageBase
import Testing

@Suite struct SpokenTimeTests {
  /// Friday, 2026-11-20T15:30:00 in Berlin.
  static let now = UnixTimestamp(seconds: 1_795_185_000)
  static let berlin = TimeZoneRulesTests.berlin

  static func beginning(_ text: String, now: UnixTimestamp = now, in zone: TimeZoneRules = berlin) -> String? {
    SpokenTime(text)?.beginning(now: now, in: zone).rfc3339
  }

  static func end(
    _ text: String, after: String? = nil, now: UnixTimestamp = now, in zone: TimeZoneRules = berlin
  ) -> String? {
    let beginning = after.flatMap { SpokenTime($0)?.beginning(now: now, in: zone) }
    return SpokenTime(text)?.end(after: beginning, now: now, in: zone).rfc3339
  }

  @Test(arguments: [
    ("today", "2026-11-19T23:00:00.000Z"), ("yesterday", "2026-11-18T23:00:00.000Z"),
    ("14:20", "2026-11-20T13:20:00.000Z"),
    // That time has not been reached today, so yesterday's is meant.
    ("15:31", "2026-11-19T14:31:00.000Z"), ("15:30", "2026-11-20T14:30:00.000Z"), ("9:05", "2026-11-20T08:05:00.000Z"),
    ("14:20:05", "2026-11-20T13:20:05.000Z"), ("14:20:05.25", "2026-11-20T13:20:05.250Z"),
    ("yesterday 14:20", "2026-11-19T13:20:00.000Z"), ("Yesterday  14:20 ", "2026-11-19T13:20:00.000Z"),
    ("today 23:00", "2026-11-20T22:00:00.000Z"), ("2026-11-20", "2026-11-19T23:00:00.000Z"),
    ("2026-07-01", "2026-06-30T22:00:00.000Z"), ("2026-11-20 14:20", "2026-11-20T13:20:00.000Z"),
    ("2026-11-20 14:20:05.250", "2026-11-20T13:20:05.250Z"), ("2026-11-20T14:20", "2026-11-20T13:20:00.000Z"),
    ("2026-11-20T14:20:05", "2026-11-20T13:20:05.000Z"), ("2026-11-20T14:20:05Z", "2026-11-20T14:20:05.000Z"),
    ("2026-11-20t14:20:05.250+05:00", "2026-11-20T09:20:05.250Z"), ("20 min ago", "2026-11-20T14:10:00.000Z"),
    ("2h", "2026-11-20T12:30:00.000Z"), ("2 h ago", "2026-11-20T12:30:00.000Z"), ("90s", "2026-11-20T14:28:30.000Z"),
    ("1 day", "2026-11-19T14:30:00.000Z"), ("2 weeks ago", "2026-11-06T14:30:00.000Z"),
    ("now", "2026-11-20T14:30:00.000Z"), ("5 Minutes Ago", "2026-11-20T14:25:00.000Z"),
    ("2:20 pm", "2026-11-20T13:20:00.000Z"), ("2:20PM", "2026-11-20T13:20:00.000Z"),
    ("2 pm", "2026-11-20T13:00:00.000Z"), ("9am", "2026-11-20T08:00:00.000Z"),
    ("12:05 am", "2026-11-19T23:05:00.000Z"), ("12 pm", "2026-11-20T11:00:00.000Z"),
    ("yesterday 2:20 pm", "2026-11-19T13:20:00.000Z"), ("2026-11-20 2:20:05.25pm", "2026-11-20T13:20:05.250Z"),
  ])
  func `a beginning is the moment that a person means`(text: String, moment: String) {
    #expect(Self.beginning(text) == moment)
  }

  @Test(
    arguments: [
      // An end that is a day includes that day.
      ("yesterday", nil, "2026-11-19T23:00:00.000Z"), ("2026-11-20", nil, "2026-11-20T23:00:00.000Z"),
      ("today", "yesterday", "2026-11-20T23:00:00.000Z"),
      // Without a beginning, a time means the latest one in the past; with a beginning, the first one after it.
      ("14:20", nil, "2026-11-20T13:20:00.000Z"), ("15:31", nil, "2026-11-19T14:31:00.000Z"),
      ("14:20", "yesterday", "2026-11-19T13:20:00.000Z"), ("14:20", "yesterday 14:20", "2026-11-20T13:20:00.000Z"),
      ("14:21", "yesterday 14:20", "2026-11-19T13:21:00.000Z"), ("1:00", "23:00", "2026-11-20T00:00:00.000Z"),
      ("14:20", "2026-11-01", "2026-11-01T13:20:00.000Z"),
      ("2026-11-20 14:20", "yesterday", "2026-11-20T13:20:00.000Z"),
      ("20 min ago", "2h", "2026-11-20T14:10:00.000Z"), ("now", "2h", "2026-11-20T14:30:00.000Z"),
    ] as [(String, String?, String)])
  func `an end is the moment that a person means`(text: String, after: String?, moment: String) {
    #expect(Self.end(text, after: after) == moment)
  }

  @Test(arguments: [
    "", " ", "tomorrow", "14", "14:2", "24:00", "14:60", "14:20:60", "14:20:05.", "14:20:05,2", "2026-11-31",
    "2026-1-1",
    "14:20 yesterday", "yesterday 14:20 30", "ago", "min ago", "2 fortnights ago", "-2h", "1h30m", "2h ago ago",
    "13 pm", "0 am", "2:60 pm", "pm", "2:20 p m", "2:20 pm pm", "yesterday pm", "2 pm 20", "14:20 yesterday pm",
    "9999999h", "2026-11-20T14:20:05.Z", "2026-11-20T", "１４:20", "14::20", ":20", "2 2h", "2026-11-20T25:00",
  ])
  func `what is no time is none`(text: String) {
    #expect(SpokenTime(text) == nil)
  }

  /// The clocks of Berlin go forward on 29 March 2026 and back on 25 October 2026.
  @Test(
    arguments: [
      // 2026-10-25T12:00+01:00: the ambiguous 02:30 is the first one; yesterday has 24 hours, today 25.
      (1_792_926_000, "2:30", "2026-10-25T00:30:00.000Z"), (1_792_926_000, "today", "2026-10-24T22:00:00.000Z"),
      (1_792_926_000, "yesterday 2:30", "2026-10-24T00:30:00.000Z"),
      // Between the two occurrences of 02:30, of which the first is in the past.
      (1_792_890_000, "2:30", "2026-10-25T00:30:00.000Z"), (1_792_890_000, "2:59", "2026-10-25T00:59:00.000Z"),
      // 2026-03-29T12:00+02:00: 02:30 did not exist, and the next existing time is 03:00.
      (1_774_778_400, "2:30", "2026-03-29T01:00:00.000Z"), (1_774_778_400, "2:30:00.5", "2026-03-29T01:00:00.000Z"),
      // A minute after midnight, and just before the end of a day of 23 hours.
      (1_774_738_860, "yesterday", "2026-03-27T23:00:00.000Z"), (1_774_821_540, "today", "2026-03-28T23:00:00.000Z"),
      (1_774_825_260, "yesterday", "2026-03-28T23:00:00.000Z"),
      (1_774_825_260, "yesterday 23:59", "2026-03-29T21:59:00.000Z"),
    ] as [(Int64, String, String)])
  func `clocks that change are thought of`(now: Int64, text: String, moment: String) {
    #expect(Self.beginning(text, now: UnixTimestamp(seconds: now)) == moment)
  }

  @Test func `a day of 25 hours ends with its 25th`() {
    #expect(Self.end("2026-10-25") == "2026-10-25T23:00:00.000Z")
    #expect(Self.beginning("2026-10-25") == "2026-10-24T22:00:00.000Z")
    #expect(Self.end("2:30", after: "2026-10-25T00:30:00Z") == "2026-10-25T01:30:00.000Z")
    #expect(Self.end("2:30", after: "2026-10-25T01:30:00Z") == "2026-10-26T01:30:00.000Z")
  }

  /// An end is never chosen so that it cuts the requested time short.
  @Test(
    arguments: [
      ("2026-10-25 2:30", nil, 1_792_926_000, "2026-10-25T01:30:00.000Z"),
      ("yesterday 2:59:59.5", nil, 1_793_012_400, "2026-10-25T01:59:59.500Z"),
      ("2:59", "2026-10-25 1:00", 1_792_926_000, "2026-10-25T01:59:00.000Z"),
      // The first 02:50 is the beginning, so the 02:10 after it is the second one.
      ("2:10", "2026-10-25 2:50", 1_792_926_000, "2026-10-25T01:10:00.000Z"),
      // For a time in the past, the second occurrence if the first has passed, or else yesterday's.
      ("2:30", nil, 1_792_926_000, "2026-10-25T01:30:00.000Z"),
      ("2:30", nil, 1_792_890_000, "2026-10-25T01:30:00.000Z"),
      ("2:30", nil, 1_792_884_000, "2026-10-24T00:30:00.000Z"),
      // A time with an offset is exact.
      ("2026-10-25T02:30:00+02:00", nil, 1_792_926_000, "2026-10-25T00:30:00.000Z"),
    ] as [(String, String?, Int64, String)])
  func `an end that the clocks show twice is the second`(text: String, after: String?, now: Int64, moment: String) {
    #expect(Self.end(text, after: after, now: UnixTimestamp(seconds: now)) == moment)
  }

  @Test func `a day ends when its last hour has been twice, and before the first of the next`() {
    // Brazil's clocks went back at midnight to 23:00; Cuba's go back at 01:00 to 00:00.
    let brazil = TimeZoneRulesTests.zone("<-03>3<-02>,M10.3.0/0,M2.3.0/0")
    #expect(Self.end("2026-02-14", in: brazil) == "2026-02-15T03:00:00.000Z")
    #expect(Self.end("2026-02-14 23:30", in: brazil) == "2026-02-15T02:30:00.000Z")
    let cuba = TimeZoneRulesTests.zone("CST5CDT,M3.2.0/0,M11.1.0/1")
    #expect(Self.end("2026-10-31", in: cuba) == "2026-11-01T04:00:00.000Z")
    #expect(Self.end("2026-11-01 0:30", in: cuba) == "2026-11-01T05:30:00.000Z")
  }

  @Test func `south of the equator and by half an hour it is the same`() {
    let island = TimeZoneRulesTests.zone("<+1030>-10:30<+11>-11,M10.1.0,M4.1.0")
    #expect(Self.beginning("2026-04-05 1:45", in: island) == "2026-04-04T14:45:00.000Z")
    #expect(Self.beginning("2026-10-04 2:15", in: island) == "2026-10-03T15:30:00.000Z")
    #expect(Self.end("2026-04-05", in: island) == "2026-04-05T13:30:00.000Z")
  }
}
