/// Zones: their files, their rules and their clocks.

import FootageBase
import Testing

@Suite struct TimeZoneRulesTests {
  static let berlin = zone("CET-1CEST,M3.5.0,M10.5.0/3")

  static func zone(_ rule: String) -> TimeZoneRules {
    guard let parsed = POSIXTimeZone(rule) else { preconditionFailure(rule) }
    return TimeZoneRules(name: rule, rule: parsed)
  }

  static func civil(_ year: Int, _ month: Int, _ day: Int, _ hour: Int, _ minute: Int) -> CivilTime {
    guard let time = CivilTime(year: year, month: month, day: day, hour: hour, minute: minute, second: 0) else {
      preconditionFailure("no such time")
    }
    return time
  }

  // MARK: Rules

  @Test(
    arguments: [
      ("UTC0", 1_795_169_730, 0), ("<+0330>-3:30", 1_795_169_730, 12_600), ("EST5", 1_795_169_730, -18_000),
      ("CET-1CEST,M3.5.0,M10.5.0/3", 1_774_745_999, 3_600), ("CET-1CEST,M3.5.0,M10.5.0/3", 1_774_746_000, 7_200),
      ("CET-1CEST,M3.5.0,M10.5.0/3", 1_792_889_999, 7_200), ("CET-1CEST,M3.5.0,M10.5.0/3", 1_792_890_000, 3_600),
      // The other half of the year, in the southern hemisphere, with a shift of half an hour.
      ("<+1030>-10:30<+11>-11,M10.1.0,M4.1.0", 1_775_314_799, 39_600),
      ("<+1030>-10:30<+11>-11,M10.1.0,M4.1.0", 1_775_314_800, 37_800),
      ("<+1030>-10:30<+11>-11,M10.1.0,M4.1.0", 1_767_225_600, 39_600),
      // A summer time that is the standard time, and a winter time that is not.
      ("IST-1GMT0,M10.5.0,M3.5.0/1", 1_774_745_999, 0), ("IST-1GMT0,M10.5.0,M3.5.0/1", 1_774_746_000, 3_600),
      // A change in the preceding night, and one two days later.
      ("<-02>2<-01>,M3.5.0/-1,M10.5.0/0", 1_774_745_999, -7_200),
      ("<-02>2<-01>,M3.5.0/-1,M10.5.0/0", 1_774_746_000, -3_600),
      ("EET-2EEST,M3.4.4/50,M10.4.4/50", 1_774_655_999, 7_200),
      ("EET-2EEST,M3.4.4/50,M10.4.4/50", 1_774_656_000, 10_800),
      // Daylight saving time all year (RFC 9636 §3.3.1).
      ("XXX3EDT4,0/0,J365/23", 1_767_225_600, -14_400), ("XXX3EDT4,0/0,J365/23", 1_783_000_000, -14_400),
      // One form counts 29 February and the other does not: 1 March 2024 is day 60, and J60.
      ("AAA0BBB,60/0,J300", 1_709_251_199, 0), ("AAA0BBB,60/0,J300", 1_709_251_200, 3_600),
      ("AAA0BBB,J60/0,J300", 1_709_251_199, 0), ("AAA0BBB,J60/0,J300", 1_709_251_200, 3_600),
      ("EST5EDT", 1_783_000_000, -14_400),
    ] as [(String, Int64, Int)])
  func `a rule tells the offset of every moment`(rule: String, moment: Int64, offset: Int) {
    #expect(Self.zone(rule).offsetSeconds(at: moment) == offset)
  }

  @Test(arguments: [
    "", "UTC", "U0", "UTC25", "UTC0:60", "<+03-3", "<>0", "CET-1CEST,M3.5.0", "CET-1CEST,M13.5.0,M10.5.0",
    "CET-1CEST,M3.6.0,M10.5.0", "CET-1CEST,M3.5.7,M10.5.0", "CET-1CEST,J0,J1", "CET-1CEST,J366,J1", "CET-1CEST,366,1",
    "CET-1CEST,M3.5.0/168,M10.5.0", "CET-1CEST,M3.5.0,M10.5.0/3,", "Europe/Berlin", "CET-1CEST,M3.5.0,M10.5.0 ",
    "CET-", "CET--1", "CET-1CEST,M3.5.0/,M10.5.0", "CET-1C3",
  ])
  func `what is no rule is none`(text: String) {
    #expect(POSIXTimeZone(text) == nil)
  }

