/// Operators' layouts, and their reading of names.

import FootageBase
import LinuxTestSupport
import Testing

@testable import FootageLibrary

@Suite struct RecordingLayoutTests {
  static func naming(_ layout: String, zone: String = "CET-1CEST,M3.5.0,M10.5.0/3") throws -> RecordingNaming {
    RecordingNaming(
      layout: try RecordingLayout(layout), zone: TimeZoneRules(name: zone, rule: try #require(POSIXTimeZone(zone))))
  }

  @Test(
    arguments: [
      ("{camera}/%Y-%m-%dT%H-%M-%S", "front/2026-11-20T11-15-30", "front", 0),
      ("%Y-%m-%d/%H/{camera}/%M.%S", "2026-11-20/11/front/15.30", "front", 0),
      ("{camera}_%Y%m%d%H%M%S%f", "front_left_20261120111530250", "front_left", 250),
      ("rec-{camera}-%Y-%m-%d_%H-%M-%S.%f", "rec-a-b-2026-11-20_11-15-30.25", "a-b", 250),
      ("{camera}/{camera}_%Y%m%d_%H%M%S", "front/front_20261120_111530", "front", 0),
      ("%Y-%m-%d/{camera}_%Y-%m-%d_%H-%M-%S", "2026-11-20/ü_2026-11-20_11-15-30", "ü", 0),
      ("%d.%m.%Y/%H.%M.%S", "20.11.2026/11.15.30", nil, 0), ("100%% {camera}/%s", "100% x/1795169730", "x", 0),
      ("{camera}/%s%f", "x/1795169730250", "x", 250), ("{camera}/%s-%f", "x/1795169730-250999", "x", 250),
      ("%Y-%m-%dT%H-%M-%S%z", "2026-11-20T10-15-30Z", nil, 0),
      ("%Y-%m-%dT%H-%M-%S%z", "2026-11-20T05-15-30-0500", nil, 0),
      ("{camera}/%Y-%m-%d_%H-%M-%S-%f-%z", "front/2026-11-20_17-15-30-250000-+0700", "front", 250),
      ("mediamtx", "front/2026-11-20_11-15-30-250000", "front", 250), ("viam", "front/2026-11-20_11-15-30", "front", 0),
      ("viam", "front/1795169730", "front", 0),
      // Cameras in suffixes, counters, and ends.
      ("{}/%Y%m%d%H%M%S_{number}{camera}", "viofo/20261120111530_000123F", "F", 0),
      ("%Y%m%d%H%M%S_{number}{camera}", "20261120111530_1PR", "PR", 0),
      ("{}/%Y-%m-%d_%H-%M-%S-{camera}", "tesla/2026-11-20_11-15-30-left_repeater", "left_repeater", 0),
      ("{}/NO%Y%m%d-%H%M%S-{number}{camera}", "70mai/NO20261120-111530-000001B", "B", 0),
      ("{}/REC_%Y_%m_%d_%H_%M_%S_{camera}", "thinkware/REC_2026_11_20_11_15_30_R", "R", 0),
      ("{}/NVR_{camera}_main_%Y%m%d%H%M%S_{}", "x/NVR_ch1_main_20261120111530_20261120112030", "ch1", 0),
      ("{camera}/%Y%m%d%H%M%S{}", "front/20261120111530", "front", 0),
      ("{camera}/%Y%m%d%H%M%S{}", "front/20261120111530_00-x_y", "front", 0),
      ("{camera}/%s.%f{}", "front/1795169730.25abc", "front", 250),
      ("{}-{camera}_%Y%m%d%H%M%S_{number}", "a-b_c-d_20261120111530_1", "b_c-d", 0),
      ("{}/{}/{camera}/%s", "a/b/c/1795169730", "c", 0), ("{}{number}x{camera}-%s", "ab12xc-1795169730", "c", 0),
      // Frigate writes UTC regardless of the robot's zone.
      ("frigate", "2026-11-20/10/front/15.30", "front", 0),
    ] as [(String, String, String?, Int64)])
  func `a layout gives camera and start`(layout: String, name: String, camera: String?, milliseconds: Int64) throws {
    let meaning = try Self.naming(layout).meaning(of: name)
    #expect(meaning.isByLayout)
    #expect(meaning.camera == camera)
    let start = meaning.start(TimeWitnesses(creationSeconds: 1_700_000_000, modifiedNanoseconds: 0), now: Catalog.now)
    #expect(start == StartTime(UnixTimestamp(milliseconds: 1_795_169_730_000 + milliseconds), .layout))
  }

  @Test(arguments: [
    ("{camera}/%Y-%m-%dT%H-%M-%S", "2026-11-20T11-15-30"), ("{camera}/%Y-%m-%dT%H-%M-%S", "a/b/2026-11-20T11-15-30"),
    ("{camera}/%Y-%m-%dT%H-%M-%S", "/2026-11-20T11-15-30"), ("{camera}/%Y-%m-%dT%H-%M-%S", "a/2026-11-20T11-15-30x"),
    ("{camera}/%Y-%m-%dT%H-%M-%S", "a/2026-11-31T11-15-30"), ("{camera}/%Y-%m-%dT%H-%M-%S", "a/1926-11-20T11-15-30"),
    ("{camera}/{camera}_%s", "front/rear_1795169730"), ("%Y%m%d/%Y%m%d%H%M%S", "20261120/20261121111530"),
    ("{camera}/%s", "x/179516973"), ("{camera}/%s", "x/1000000000"), ("frigate", "2026-11-20/24/front/15.30"),
    ("%Y-%m-%dT%H-%M-%S%z", "2026-11-20T10-15-30"), ("{camera}%s", "1795169730"),
    ("{}%s", "a/1795169730"), ("%s{}", "1795169730/a"), ("{camera}/%s{number}", "x/1795169730"),
    ("%Y%m%d%H%M%S_{number}{camera}", "20261120111530_F"), ("%Y%m%d%H%M%S_{number}{camera}", "20261120111530_12"),
  ])
  func `a name that does not fit is read by the usual rules`(layout: String, name: String) throws {
    let meaning = try Self.naming(layout).meaning(of: name)
    #expect(!meaning.isByLayout)
    #expect(meaning == RecordingNaming(zone: try Self.naming(layout).zone).meaning(of: name))
  }

  @Test(arguments: [
    ("", "there is no layout ''"), ("frigates", "use frigate, mediamtx, viam, or a pattern"),
    ("{camera}/%Y-%m-%d", "has no complete time"), ("{camera}", "has no complete time"),
    ("{cam}/%s", "does not begin {camera}"),
    ("{camera}/%q", "has %q"), ("{camera}/%s%", "has % at its end"), ("/data/{camera}/%s", "begins with a /"),
    ("{camera}/%s.mp4", "ends with an extension"),
    ("{camera}{camera}%s", "nothing tells where {camera} ends: write {camera} once, or put the text between them"),
    ("{camera}{}/%s", "has {camera}{}, and nothing tells where {camera} ends: write the characters that stand"),
    ("%s_{}{camera}", "or {number}{camera} if only a counter precedes the camera"),
    ("{}{}%s", "write {} once"), ("{number}{number}%s", "a digit right after {number}"),
    ("{number}%s", "a digit right after {number}"), ("%s{number}0", "a digit right after {number}"),
    ("{numbers}/%s", "does not begin {camera}, {number}"), ("{", "does not begin"), ("{%s", "does not begin"),
  ])
  func `a layout that makes no sense is refused with what to do`(layout: String, words: String) {
    let error = #expect(throws: RecordingLayoutError.self) { try RecordingLayout(layout) }
    #expect(error?.description.contains(words) == true, "\(error?.description ?? "")")
  }

  @Test(arguments: [
    ("{camera}-{camera}-%s", String(repeating: "a", count: 4_000)),
    ("{camera}-{}-{}-{}-{}-{}-%s", String(repeating: "-", count: 4_000)),
    ("{}_{}_{camera}_{camera}_{}_%Y%m%d%H%M%S", String(repeating: "a_", count: 2_000)),
  ])
  func `a long name against a layout with several wildcards is no work`(layout: String, name: String) throws {
    #expect(try !Self.naming(layout).meaning(of: name).isByLayout)
    // The limit counts steps: a name that fits within it is found, whatever follows in the name.
    #expect(try Self.naming("{}-{}-%s").meaning(of: String(repeating: "-", count: 100) + "1795169730").isByLayout)
  }

  // MARK: In a library

  @Test func `a changed layout or zone needs no file to be read again`() throws {
    let fixture = try LibraryFixture(role: .command, isStarted: false)
    try makeFolder(fixture.folder.path("2026-11-20"))
    try put(Samples.moovLast, fixture.folder.path("2026-11-20/11_15_30 front.mp4"))
    fixture.library.refresh()
    let name = "2026-11-20/11_15_30 front"
    #expect(fixture[name]?.camera == nil)
    #expect(fixture[name]?.start == StartTime(UnixTimestamp(seconds: 1_795_173_330), .name))
    let log = EventLog<LibraryEvent>()
    let naming = try Self.naming("%Y-%m-%d/%H_%M_%S {camera}")
    let library = try RecordingLibrary(
      recordings: fixture.folder.location, role: .command, naming: naming, log: { log.append($0) })
    let recording = library.withWorker { $0.snapshot.recording(named: name) }
    #expect(recording?.camera == "front")
    #expect(recording?.start == StartTime(UnixTimestamp(seconds: 1_795_169_730), .layout))
    library.refresh()
    #expect(!log.all.contains { if case .ready = $0 { true } else { false } })
  }

  @Test func `what no layout fits, and what begins in the future, is said once`() throws {
    let folder = try TestFolder.make(["a.mp4", "b.mp4", "x/2090-01-01T00-00-00.mp4", "y/2090-01-01T00-00-00.mp4"])
    let log = EventLog<LibraryEvent>()
    let library = try RecordingLibrary(
      recordings: folder.location, role: .command, naming: try Self.naming("{camera}/%Y-%m-%dT%H-%M-%S"),
      log: { log.append($0) })
    library.refresh()
    #expect(log.warnings.count { $0.contains("does not fit the name") } == 1)
    #expect(log.warnings.count { $0.contains("ahead of the clock") && $0.contains("--name-zone") } == 1)
    let again = EventLog<LibraryEvent>()
    let second = try RecordingLibrary(recordings: folder.location, role: .command, log: { again.append($0) })
    second.refresh()
    #expect(again.warnings.count { $0.contains("ahead of the clock") } == 1)
  }
}

private enum TestFolder {
  static func make(_ names: [String]) throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    for name in names {
      if let slash = name.lastIndex(of: "/") { try makeFolder(folder.path(String(name[..<slash]))) }
      try put(Samples.moovLast, folder.path(name))
    }
    return folder
  }
}
