import FootageBase
import Testing

@testable import FootageCommands

/// Times as people type them on the command line.
@Suite struct FilterOptionsTests {
  /// 2026-11-20T12:00:00Z, a Friday.
  private static let now = UnixTimestamp(seconds: 1_795_176_000)
  private static let berlin =
    POSIXTimeZone("CET-1CEST,M3.5.0,M10.5.0/3").map { TimeZoneRules(name: "Europe/Berlin", rule: $0) } ?? .utc

  private func options(_ arguments: String...) throws(UsageError) -> FilterOptions {
    try FilterOptions(
      try ParsedArguments(arguments, for: Usage("list", "Lists.", options: FilterOptions.options)) { _ in nil })
  }

  private func words(_ arguments: String...) throws -> String? {
    let usage = Usage("list", "Lists.", options: FilterOptions.options)
    let options = try FilterOptions(try ParsedArguments(arguments, for: usage) { _ in nil })
    return try options.bounds(now: Self.now, robot: Self.berlin).words
  }

  @Test func `without an option nothing is left out`() throws {
    let options = try options()
    #expect(options.isEmpty && options.camera == nil)
    let bounds = try options.bounds(now: Self.now, robot: Self.berlin)
    #expect(bounds.since == nil && bounds.until == nil && bounds.words == nil)
  }

  @Test func `a camera is named`() throws {
    let options = try options("--camera", "front")
    #expect(options.camera == "front" && !options.isEmpty)
  }

  @Test(
    arguments: [
      (["--since", "2026-11-19 14:20"], "since 2026-11-19 14:20:00 +0100 (Europe/Berlin)"),
      (["--since", "2026-11-19"], "since 2026-11-19 00:00:00 +0100 (Europe/Berlin)"),
      // The named day is included.
      (["--until", "2026-11-19"], "before 2026-11-20 00:00:00 +0100 (Europe/Berlin)"),
      // The clocks go back at 03:00.
      (
        ["--since", "2026-10-25 02:30", "--until", "2026-10-25 02:30"],
        "since 2026-10-25 02:30:00 +0200, before 2026-10-25 02:30:00 +0100 (Europe/Berlin)"
      ),
      (
        ["--since", "2026-11-19T23:00:00Z", "--until", "2026-11-20T01:00:00Z"],
        "since 2026-11-20 00:00:00 +0100, before 2026-11-20 02:00:00 +0100 (Europe/Berlin)"
      ),
    ])
  func `a time is told as it is understood`(arguments: [String], expected: String) throws {
    let usage = Usage("list", "Lists.", options: FilterOptions.options)
    let parsed = try ParsedArguments(arguments + ["--zone", "robot"], for: usage) { _ in nil }
    #expect(try FilterOptions(parsed).bounds(now: Self.now, robot: Self.berlin).words == expected)
  }

  @Test func `the zone that is named counts, for what is typed and what is told`() throws {
    #expect(try words("--zone", "UTC", "--since", "2026-11-19 14:20") == "since 2026-11-19 14:20:00 +0000 (UTC)")
    let utc = try options("--zone", "UTC", "--since", "2026-11-19 14:20").bounds(now: Self.now, robot: Self.berlin)
    let robot = try options("--zone", "robot", "--since", "2026-11-19 14:20").bounds(now: Self.now, robot: Self.berlin)
    #expect(utc.since == UnixTimestamp(seconds: 1_795_098_000))
    #expect(robot.since == UnixTimestamp(seconds: 1_795_098_000 - 3_600))
  }

  @Test(arguments: ["since", "until"])
  func `what is no time is told with examples`(option: String) {
    let error = #expect(throws: UsageError.self) { try options("--\(option)", "whenever") }
    #expect(error?.description == "--\(option) must be a time, such as \(SpokenTime.examples), not 'whenever'")
  }

  @Test func `an end that is not behind its beginning is told`() throws {
    let options = try options("--zone", "UTC", "--since", "2026-11-19 14:20", "--until", "2026-11-19 14:20")
    let error = #expect(throws: CommandFailure.self) { try options.bounds(now: Self.now, robot: Self.berlin) }
    #expect(
      "\(String(describing: error))".contains(
        "--until must be later than --since, but they are 2026-11-19 14:20:00 +0000 and 2026-11-19 14:20:00 +0000 (UTC)"
      ))
  }

  @Test func `a zone that nobody knows is told`() throws {
    let options = try options("--zone", "Atlantis/Sunken", "--since", "2026-11-19")
    let error = #expect(throws: CommandFailure.self) { try options.bounds(now: Self.now, robot: Self.berlin) }
    #expect("\(String(describing: error))".contains("--zone: "))
  }
}
