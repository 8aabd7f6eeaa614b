/// `footage export`: a recording as it is served, as a plain file, completely or not at all.
import Foundation
import LinuxTestSupport
import Testing

@Suite struct ExportTests {
  let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try FileManager.default.createDirectory(atPath: folder.path("recordings"), withIntermediateDirectories: true)
    try FileManager.default.createDirectory(atPath: folder.path("out"), withIntermediateDirectories: true)
  }

  private func add(_ source: String, as name: String) throws {
    try FileManager.default.copyItem(atPath: source, toPath: folder.path("recordings/" + name))
  }

  private func export(
    _ name: String, to target: String, environment: [String: String] = [:]
  ) throws -> Command.Outcome {
    try FootageProgram.command(
      "export", "--recordings", folder.path("recordings"), name, "-o", target, environment: environment
    ).run()
  }

  private func bytes(_ path: String) -> Data? { FileManager.default.contents(atPath: path) }

  /// Returns the names of the files in the target folder.
  private func names() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: folder.path("out")) }

  @Test func `an exported file has the bytes that are served`() throws {
    let kinds = ["moov-last.mp4", "moov-first.mp4", "frag-keyframe.mp4", "gst-fragmented.mp4", "gst-qtmux.mov"]
    for kind in kinds { try add(Zoo.path(kind), as: kind) }
    let server = try Server(folder: folder)
    defer { server.kill() }
    for kind in kinds {
      let name = String(kind.dropLast(4))
      let item = try server.waitForState("ready", of: name)
      let outcome = try export(name, to: folder.path("out/" + kind))
      #expect(outcome.succeeded && outcome.output.isEmpty, "\(outcome.errors)")
      #expect(bytes(folder.path("out/" + kind)) == (try server.download(item.url)), "\(kind)")
    }
    #expect(try names().sorted() == kinds.sorted())
    try server.stop()
  }

  @Test func `it works without a server, replaces what was there, and leaves the recorder's file alone`() throws {
    try add(Fixtures.clip(), as: "a b.mp4")
    try Data("old".utf8).write(to: URL(fileURLWithPath: folder.path("out/x.mp4")))
    let outcome = try export("a b", to: folder.path("out/x.mp4"))
    #expect(outcome.succeeded, "\(outcome.errors)")
    let types = try Command("ffprobe", "-v", "trace", folder.path("out/x.mp4")).run().errors
    let moov = try #require(types.range(of: "type:'moov'")), mdat = try #require(types.range(of: "type:'mdat'"))
    #expect(moov.lowerBound < mdat.lowerBound)
    #expect(bytes(folder.path("recordings/a b.mp4")) == bytes(try Fixtures.clip()))
    #expect(try names() == ["x.mp4"])
  }

  @Test func `what cannot be exported is told, and nothing is written`() throws {
    try add(Fixtures.clip(), as: "x.mp4")
    try Data("no film".utf8).write(to: URL(fileURLWithPath: folder.path("recordings/text.mp4")))
    let recordings = folder.path("recordings")
    for (name, target, words) in [
      ("y", "out/y.mp4", "there is no recording y in "), ("text", "out/y.mp4", "recording text cannot be played: "),
      ("x", "out", "is a folder: name a file in it"), ("x", "nowhere/y.mp4", "No such file or directory"),
      ("x", "recordings/x.mp4", "it is the recorder's own file"),
    ] {
      let outcome = try export(name, to: folder.path(target))
      #expect(outcome.status == 1)
      #expect(outcome.errors.contains(words), "\(outcome.errors)")
    }
    #expect(bytes(recordings + "/x.mp4") == bytes(try Fixtures.clip()))
    #expect(try names().isEmpty)
    let outcome = try FootageProgram.command("export", "--recordings", recordings, "x").run()
    #expect(outcome.status == 64 && outcome.errors.hasPrefix("footage export: name the file to write: -o FILE"))
  }

  @Test(arguments: [
    ("copy_file_range", ENOSPC, "No space left on device (free some room on this file system)"),
    ("copy_file_range", EIO, "Input/output error"), ("fsync", EIO, "Input/output error"),
    ("fsync", ENOSPC, "No space left on device"),
  ])
  func `a disk that fails leaves the old file, and nothing else`(call: String, error: Int32, words: String) throws {
    try add(Fixtures.clip(), as: "x.mp4")
    try Data("old".utf8).write(to: URL(fileURLWithPath: folder.path("out/x.mp4")))
    let fault = try FaultyDisk(folder.path("fault"), paths: "/out/.footage-partial-", calls: call)
    try fault.begin(error)
    let outcome = try export("x", to: folder.path("out/x.mp4"), environment: fault.environment)
    #expect(fault.hits > 0)
    #expect(outcome.status == 1)
    #expect(outcome.errors.contains(words), "\(outcome.errors)")
    #expect(bytes(folder.path("out/x.mp4")) == Data("old".utf8))
    #expect(try names() == ["x.mp4"])
  }

  @Test(.enabled("needs to be root, and to be allowed to mount") { canMount() })
  func `a full disk leaves the old file, and nothing else`() throws {
    try add(Fixtures.clip(), as: "x.mp4")
    let disk = folder.path("out")
    _ = try Command("mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", disk).successfulOutput()
    defer { _ = try? Command("umount", disk).run() }
    try Data("old".utf8).write(to: URL(fileURLWithPath: disk + "/x.mp4"))
    let outcome = try export("x", to: disk + "/x.mp4")
    #expect(outcome.status == 1)
    #expect(
      outcome.errors.contains("No space left on device (free some room on this file system)"), "\(outcome.errors)")
    #expect(bytes(disk + "/x.mp4") == Data("old".utf8))
    #expect(try names() == ["x.mp4"])
  }

  private static func canMount() -> Bool {
    guard getuid() == 0, let folder = try? TemporaryFolder() else { return false }
    guard (try? Command("mount", "-t", "tmpfs", "tmpfs", folder.location).run().succeeded) == true else { return false }
    _ = try? Command("umount", folder.location).run()
    return true
  }

  @Test func `a recording that is written to meanwhile is not exported`() throws {
    try add(Fixtures.clip(), as: "x.mp4")
    // The recorder writes again between the copy and the check of the version.
    let fault = try FaultyDisk(folder.path("fault"), paths: "/out/.footage-partial-", calls: "fsync")
    try fault.beginTouching(folder.path("recordings/x.mp4"))
    let outcome = try export("x", to: folder.path("out/x.mp4"), environment: fault.environment)
    #expect(fault.hits > 0)
    #expect(outcome.status == 1)
    #expect(outcome.errors.contains("the file of recording x was changed"), "\(outcome.errors)")
    #expect(try names().isEmpty)
  }
}
