/// `footage list` and `fetch`: the selection of recordings by camera, state, and times as people write them.
import Foundation
import LinuxTestSupport
import Testing

@Suite struct ListCommandTests {
  /// A zone as a rule, which needs no time zone database.
  static let berlin = "CET-1CEST,M3.5.0,M10.5.0/3"

  let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    for name in [
      "front/2026-11-20T14-19-00", "front/2026-11-20T14-20-00", "rear/2026-11-20T14-20-00",
      "front/2026-11-21T23-30-00", "2026-07-01/rear/12-00-00.250",
    ] {
      try add(name)
    }
    try Data().write(to: URL(fileURLWithPath: folder.path("rear/2026-11-20T15-00-00.mp4")))
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSinceNow: -3_600)], ofItemAtPath: folder.path("rear/2026-11-20T15-00-00.mp4")
    )
  }

  func add(_ name: String) throws {
    let file = URL(fileURLWithPath: folder.path(name + ".mp4"))
    try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try FileManager.default.copyItem(atPath: try Fixtures.clip(), toPath: file.path)
  }

  func list(_ arguments: String..., zone: String = berlin) throws -> Command.Outcome {
    try FootageProgram.command(
      ["list", "--recordings", folder.location] + arguments, environment: ["TZ": zone]
    ).run()
  }

  /// Returns the names in the rows.
  func names(_ arguments: String..., zone: String = berlin) throws -> [String] {
    let outcome = try FootageProgram.command(
      ["list", "--recordings", folder.location] + arguments, environment: ["TZ": zone]
    ).run()
    #expect(outcome.status == 0, "\(outcome.errors)")
    return outcome.lines.dropFirst().map { String($0.split(separator: " ")[0]) }
  }

  @Test func `times are the robot's and the reader's, and the table says whose`() throws {
    let here = try list()
    #expect(here.lines[0].contains("  STARTED (\(Self.berlin))  "))
    #expect(here.lines.contains { $0.hasPrefix("rear/2026-11-20T14-20-00 ") && $0.contains("  2026-11-20 14:20:00  ") })
    let utc = try list("--zone", "UTC")
    #expect(utc.lines[0].contains("  STARTED (UTC)  "))
    #expect(utc.lines.contains { $0.hasPrefix("front/2026-11-21T23-30-00 ") && $0.contains("  2026-11-21 22:30:00  ") })
    // The robot's names are in one zone, and the person is in another.
    let other = try list("--name-zone", "UTC")
    #expect(
      other.lines.contains { $0.hasPrefix("front/2026-11-20T14-20-00 ") && $0.contains("  2026-11-20 15:20:00  ") })
    let robot = try list("--name-zone", "UTC", "--zone", "robot")
    #expect(robot.lines[0].contains("  STARTED (UTC)  "))
    let json = try list("--json", "--camera", "rear", "--until", "2026-07-02")
    #expect(json.output.hasPrefix(#"{"robot":{"zone":"\#(Self.berlin)"},"recordings":[{"name":"2026-07-01/rear/"#))
    #expect(json.output.contains(#""startedAt":"2026-07-01T10:00:00.250Z","startedFrom":"name","#))
  }

  @Test func `a list has the camera, the state and the times that were asked for`() throws {
    #expect(try names().count == 6)
    #expect(try names("--camera", "rear").count == 3)
    let missing = try list("--camera", "2026-07-01")
    #expect(missing.status == 1 && missing.errors.contains("there is no camera '2026-07-01'"), "\(missing)")
    #expect(try names("--state", "refused") == ["rear/2026-11-20T15-00-00"])
    #expect(try names("--state", "ready", "--camera", "rear").count == 2)
    #expect(try names("--lasting", "0.5", "--camera", "rear").count == 2)
    #expect(try names("--lasting", "3600").isEmpty)
    let wrong = try list("--lasting", "1m")
    #expect(wrong.status == 64 && wrong.errors.contains("--lasting must be a number of seconds above 0"), "\(wrong)")
    #expect(
      try names("--since", "2026-11-20 14:20", "--until", "14:21")
        == ["front/2026-11-20T14-20-00", "rear/2026-11-20T14-20-00"])
    #expect(try names("--since", "2026-11-20 13:20", "--until", "2026-11-20 13:21", "--zone", "UTC").count == 2)
    // A day is included, in the zone of the person who asks.
    #expect(try names("--since", "2026-11-21", "--until", "2026-11-21") == ["front/2026-11-21T23-30-00"])
    #expect(try names("--since", "2026-11-22", "--name-zone", "UTC", "--zone", "UTC") == [])
    #expect(try names("--since", "2026-11-22", "--name-zone", "UTC") == ["front/2026-11-21T23-30-00"])
    let said = try list("--since", "2026-11-20 14:20", "--until", "14:21")
    #expect(said.errors == "since 2026-11-20 14:20:00 +0100, before 2026-11-20 14:21:00 +0100 (\(Self.berlin))\n")
  }

  @Test func `the cameras are listed in place of recordings`() throws {
    let table = try list("--cameras")
    #expect(table.status == 0 && table.errors.isEmpty, "\(table.errors)")
    #expect(table.lines[0].hasPrefix("CAMERA  RECORDINGS  FROM (\(Self.berlin))  "))
    #expect(
      table.lines.dropFirst().map { $0.split(separator: " ").prefix(4).joined(separator: " ") } == [
        "front 3 2026-11-20 14:19:00", "rear 2 2026-07-01 12:00:00",
      ])
    let json = try list("--cameras", "--json", "--zone", "UTC")
    #expect(json.output.hasPrefix(#"{"robot":{"zone":"\#(Self.berlin)"},"cameras":[{"name":"front","recordings":3,"#))
    #expect(json.output.contains(#""from":1795180740000,"#) && json.output.contains(#""live":false,"codec":"avc1."#))
  }

  @Test(arguments: [["--camera", "front"], ["--since", "yesterday"], ["--until", "now"], ["--state", "ready"]])
  func `what says which recordings are meant goes with no cameras`(arguments: [String]) throws {
    let outcome = try FootageProgram.command(["list", "--recordings", folder.location, "--cameras"] + arguments).run()
    #expect(
      outcome.status == 64 && outcome.errors.contains("--cameras cannot be combined with \(arguments[0])"),
      "\(outcome.errors)")
    #expect(outcome.output.isEmpty)
  }

  @Test func `a layout gives cameras and times`() throws {
    try add("x/20261120-10_15_30-side")
    let outcome = try list("--layout", "x/%Y%m%d-%H_%M_%S-{camera}", "--camera", "side", "--json")
    #expect(outcome.output.contains(#""camera":"side","#))
    #expect(outcome.output.contains(#""startedAt":"2026-11-20T09:15:30.000Z","startedFrom":"layout","#))
    #expect(outcome.errors.contains("does not fit the name"))
  }

  @Test(arguments: [
    (["--since", "whenever"], "--since must be a time, such as yesterday, 14:20, "),
    (["--until", "25:00"], "--until must be a time"),
    (["--state", "redy"], "--state must be ready, recording or refused"),
    (["--zone", "Nowhere/Land"], "--zone: t"), (["--name-zone", "Nowhere/Land"], "--name-zone: t"),
    (["--layout", "{camera}/%Q"], "layout '{camera}/%Q' has %Q"),
    (
      ["--since", "2026-11-20", "--until", "2026-11-19"], "--until must be later than --since, but they are 2026-11-20 "
    ),
  ])
  func `what makes no sense is told`(arguments: [String], words: String) throws {
    let outcome = try FootageProgram.command(["list", "--recordings", folder.location] + arguments).run()
    #expect(outcome.status == 64)
    #expect(outcome.errors.contains(words), "\(outcome.errors)")
    #expect(outcome.output.isEmpty)
  }

  @Test func `the folder of the catalog is still given by --state`() throws {
    try FileManager.default.createDirectory(atPath: folder.path("state"), withIntermediateDirectories: true)
    #expect(try names("--state", folder.path("state")).count == 6)
    #expect(FileManager.default.fileExists(atPath: folder.path("state/catalog.sqlite")))
    let inherited = try FootageProgram.command(
      ["list", "--recordings", folder.location, "--state", "refused"],
      environment: ["FOOTAGE_STATE": folder.path("other")]
    ).run()
    #expect(inherited.lines.count == 2, "\(inherited.errors)")
    // That folder belongs to the server, if there is one.
    #expect(!FileManager.default.fileExists(atPath: folder.path("other")))
    #expect(!FileManager.default.fileExists(atPath: folder.path(".footage")))
  }

  @Test func `a robot in another zone is asked in the words of either`() throws {
    let server = try Server(["--layout", "viam"], environment: ["TZ": Self.berlin])
    defer { server.kill() }
    for name in ["front/2026-11-20_14-19-00", "front/2026-11-20_14-20-00", "rear/2026-11-20_14-20-00"] {
      try server.addClip(name + ".mp4")
    }
    try eventually("all to be ready") { try server.list().count { $0.state == "ready" } == 3 }
    try server.waitForLine(
      with: "names are read by the layout viam; times in names without a zone are read as \(Self.berlin)")
    let access = ["--robot", FetchTests.robot(server), "--pin", server.pin]
    func run(_ arguments: [String]) throws -> Command.Outcome {
      try FootageProgram.command(arguments + access, environment: ["TZ": "EST5"]).run()
    }
    let mine = try run(["list", "--since", "2026-11-20 08:20"])
    #expect(mine.lines.count == 3, "\(mine.errors)")
    #expect(mine.lines[0].contains("STARTED (EST5)"))
    #expect(mine.lines[1].contains("  2026-11-20 08:20:00  "))
    let robots = try run(["list", "--since", "2026-11-20 14:20", "--zone", "robot", "--camera", "rear"])
    #expect(robots.lines.count == 2, "\(robots.errors)")
    #expect(robots.lines[1].contains("  2026-11-20 14:20:00  "))
    #expect(robots.errors == "since 2026-11-20 14:20:00 +0100 (\(Self.berlin))\n")
    let cameras = try run(["list", "--cameras"])
    #expect(cameras.lines.count == 3, "\(cameras.errors)")
    #expect(cameras.lines[1].hasPrefix("front            2  2026-11-20 08:19:00  2026-11-20 08:2"))
    let written = try run(["list", "--cameras", "--json"])
    #expect(
      written.output.hasPrefix(#"{"robot":{"zone":"\#(Self.berlin)"},"cameras":[{"name":"front","recordings":2,"#))
    let out = folder.path("out/")
    let fetched = try run(["fetch", "--camera", "front", "--until", "2026-11-20 08:20", "-o", out])
    #expect(fetched.lines == [out + "front/2026-11-20_14-19-00.mp4"], "\(fetched.errors)")
    let senseless = try run(["fetch", "--since", "2026-11-20", "--until", "2026-11-01", "-o", out])
    #expect(senseless.status == 64 && senseless.errors.contains("(footage fetch --help explains it)"))
  }
}
