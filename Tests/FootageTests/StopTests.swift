/// The end of a server: orderly after the first signal, immediate after the second.
import Foundation
import LinuxTestSupport
import Testing

@Suite struct StopTests {
  private func withTransfer(_ body: (Server, PausedTransfer, _ whole: Data) throws -> Void) throws {
    let server = try Server()
    defer { server.kill() }
    try Fixtures.writeLargeRecording(to: server.file("x.mp4"))
    try server.waitForState("ready", of: "x")
    let whole = try server.download("/recordings/x.mp4")
    try body(server, try PausedTransfer(server, "/recordings/x.mp4"), whole)
    server.checkForCrash()
  }

  @Test(arguments: [SIGTERM, SIGINT])
  func `a running transfer comes to its end, nobody new is let in, and the status is 0`(number: Int32) throws {
    try withTransfer { server, transfer, whole in
      let idle = try BlockingSocket(to: server.port)
      server.signal(number)
      try server.waitForLine(with: " info: stopping: running responses have 10.0 seconds to finish")
      try eventually("connections to be refused") { try server.curl(server.url + "/health").run().status == 7 }
      let (status, bytes) = transfer.finish()
      #expect(status == 0)
      #expect(bytes == whole)
      #expect(try server.waitForExit() == 0)
      #expect(server.lines(with: " info: stopped").count == 1)
      #expect(!server.log.contains("cut off"), "\(server.story)")
      idle.shutDown()
    }
  }

  @Test func `a second SIGTERM is immediate, and the transfer does not look complete`() throws {
    try withTransfer { server, transfer, whole in
      server.signal(SIGTERM)
      try server.waitForLine(with: "stopping")
      server.signal(SIGTERM)
      // The time is the machine's, which the running program uses. The grace period for transfers is ten seconds, far
      // more than this.
      _ = try server.process.exitStatus(within: .seconds(5))
      #expect(try server.waitForExit() == 0)
      #expect(server.lines(with: " warning: connections that are cut off: 1").count == 1, "\(server.story)")
      let (status, bytes) = transfer.finish()
      #expect([18, 56].contains(status), "curl ended with \(status)")
      #expect(bytes.count < whole.count)
    }
  }

  @Test func `an idle connection does not hold up the end`() throws {
    let server = try Server()
    defer { server.kill() }
    let idle = try RawConnection(to: server.port, .tls13)
    #expect(try idle.get("/health").status == 200)
    try server.waitForLine(with: "\"GET /health\" 200")
    server.signal(SIGTERM)
    _ = try server.process.exitStatus(within: .seconds(5))
    #expect(try server.waitForExit() == 0)
    #expect(!server.log.contains("cut off"), "\(server.story)")
  }

  @Test func `a log that nobody reads any more holds up neither requests nor the end`() throws {
    let folder = try TemporaryFolder()
    #expect(mkfifo(folder.path("log"), 0o600) == 0)
    let reader = open(folder.path("log"), O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    defer { close(reader) }
    let server = try Server(folder: folder) {
      Command("sh", arguments: ["-c", "exec \"$0\" \"$@\" 2>'\(folder.path("log"))'", $0.program] + $0.arguments)
    }
    defer { server.kill() }
    // More than a pipe holds: 64 KiB (man 7 pipe).
    let long = server.url + "/recordings?x=" + String(repeating: "y", count: 4_000)
    let urls = (0..<50).flatMap { _ in [long, "--output", "/dev/null"] }
    #expect(try server.curl(arguments: urls).run().succeeded)
    #expect(try server.status("/health") == 200)
    server.signal(SIGTERM)
    #expect(try server.waitForExit() == 0)
  }
}
