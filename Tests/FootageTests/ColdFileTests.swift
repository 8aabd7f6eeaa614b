/// A recording whose reads must wait, because it is on a slow disk and not in memory.
import Foundation
import LinuxTestSupport
import Testing

@Suite struct ColdFileTests {
  @Test func `while a read waits for the disk all others are answered`() throws {
    let folder = try TemporaryFolder()
    let disk = try FaultyDisk(folder.path("fault"), paths: "/cold.mp4", calls: "read")
    let server = try Server(["--threads", "1"], folder: folder, environment: disk.environment)
    defer { server.kill() }
    try Fixtures.writeLargeRecording(to: server.file("cold.mp4"))
    for name in ["warm.mp4", "later.mp4"] { try server.addClip(name) }
    for name in ["cold", "warm", "later"] { try server.waitForState("ready", of: name) }
    // The file is open already, so the first wait for the disk is in the middle of the answer.
    #expect(try server.download("/recordings/cold.mp4", "--range", "0-1").count == 2)
    #expect(try server.download("/recordings/warm.mp4", "--range", "0-1").count == 2)

    let target = folder.path("target")
    try disk.beginHolding()
    let cold = try server.curl(
      "--fail", "--range", "10000000-19999999", "--output", target, server.url + "/recordings/cold.mp4"
    ).start()
    try eventually("a read to be held; log: \(server.story)") { disk.hits > 0 }
    let probes = try server.curl(
      "--fail", "--fail-early", "--range", "0-1", "--write-out", "%{http_code}\n", "--output", "/dev/null",
      server.url + "/recordings/warm.mp4?[1-200]"
    ).run()
    #expect(probes.succeeded, "\(probes.errors)")
    #expect(probes.lines == Array(repeating: "206", count: 200))
    // There is a second thread for the disk, so another file can be opened all the same.
    #expect(try server.status("/recordings/later.mp4", "--range", "0-1") == 206)
    #expect(cold.isRunning)
    #expect(disk.hits == 1)

    try disk.end()
    #expect(try cold.exitStatus() == 0)
    let expected = try server.download("/recordings/cold.mp4")[10_000_000..<20_000_000]
    #expect(try Data(contentsOf: URL(fileURLWithPath: target)) == expected)
    try server.stop()
  }
}
