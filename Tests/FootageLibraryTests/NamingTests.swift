/// Cameras and starts from names without a layout.

import FootageBase
import Testing

@testable import FootageLibrary

@Suite struct NamingTests {
  static let berlin = TimeZoneRules(name: "Europe/Berlin", rule: rule("CET-1CEST,M3.5.0,M10.5.0/3"))

  static func rule(_ text: String) -> POSIXTimeZone {
    guard let rule = POSIXTimeZone(text) else { preconditionFailure(text) }
    return rule
  }

  /// Returns the start of a file that was last written long after.
  static func start(_ name: String, in zone: TimeZoneRules = .utc) -> StartTime {
    let witnesses = TimeWitnesses(modifiedNanoseconds: 1_800_000_000_000_000_000)
    return RecordingNaming(zone: zone).meaning(of: name).start(witnesses, now: UnixTimestamp(seconds: 1_800_000_000))
  }

  @Test(arguments: [
    "2026-11-20T10-15-30", "20261120_101530", "front/2026-11-20 10.15.30", "2026-11-20/10-15-30",
    "2026/11/20/10/15/30", "cam1_20261120101530", "2025-01-01T00-00-00/2026-11-20T10:15:30", "x2026-11-20_10h15m30",
    "20_11_2026_10_15_30", "front/20-11-2026/10-15-30", "20.11.2026 10.15.30", "front_20-11-2026_101530_front",
    "2026-11-20/front/10-15-30", "2026-11-20/front/101530", "20261120/front/clip_10-15-30", "2026/11/20/front/10.15.30",
    "2026-11-20T10-00-00/2026-11-20/front/10-15-30", "20-11-2026/front/rec 10-15-30", "2026-11-20T10-15-30_2",
    "2026-11-20T10-15-30-12", "2026-11-20T10-15-30_0001", "2026-11-20T10-15-30-0000",
  ])
  func `a timestamp in a name is read in the zone of names`(name: String) {
    #expect(Self.start(name) == StartTime(UnixTimestamp(seconds: 1_795_169_730), .name))
    #expect(Self.start(name, in: Self.berlin) == StartTime(UnixTimestamp(seconds: 1_795_166_130), .name))
  }

  @Test(
    arguments: [
      ("20261120T101530Z", 1_795_169_730_000), ("2026-11-20T10:15:30z", 1_795_169_730_000),
      ("2026-11-20_10-15-30_UTC", 1_795_169_730_000), ("2026-11-20T11-15-30+0100", 1_795_169_730_000),
      ("2026-11-20T11-15-30+01:00", 1_795_169_730_000), ("2026-11-20T11-15-30+01-00", 1_795_169_730_000),
      ("2026-11-20T11-15-30+01", 1_795_169_730_000), ("2026-11-20T05-15-30-0500", 1_795_169_730_000),
      ("2026-11-20T05-15-30-05:00", 1_795_169_730_000), ("2026-11-20T05-15-30-0500_2", 1_795_169_730_000),
      // The form that MediaMTX writes for `%Y-%m-%d_%H-%M-%S-%f-%z`.
      ("front/2026-11-20_17-15-30-250000-+0700", 1_795_169_730_250),
      ("front/2026-11-20_05-15-30-250000--0500", 1_795_169_730_250),
      ("2026-11-20T15-45-30.5+0530", 1_795_169_730_500), ("2026-11-20/front/11-15-30+0100", 1_795_169_730_000),
      ("1795169730", 1_795_169_730_000), ("front/cam_1795169730_x", 1_795_169_730_000),
      ("1795169730250", 1_795_169_730_250), ("1795169730.25", 1_795_169_730_250),
      ("1795169730250999", 1_795_169_730_250), ("1795169730250999888", 1_795_169_730_250),
      ("2026-11-20/1795169730", 1_795_169_730_000),
    ] as [(String, Int64)])
  func `a zone in the name wins, and seconds since 1970 need none`(name: String, milliseconds: Int64) {
    let expected = StartTime(UnixTimestamp(milliseconds: milliseconds), .name)
    #expect(Self.start(name) == expected)
    #expect(Self.start(name, in: Self.berlin) == expected)
  }

