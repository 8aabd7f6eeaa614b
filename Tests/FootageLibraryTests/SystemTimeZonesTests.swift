/// The zones of a machine: by name, by the variable `TZ`, by /etc/localtime.

import FootageBase
import Foundation
import LinuxTestSupport
import Testing

@testable import FootageLibrary

@Suite struct SystemTimeZonesTests {
  let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try makeFolder(folder.path("zoneinfo"))
    try makeFolder(folder.path("zoneinfo/Europe"))
    // Version 1, with one type: an hour east.
    var file = Array("TZif".utf8) + [UInt8](repeating: 0, count: 16)
    for count in [0, 0, 0, 0, 1, 4] as [UInt8] { file += [0, 0, 0, count] }
    file += [0, 0, 14, 16, 0, 0] + Array("CET\0".utf8)
    try put(file, folder.path("zoneinfo/Europe/Berlin"))
    try put(Array("no zone".utf8), folder.path("zoneinfo/zone.tab"))
    try put(file, folder.path("copied"))
  }

  func zones(_ variable: String? = nil, local: String? = nil) -> SystemTimeZones {
    SystemTimeZones(
      variable: variable, folder: folder.path("zoneinfo"), localFile: local ?? folder.path("localtime"))
  }

  /// Returns the local zone's name and offset, and the warnings.
  func local(_ zones: SystemTimeZones) -> (name: String, offset: Int, warnings: [String]) {
    var warnings: [String] = []
    let zone = zones.local { warnings.append($0) }
    return (zone.name, zone.offsetSeconds(at: 0), warnings)
  }

  @Test(arguments: [
    ("Europe/Berlin", "Europe/Berlin", 3_600), (":Europe/Berlin", "Europe/Berlin", 3_600), ("", "UTC", 0),
    (":", "UTC", 0), ("CET-1CEST,M3.5.0,M10.5.0/3", "CET-1CEST,M3.5.0,M10.5.0/3", 3_600), ("EST5", "EST5", -18_000),
  ])
  func `the variable TZ is the local zone where it is set`(variable: String, name: String, offset: Int) {
    let found = local(zones(variable))
    #expect(found.name == name)
    #expect(found.offset == offset)
    #expect(found.warnings.isEmpty)
  }

  @Test func `TZ may be the path of a file`() {
    #expect(local(zones(folder.path("zoneinfo/Europe/Berlin"))).name == "Europe/Berlin")
    #expect(local(zones(":" + folder.path("copied"))).name == folder.path("copied"))
    #expect(local(zones(folder.path("copied"))).offset == 3_600)
  }

  @Test(arguments: ["Nowhere/Land", "zone.tab", "../copied", "/nowhere", "Europe"])
  func `a TZ that is no zone is UTC, as for all programs, and that is said`(variable: String) {
    let found = local(zones(variable))
    #expect(found.name == "UTC")
    #expect(found.offset == 0)
    #expect(found.warnings.count == 1)
    #expect(found.warnings.first?.utf8.starts(with: "the variable TZ: ".utf8) == true)
  }

  @Test func `without TZ it is what localtime points to`() throws {
    #expect(local(zones()).name == "UTC")
    try FileManager.default.createSymbolicLink(
      atPath: folder.path("localtime"), withDestinationPath: folder.path("zoneinfo/Europe/Berlin"))
    #expect(local(zones()).name == "Europe/Berlin")
    #expect(local(zones()).offset == 3_600)
    // A copy does not reveal which zone it is a copy of.
    let copied = local(zones(local: folder.path("copied")))
    #expect(copied.name == "local")
    #expect(copied.offset == 3_600)
    #expect(local(zones(local: folder.path("zoneinfo/zone.tab"))).warnings.count == 1)
  }

  @Test func `a zone by name is found, or the error says what to do`() throws {
    let none: (String) -> Void = { Issue.record("warned: \($0)") }
    #expect(try zones().zone("Europe/Berlin", warn: none).offsetSeconds(at: 0) == 3_600)
    #expect(try zones("EST5").zone("UTC", warn: none) == .utc)
    #expect(try zones("EST5").zone("local", warn: none).name == "EST5")
    for name in ["Europe/berlin", "", "/etc/passwd", "../copied", "Europe/../Europe/Berlin", "Europe", "EST5"] {
      let error = #expect(throws: TimeZoneError.self) { try zones().zone(name, warn: none) }
      #expect(error?.description.contains("spell it as the time zone database does") == true)
    }
    let missing = SystemTimeZones(variable: nil, folder: folder.path("none"), localFile: folder.path("none"))
    let error = #expect(throws: TimeZoneError.self) { try missing.zone("Europe/Berlin", warn: none) }
    #expect(error?.description.contains("install the package tzdata") == true)
    let broken = #expect(throws: TimeZoneError.self) { try zones().zone("zone.tab", warn: none) }
    #expect(broken?.description.contains("has no TZif header") == true)
  }

  @Test(
    arguments: [
      (
        "Europe/Berlin",
        [
          (-1_500_000_000, 3_600), (330_000_000, 7_200), (1_774_745_999, 3_600), (1_774_746_000, 7_200),
          (4_000_000_000, 7_200),
        ]
      ),
      (
        "Australia/Lord_Howe", [(0, 36_000), (1_325_239_200, 39_600), (2_500_000_000, 39_600), (4_000_000_000, 37_800)]
      ),
      ("Pacific/Apia", [(1_325_239_199, -36_000), (1_325_239_200, 50_400), (1_774_745_999, 46_800)]),
      ("Europe/Dublin", [(1_774_745_999, 0), (1_774_746_000, 3_600), (2_500_000_000, 0), (4_000_000_000, 3_600)]),
      ("Antarctica/Troll", [(1_774_745_999, 0), (1_774_746_000, 7_200), (4_000_000_000, 7_200)]),
      ("Asia/Kathmandu", [(0, 19_800), (4_000_000_000, 20_700)]),
    ] as [(String, [(Int64, Int)])])
  func `the zones of the installed database are what they are`(name: String, offsets: [(Int64, Int)]) throws {
    let zone = try SystemTimeZones(variable: nil).zone(name) { Issue.record("warned: \($0)") }
    for (moment, offset) in offsets { #expect(zone.offsetSeconds(at: moment) == offset, "\(name) at \(moment)") }
  }
}
