/// The server under a service manager that expects notifications of its state.
import Foundation
import LinuxTestSupport
import Testing

@Suite struct SupervisionTests {
  @Test func `it is told when the server serves, that it lives, and when it stops`() throws {
    let folder = try TemporaryFolder()
    let manager = try DatagramSocket(in: folder)
    let server = try Server(environment: ["NOTIFY_SOCKET": manager.path, "WATCHDOG_USEC": "3000000"])
    defer { server.kill() }
    #expect(try manager.receive() == "READY=1")
    #expect(try server.status("/health") == 200)
    for _ in 0..<3 { #expect(try manager.receive() == "WATCHDOG=1") }
    server.signal(SIGTERM)
    var word = try manager.receive()
    while word == "WATCHDOG=1" { word = try manager.receive() }
    #expect(word == "STOPPING=1")
    #expect(try server.waitForExit() == 0)
  }

  @Test func `a manager that has gone costs one warning`() throws {
    let server = try Server(environment: ["NOTIFY_SOCKET": "/nonexistent/notify", "WATCHDOG_USEC": "1000000"])
    defer { server.kill() }
    try server.waitForLine(with: " warning: cannot report the server's state to the service manager: sendto failed")
    #expect(try server.status("/health") == 200)
    server.signal(SIGTERM)
    #expect(try server.waitForExit() == 0)
    #expect(server.lines(with: "service manager").count == 1)
  }
}