  @Test(arguments: [
    "20261120101530250", "2026-11-20T10-15-30.250", "2026-11-20T10-15-30-250", "2026-11-20_10-15-30-250123",
    "20261120_101530_250", "20261120101530250123", "2026-11-20T10:15:30,25", "2026-11-20/front/10-15-30.250",
    "20_11_2026_10_15_30_250", "2026-11-20T10-15-30.250123456",
  ])
  func `thousandths and finer are read, with or without separators`(name: String) {
    #expect(Self.start(name) == StartTime(UnixTimestamp(milliseconds: 1_795_169_730_250), .name))
  }

  @Test func `a day in front of a year is not taken for the month behind it`() {
    #expect(Self.start("05_11_2026_10_12_14_250").moment.rfc3339 == "2026-11-05T10:12:14.250Z")
    #expect(Self.start("05_10_2026_10_12_14").moment.rfc3339 == "2026-10-05T10:12:14.000Z")
  }

  @Test(arguments: [
    "", "a", "2026-11-20", "20261320_101530", "20260230_101530", "20261120_251530", "2026112010153", "202611201015300",
    "1926-11-20T10-15-30", "20261120__101530", "2026112010", "2026112010153012", "0795169730", "1420070399",
    "4102444800", "17951697301", "1795169730/front", "20112026_101530", "31_11_2026_10_15_30",
    "2026-11-20/front/25-00-00",
    "front/10-15-30", "2026-11-20/14/front/20.00", "32_11_2026_10_15_30",
    "99999999999999999999999999", "2026-11-20/front/a_101530",
  ])
  func `what is no timestamp is none`(name: String) {
    #expect(Self.start(name).source == .file)
  }

  @Test(
    arguments: [
      ("a", nil), ("front/a", "front"), ("front/2026-11-20/a", "front"), ("2026-11-20/front/a", "front"),
      ("2026-11-20/14/front/a", "front"), ("2026/11/20/front/a", "front"), ("2026/11/20/a", nil), ("2026-11/20/a", nil),
      ("2026-11-20/a", nil), ("20261120/a", nil), ("20-11-2026/a", nil), ("2026/front/a", "front"),
      ("2026-11-20T10-00-00Z/front/a", "front"), ("2026-11-20_10/front/a", "front"),
      ("2026-11-20_front/a", "2026-11-20_front"), ("14/a", "14"), ("1/a", "1"), ("cam1/cam2/a", "cam1"),
      ("202611/front/a", "front"),
      ("2026-13-20/a", "2026-13-20"), ("2026/13/a", "13"), ("2026/11/20/23/59/front/a", "front"), ("1999/a", "1999"),
      ("a b/ü/x", "a b"), ("20265/a", "20265"), ("2026/11/31/a", "31"),
    ] as [(String, String?)])
  func `the camera is the first folder that is no date`(name: String, camera: String?) {
    #expect(RecordingNaming().meaning(of: name).camera == camera)
  }

  // MARK: The order of witnesses

  @Test(
    arguments: [
      ("2026-11-20T10-15-30", 1_700_000_000, 1_795_169_730_000, .name),
      ("a", 1_700_000_000, 1_700_000_000_000, .creation), ("a", 1_420_070_400, 1_420_070_400_000, .creation),
      ("a", 1_420_070_399, 1_799_999_939_600, .file), ("a", nil, 1_799_999_939_600, .file),
      // A time in the future.
      ("a", 1_800_000_200, 1_799_999_939_600, .file),
    ] as [(String, Int64?, Int64, StartTime.Source)])
  func `the name counts before the creation time, and that before the file's`(
    name: String, creation: Int64?, milliseconds: Int64, source: StartTime.Source
  ) {
    let witnesses = TimeWitnesses(
      creationSeconds: creation, modifiedNanoseconds: 1_800_000_000_000_000_000, duration: 60.4)
    let start = RecordingNaming().meaning(of: name).start(witnesses, now: UnixTimestamp(seconds: 1_800_000_100))
    #expect(start == StartTime(UnixTimestamp(milliseconds: milliseconds), source))
  }