  // MARK: Clocks

  @Test func `an hour comes twice in autumn, and is left out in spring`() {
    let berlin = Self.berlin
    #expect(
      berlin.reading(of: Self.civil(2026, 10, 25, 2, 30)) == .twice(first: 1_792_888_200, second: 1_792_891_800))
    #expect(berlin.reading(of: Self.civil(2026, 10, 25, 1, 59)) == .once(1_792_886_340))
    #expect(berlin.reading(of: Self.civil(2026, 10, 25, 3, 0)) == .once(1_792_893_600))
    #expect(berlin.reading(of: Self.civil(2026, 3, 29, 2, 0)) == .never(next: 1_774_746_000))
    #expect(berlin.reading(of: Self.civil(2026, 3, 29, 2, 59)) == .never(next: 1_774_746_000))
    #expect(berlin.reading(of: Self.civil(2026, 3, 29, 3, 0)) == .once(1_774_746_000))
    #expect(TimeZoneRules.utc.reading(of: Self.civil(2026, 3, 29, 2, 0)) == .once(1_774_749_600))
  }

  @Test func `of a doubled hour the nearer one is meant, else the first`() {
    let time = Self.civil(2026, 10, 25, 2, 30)
    #expect(Self.berlin.unixSeconds(of: time) == 1_792_888_200)
    for (witness, expected) in [
      (Int64.min, 1_792_888_200), (1_792_889_999, 1_792_888_200), (1_792_890_001, 1_792_891_800),
      (.max, 1_792_891_800),
    ] as [(Int64, Int64)] {
      #expect(Self.berlin.unixSeconds(of: time, nearestTo: witness) == expected)
    }
  }

  @Test(arguments: ["CET-1CEST,M3.5.0,M10.5.0/3", "<+1030>-10:30<+11>-11,M10.1.0,M4.1.0", "EST5EDT,M3.2.0,M11.1.0"])
  func `every quarter of an hour of two years is found again`(rule: String) {
    let zone = Self.zone(rule)
    for moment in stride(from: Int64(1_735_689_600), to: 1_798_761_600, by: 900) {
      switch zone.reading(of: zone.civilTime(at: moment)) {
      case .once(let found): #expect(found == moment)
      case .twice(let first, let second): #expect(first == moment || second == moment)
      case .never: Issue.record("the clocks of \(rule) never show \(moment)")
      }
    }
  }

  @Test func `moments beyond the calendar do no harm`() {
    for moment in [Int64.min, .min + 1, -62_135_596_801, 253_402_300_800, .max] {
      #expect((3_600...7_200).contains(Self.berlin.offsetSeconds(at: moment)))
      _ = Self.berlin.civilTime(at: moment)
    }
  }

  // MARK: Files

  /// Returns a file of the time zone database (RFC 9636 §3), with the same data in both of its blocks.
  static func file(
    version: UInt8 = UInt8(ascii: "2"), times: [Int64] = [100, 200], indexes: [UInt8] = [1, 0],
    offsets: [Int32] = [3_600, 7_200], leapSeconds: Int = 0, footer: String = "\nCET-1CEST,M3.5.0,M10.5.0/3\n"
  ) -> [UInt8] {
    func big(_ value: Int64, _ count: Int) -> [UInt8] {
      (0..<count).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
    func block(_ timeBytes: Int) -> [UInt8] {
      var bytes = Array("TZif".utf8) + [version] + [UInt8](repeating: 0, count: 15)
      for count in [0, 0, leapSeconds, times.count, offsets.count, 4] { bytes += big(Int64(count), 4) }
      bytes += times.flatMap { big($0, timeBytes) } + indexes
      bytes += offsets.flatMap { big(Int64($0), 4) + [0, 0] } + Array("LMT\0".utf8)
      return bytes + [UInt8](repeating: 0, count: leapSeconds * (timeBytes + 4))
    }
    return version == 0 ? block(4) : block(4) + block(8) + Array(footer.utf8)
  }

  static func read(_ bytes: [UInt8]) throws(TimeZoneFileError) -> TimeZoneRules {
    try TimeZoneRules(name: "x", file: bytes)
  }

  @Test(arguments: [0, UInt8(ascii: "2"), UInt8(ascii: "3"), UInt8(ascii: "4")])
  func `a file of any version gives its changes`(version: UInt8) throws {
    let zone = try Self.read(Self.file(version: version))
    #expect(zone.offsetSeconds(at: 99) == 3_600)
    #expect(zone.offsetSeconds(at: 100) == 7_200)
    #expect(zone.offsetSeconds(at: 199) == 7_200)
    // After the last change the rule holds, and without a rule the last offset.
    #expect(zone.offsetSeconds(at: 1_783_000_000) == (version == 0 ? 3_600 : 7_200))
    let lasting = try Self.read(Self.file(version: version, footer: "\n\n"))
    #expect(lasting.offsetSeconds(at: 1_783_000_000) == 3_600)
  }

  @Test func `what contradicts itself is refused`() {
    let broken: [(TimeZoneFileError, [UInt8])] = [
      (.malformed(offset: 0, .noHeader), []),
      (.malformed(offset: 0, .cutShort), Array("TZif2".utf8)),
      (.malformed(offset: 0, .noHeader), [UInt8](repeating: 1, count: 44)),
      (.malformed(offset: 54 + 44, .badOffset), Self.file(offsets: [93_600, 0])),
      (.malformed(offset: 48, .disorder), Self.file(times: [200, 200])),
      (.malformed(offset: 53, .badIndex), Self.file(indexes: [1, 2])),
      (.malformed(offset: 36, .badCount), Self.file(times: [], indexes: [], offsets: [])),
      (.countsLeapSeconds, Self.file(leapSeconds: 1)),
    ]
    for (error, bytes) in broken {
      let thrown = #expect(throws: TimeZoneFileError.self) { try Self.read(bytes) }
      if case .malformed(_, let reason) = error, case .malformed(_, let found) = thrown {
        #expect(reason == found)
      } else {
        #expect(thrown == error)
      }
    }
    for footer in ["", "CET-1\n", "\nCET-1", "\nCET\n", "\n\u{FF}\n"] {
      #expect(throws: TimeZoneFileError.self) { try Self.read(Self.file(footer: footer)) }
    }
    #expect(throws: TimeZoneFileError.self) {
      try Self.read([UInt8](repeating: 0, count: TimeZoneRules.largestFileBytes + 1))
    }
  }

  @Test func `a file that is cut anywhere, or damaged, does no harm`() {
    let whole = Self.file(times: [-100, 0, 100, 200, 300], indexes: [0, 1, 0, 1, 0])
    for length in 0..<whole.count {
      #expect(throws: TimeZoneFileError.self) { try Self.read(Array(whole.prefix(length))) }
    }
    var state: UInt64 = 7
    func random(_ bound: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % bound
    }
    var accepted = 0
    for _ in 0..<20_000 {
      var bytes = whole
      for _ in 0...random(3) {
        switch random(4) {
        case 0: bytes[random(bytes.count)] = UInt8(random(256))
        case 1: bytes[random(bytes.count)] = [0, 1, 0x7F, 0x80, 0xFF][random(5)]
        case 2: bytes.removeSubrange(random(bytes.count)...)
        default: bytes.insert(UInt8(random(256)), at: random(bytes.count + 1))
        }
        if bytes.isEmpty { bytes = [0] }
      }
      guard let zone = try? Self.read(bytes) else { continue }
      accepted += 1
      for moment in [Int64.min, -1, 0, 150, 1_783_000_000, .max] {
        #expect((-90_000...93_600).contains(zone.offsetSeconds(at: moment)))
        _ = zone.reading(of: zone.civilTime(at: moment))
      }
    }
    #expect(accepted > 100)
  }
}
