/// Recordings that an earlier version made, rebuilt by the command line, with and without a server.

import FootageBase
import Foundation
import FootageSystem
import LinuxTestSupport
import Testing

@Suite struct IngestAgainTests {
  /// Makes all rows of a catalog those of older rules, with a preamble of theirs for the first.
  private func makeOlder(_ state: String) throws {
    try Database(path: "\(state)/catalog.sqlite").execute(
      "UPDATE recordings SET rules = 2, duration_s = duration_s + 9")
  }

  private func duration(_ name: String, of server: Server) throws -> Double? {
    try JSONValue(Array(server.get("/recordings/\(name).json").utf8))?["duration"]?.double
  }

  @Test func `a server rebuilds what is named, and doctor counts the rest`() throws {
    let run = try TemporaryFolder()
    let variables = ["RUNTIME_DIRECTORY": run.location]
    let folder = try TemporaryFolder()
    for name in ["a.mp4", "b.mp4", "c.mp4"] {
      try FileManager.default.createDirectory(
        atPath: folder.path("recordings/front"), withIntermediateDirectories: true)
      try FileManager.default.copyItem(atPath: try Fixtures.clip(), toPath: folder.path("recordings/front/\(name)"))
    }
    let first = try Server([], folder: folder, environment: variables)
    for name in ["a", "b", "c"] { try first.waitForState("ready", of: "front/\(name)") }
    let right = try #require(try duration("front/a", of: first))
    try first.stop()
    try makeOlder(folder.path("recordings/.footage"))

    let server = try Server([], folder: folder, environment: variables)
    defer { server.kill() }
    try server.waitForState("ready", of: "front/a")
    #expect(try duration("front/a", of: server) == right + 9)
    let recordings = folder.path("recordings")
    func again(_ arguments: String...) throws -> Command.Outcome {
      try FootageProgram.command(
        ["ingest", "--again", "--recordings", recordings] + arguments, environment: variables
      ).run()
    }
    func doctor() throws -> String {
      try FootageProgram.command("doctor", environment: variables).run().output
    }
    #expect(try doctor().contains("3 recordings were made by the rules of an earlier version"))
    let one = try again("front/a.mp4", "front/none")
    #expect(one.status == 1 && one.output.contains("front/a: rebuilt with a new sample index"), "\(one)")
    #expect(one.errors.contains("there is no recording front/none"), "\(one.errors)")
    #expect(try duration("front/a", of: server) == right)
    #expect(try duration("front/b", of: server) == right + 9)
    #expect(try doctor().contains("2 recordings were made by the rules of an earlier version"))
    let all = try again("--all", "--json")
    let lines = all.output.split(separator: "\n").compactMap { JSONValue(Array($0.utf8)) }
    #expect(lines.map { $0["name"]?.string } == ["front/b", "front/c"] && all.succeeded, "\(all)")
    #expect(lines.allSatisfy { $0["outcome"]?.string == "rebuilt" && $0["why"]?.string == "model" })
    #expect(try duration("front/c", of: server) == right)
    let nothing = try again("--all")
    #expect(nothing.succeeded && nothing.output.isEmpty && nothing.errors.contains("nothing to do"), "\(nothing)")
    #expect(try !doctor().contains("earlier version"))
    #expect(server.log.contains("requests ingest --again: front/b"))
    try server.stop()
    // A server that starts later serves what was rebuilt.
    let last = try Server([], folder: folder, environment: variables)
    defer { last.kill() }
    try last.waitForState("ready", of: "front/c")
    #expect(try duration("front/c", of: last) == right)
    try last.stop()
  }

  @Test func `without a server the command rebuilds them itself, and beside one that does not answer it refuses`()
    throws
  {
    let folder = try TemporaryFolder()
    let nowhere = ["RUNTIME_DIRECTORY": folder.path("nobody")]
    try FileManager.default.createDirectory(atPath: folder.path("recordings"), withIntermediateDirectories: true)
    try FileManager.default.copyItem(atPath: try Fixtures.clip(), toPath: folder.path("recordings/a.mp4"))
    let recordings = folder.path("recordings")
    func ingest(_ arguments: String...) throws -> Command.Outcome {
      try FootageProgram.command(
        ["ingest", "--recordings", recordings] + arguments, environment: nowhere
      ).run()
    }
    #expect(try ingest("\(recordings)/a.mp4").output == "/recordings/a.mp4\n")
    try makeOlder("\(recordings)/.footage")
    let server = try Server([], folder: folder, environment: ["RUNTIME_DIRECTORY": folder.path("other")])
    try server.waitForState("ready", of: "a")
    let beside = try ingest("--again", "--all")
    #expect(beside.status == 1 && beside.errors.contains("does not answer on its socket"), "\(beside)")
    try server.stop()
    let doctor = try FootageProgram.command("doctor", "--recordings", recordings, environment: nowhere).run()
    #expect(doctor.output.contains("1 recording was made by the rules of an earlier version"), "\(doctor.output)")
    let rebuilt = try ingest("--again", "a.mp4")
    #expect(rebuilt.succeeded && rebuilt.output.hasPrefix("a: rebuilt with a new sample index"), "\(rebuilt)")
    let same = try ingest("--again", "a")
    #expect(same.succeeded && same.output == "a: unchanged: the present rules have the same result\n", "\(same)")
    #expect(try ingest("--again", "none").status == 1)
    for wrong in [["--again"], ["--again", "--all", "a"], ["--all"], ["--json", "a.mp4"]] {
      let outcome = try FootageProgram.command(["ingest"] + wrong).run()
      #expect(outcome.status == 64, "\(wrong): \(outcome)")
    }
  }
}
