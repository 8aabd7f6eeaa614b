/// A disk that fails or blocks while a recording is opened, sent or closed.
import Foundation
import LinuxTestSupport
import Testing

@Suite struct DiskFaultTests {
  @Test func `an error in the middle of a response is logged with its reason, and the recording is looked at again`()
    throws
  {
    let folder = try TemporaryFolder()
    let disk = try FaultyDisk(folder.path("fault"), paths: "/x.mp4", calls: "read")
    let server = try Server([], folder: folder, environment: disk.environment)
    defer { server.kill() }
    try Fixtures.writeLargeRecording(to: server.file("x.mp4"))
    try server.waitForState("ready", of: "x")
    let transfer = try PausedTransfer(server, "/recordings/x.mp4")
    try disk.begin(EIO)
    #expect([18, 56].contains(transfer.finish().status))
    try server.waitForLine(with: " warning: the response to /recordings/x.mp4 was cut short: cannot read ")
    try server.waitForLine(with: "/x.mp4: Input/output error")
    try disk.end()
    try FileManager.default.setAttributes([.modificationDate: Date()], ofItemAtPath: server.file("x.mp4"))
    try server.waitForState("ready", of: "x")
    try eventually("it to be read again") { try server.status("/recordings/x.mp4", "--range", "0-1") == 206 }
    try server.stop()
  }

  @Test func `a recording that is removed while it is opened is not there`() throws {
    let folder = try TemporaryFolder()
    let disk = try FaultyDisk(folder.path("fault"), paths: "/heads/", calls: "read")
    let server = try Server(["--threads", "1"], folder: folder, environment: disk.environment)
    defer { server.kill() }
    try server.addClip("x.mp4")
    try server.waitForState("ready", of: "x")
    let before = disk.hits
    try disk.beginHolding()
    let asked = try server.curl("--output", "/dev/null", server.url + "/recordings/x.mp4").start()
    try eventually("the opening to be held") { disk.hits > before }
    try FileManager.default.removeItem(atPath: server.file("x.mp4"))
    try eventually("it to go") { try server.list().isEmpty }
    try disk.end()
    _ = asked.waitForEnd()
    #expect(try server.status("/recordings/x.mp4") == 404)
    let answers = try server.answered("\"GET /recordings/x.mp4\"")
    #expect(answers.count == 2 && answers.allSatisfy { $0.contains("\" 404 ") }, "\(answers)")
    try server.stop()
  }

  /// Closing the last descriptor of a deleted file frees its disk space, which may take long. Only threads that may
  /// block do that.
  @Test func `a deleted recording is closed while all threads that read are held, and keeps nobody waiting`() throws {
    let folder = try TemporaryFolder()
    let disk = try FaultyDisk(folder.path("fault"), paths: "/cold.mp4", calls: "read")
    let server = try Server(["--threads", "1"], folder: folder, environment: disk.environment)
    defer { server.kill() }
    try Fixtures.writeLargeRecording(to: server.file("cold.mp4"))
    try server.addClip("x.mp4")
    for name in ["cold", "x"] {
      try server.waitForState("ready", of: name)
      #expect(try server.status("/recordings/\(name).mp4", "--range", "0-1") == 206)
    }
    try disk.beginHolding()
    let before = disk.hits
    // One transfer for each thread that reads the disk.
    let cold = try (0..<2).map { number in
      try server.curl(
        "--range", "1\(number)000000-19999999", "--output", "/dev/null", server.url + "/recordings/cold.mp4"
      ).start()
    }
    try eventually("both threads to be held") { disk.hits >= before + 2 }
    try FileManager.default.removeItem(atPath: server.file("x.mp4"))
    try eventually("it to go") { try server.list().map(\.name) == ["cold"] }
    #expect(try server.status("/health?live") == 200)
    // A separate thread closes files while the reading threads are blocked.
    try eventually("it to be closed") { try !openFiles(of: server).contains { $0.contains("/x.mp4") } }
    try disk.end()
    for transfer in cold { _ = transfer.waitForEnd() }
    try server.stop()
  }

  private func openFiles(of server: Server) throws -> [String] {
    let folder = "/proc/\(server.process.processIdentifier)/fd/"
    return try FileManager.default.contentsOfDirectory(atPath: folder).compactMap {
      try? FileManager.default.destinationOfSymbolicLink(atPath: folder + $0)
    }
  }
}
