/// `footage keep`, `release` and `kept`, on a folder and next to a running server.
import FootageAPI
import Foundation
import LinuxTestSupport
import Testing

@Suite struct KeepCommandTests {
  private let folder: TemporaryFolder
  private static let names = ["2026-11-20T14-19-00", "2026-11-20T14-20-00", "2026-11-20T14-21-00"].map { "front/\($0)" }

  init() throws {
    folder = try TemporaryFolder()
    for name in Self.names + ["alone"] {
      let file = URL(filePath: folder.path("recordings/\(name).mp4"))
      try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try FileManager.default.copyItem(atPath: try Fixtures.clip(), toPath: file.path)
    }
  }

  private var recordings: String { folder.path("recordings") }

  private func footage(_ arguments: String...) throws -> Command.Outcome {
    let words = [arguments[0], "--recordings", recordings] + arguments.dropFirst()
    return try FootageProgram.command(words, environment: ["TZ": "UTC"]).run()
  }

  @Test func `a running server notices what is kept and released beside it`() throws {
    let server = try Server(folder: folder)
    defer { server.kill() }
    try server.waitForState("ready", of: "alone")
    let kept = try footage("keep", "alone")
    #expect(kept.succeeded && kept.output == "alone\n", "\(kept.errors)")
    try eventually("it is listed as kept; \(server.story)") { try server.item("alone")?.item.isKept == true }
    #expect(try server.item(Self.names[0])?.item.isKept == false)
    #expect(try footage("kept").lines.map { $0.split(separator: " ").first } == ["NAME", "alone"])
    #expect(try footage("release", "alone").output == "alone\n")
    try eventually("it is so no longer; \(server.story)") { try server.item("alone")?.item.isKept == false }
    #expect(try footage("kept").output == "")
    try server.stop()
  }

  @Test func `a camera and a time name what has a moment of it, in the zone of who types`() throws {
    let kept = try footage("keep", "--camera", "front", "--from", "2026-11-20 14:20", "--to", "2026-11-20 14:21")
    #expect(kept.output == "\(Self.names[1])\n", "\(kept.errors)")
    #expect(kept.errors.contains("since 2026-11-20 14:20:00 +0000, before 2026-11-20 14:21:00 +0000 (UTC)"))
    let berlin = try footage(
      "release", "--camera", "front", "--from", "2026-11-20T15:19:00+01:00", "--to", "14:21")
    #expect(berlin.output == "\(Self.names[1])\n\(Self.names[0])\n", "\(berlin.errors)")
    #expect(try footage("keep", "--camera", "", "--from", "2026-11-20", "--to", "now").output == "alone\n")
    #expect(try footage("keep", "--camera", "rear", "--from", "2026-11-20", "--to", "2026-11-20").status == 1)
  }

  @Test func `what is not there is an error, and does not keep the others from being done`() throws {
    let outcome = try footage("keep", "none", "alone")
    #expect(outcome.status == 1 && outcome.output == "alone\n")
    #expect(outcome.errors.contains("there is no recording none: footage list shows the recordings"))
  }

  @Test(arguments: [
    ([], "name recordings"), (["--camera", "front"], "--camera, --from and --to"),
    (["alone", "--camera", "front"], "either names or --camera"),
    (["--camera", "front", "--from", "soon", "--to", "now"], "--from must be a time"),
    (["--camera", "front", "--from", "2026-11-20", "--to", "2026-11-19"], "--to must be later"),
    (["--mark-disk", "x"], "too many"),
  ])
  func `a command line that makes no sense is told`(words: [String], expected: String) throws {
    let outcome = try FootageProgram.command(["keep", "--recordings", recordings] + words).run()
    #expect(outcome.status == 64 && outcome.errors.contains(expected), "\(outcome.errors)")
  }

  @Test func `the disk is marked once, by an empty file`() throws {
    for _ in 0..<2 { #expect(try footage("keep", "--mark-disk").succeeded) }
    #expect(FileManager.default.contents(atPath: folder.path("recordings/.footage-disk")) == Data())
    #expect(try footage("kept").output == "")
  }
}
