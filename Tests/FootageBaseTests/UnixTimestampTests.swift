import FootageBase
import Testing

@Suite struct UnixTimestampTests {
  @Test(
    arguments: [
      (0, "1970-01-01T00:00:00.000Z"), (1_795_169_730_250, "2026-11-20T10:15:30.250Z"),
      (1_795_169_730_007, "2026-11-20T10:15:30.007Z"), (-1, "1969-12-31T23:59:59.999Z"),
      (-62_135_596_800_000, "0001-01-01T00:00:00.000Z"), (253_402_300_799_999, "9999-12-31T23:59:59.999Z"),
    ] as [(Int64, String)])
  func `a moment is written to the millisecond, and read back`(milliseconds: Int64, text: String) {
    let moment = UnixTimestamp(milliseconds: milliseconds)
    #expect(moment.rfc3339 == text)
    #expect(UnixTimestamp(rfc3339: text) == moment)
    #expect(UnixTimestamp(seconds: moment.seconds, milliseconds: moment.millisecondsOfSecond) == moment)
  }

  @Test(
    arguments: [
      ("2026-11-20T10:15:30Z", 0), ("2026-11-20T10:15:30.2Z", 200), ("2026-11-20T10:15:30.25Z", 250),
      ("2026-11-20T10:15:30.2509999999999999999999Z", 250), ("2026-11-20T11:15:30.250+01:00", 250),
    ] as [(String, Int64)])
  func `a fraction of any length is read`(text: String, milliseconds: Int64) {
    #expect(UnixTimestamp(rfc3339: text) == UnixTimestamp(milliseconds: 1_795_169_730_000 + milliseconds))
  }

  @Test func `numbers beyond what 64 bits hold are clamped`() {
    #expect(UnixTimestamp(seconds: .max) == UnixTimestamp(milliseconds: .max))
    #expect(UnixTimestamp(seconds: .min) == UnixTimestamp(milliseconds: .min))
    #expect(UnixTimestamp(milliseconds: .max).advanced(byMilliseconds: 1).milliseconds == .max)
    #expect(UnixTimestamp(milliseconds: .min).advanced(byMilliseconds: -1).milliseconds == .min)
    #expect(UnixTimestamp(milliseconds: .min).rfc3339.utf8.first == UInt8(ascii: "0"))
    #expect(UnixTimestamp(nanoseconds: -1).milliseconds == -1)
    #expect(UnixTimestamp(milliseconds: .min).millisecondsOfSecond >= 0)
  }
}