  @Test func `a creation time that others have is no witness`() {
    let witnesses = TimeWitnesses(
      creationSeconds: 1_790_000_000, isCreationShared: true, modifiedNanoseconds: 1_800_000_000_500_000_000,
      duration: 1)
    let start = RecordingNaming().meaning(of: "a").start(witnesses, now: UnixTimestamp(seconds: 1_800_000_100))
    #expect(start == StartTime(UnixTimestamp(milliseconds: 1_799_999_999_500), .file))
  }

  @Test func `a clock that was set back does not make the past a future`() {
    let witnesses = TimeWitnesses(creationSeconds: 1_790_000_000, modifiedNanoseconds: 1_800_000_000_000_000_000)
    let start = RecordingNaming().meaning(of: "a").start(witnesses, now: UnixTimestamp(seconds: 5))
    #expect(start == StartTime(UnixTimestamp(seconds: 1_790_000_000), .creation))
  }

  @Test(arguments: [Double.nan, .infinity, -1, 1e300, -.infinity, 1e8])
  func `a senseless duration does no harm`(duration: Double) {
    let witnesses = TimeWitnesses(modifiedNanoseconds: 1_800_000_000_000_000_000, duration: duration)
    let start = RecordingNaming().meaning(of: "").start(witnesses, now: UnixTimestamp(seconds: 0))
    #expect((800_000_000...1_800_000_000).contains(start.moment.seconds))
  }

  // MARK: Clocks that change

  /// Returns the start; the last write minus the length decides between two equal local times.
  static func start(_ name: String, in zone: TimeZoneRules, written: Int64) -> String {
    let witnesses = TimeWitnesses(modifiedNanoseconds: written * 1_000_000_000, duration: 60)
    return RecordingNaming(zone: zone).meaning(of: name).start(witnesses, now: UnixTimestamp(seconds: written)).moment
      .rfc3339
  }

  @Test(
    arguments: [
      // Autumn in Berlin: the hour from two to three occurs twice.
      ("2026-10-25T01-59-59", 1_793_059_200, "2026-10-24T23:59:59.000Z"),
      ("2026-10-25T02-30-00.250", 1_792_888_260, "2026-10-25T00:30:00.250Z"),
      ("2026-10-25T02-30-00.250", 1_792_891_860, "2026-10-25T01:30:00.250Z"),
      ("2026-10-25T03-00-00", 1_792_893_660, "2026-10-25T02:00:00.000Z"),
      // Spring: the same hour is skipped.
      ("2026-03-29T01-59-59", 1_774_749_600, "2026-03-29T00:59:59.000Z"),
      ("2026-03-29T02-30-00.250", 1_774_749_600, "2026-03-29T01:00:00.000Z"),
      ("2026-03-29T03-00-00", 1_774_749_600, "2026-03-29T01:00:00.000Z"),
      // A zone in the name needs no other evidence.
      ("2026-10-25T02-30-00+0100", 1_792_888_260, "2026-10-25T01:30:00.000Z"),
    ] as [(String, Int64, String)])
  func `an hour that comes twice is told by the file's times, and one that is left out is the next`(
    name: String, written: Int64, expected: String
  ) {
    #expect(Self.start(name, in: Self.berlin, written: written) == expected)
  }

  @Test(
    arguments: [
      // On Lord Howe Island, the clocks go back by half an hour in April and forward in October.
      ("2026-04-05T01-45-00", 1_775_314_000, "2026-04-04T14:45:00.000Z"),
      ("2026-04-05T01-45-00", 1_775_316_600, "2026-04-04T15:15:00.000Z"),
      ("2026-10-04T02-15-00", 1_791_043_200, "2026-10-03T15:30:00.000Z"),
      ("2026-10-04T02-30-00", 1_791_043_200, "2026-10-03T15:30:00.000Z"),
    ] as [(String, Int64, String)])
  func `half an hour of the southern summer is told apart as well`(name: String, written: Int64, expected: String) {
    let zone = TimeZoneRules(name: "Australia/Lord_Howe", rule: Self.rule("<+1030>-10:30<+11>-11,M10.1.0,M4.1.0"))
    #expect(Self.start(name, in: zone, written: written) == expected)
  }
}
