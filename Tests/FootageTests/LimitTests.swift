/// Too many connections or too few descriptors: the excess is turned away, and nothing else fails.
import Foundation
import LinuxTestSupport
import Testing

@Suite struct LimitTests {
  @Test func `a full table makes room for a viewer, and a transfer goes on`() throws {
    try withServer("--max-connections", "3") { server in
      try Fixtures.writeLargeRecording(to: server.file("x.mp4"))
      try server.waitForState("ready", of: "x")
      let size = try #require(try server.item("x")?.size)
      let transfer = try PausedTransfer(server, "/recordings/x.mp4")
      let others = try (0..<2).map { _ in try BlockingSocket(to: server.port) }
      let start = Date()
      #expect(try server.curl(server.url + "/health").run().succeeded)
      try server.waitForLine(with: " warning: closed a connection of 127.0.0.1, whose handshake had taken ")
      for _ in 0..<5 { #expect(try server.curl(server.url + "/health").run().succeeded) }
      #expect(server.lines(with: "closed a connection").count <= Int(Date().timeIntervalSince(start)) + 2)
      let (status, bytes) = transfer.finish()
      #expect(status == 0)
      #expect(bytes.count == size)
      for other in others { other.shutDown() }
    }
  }

  @Test func `connections of one address over the limit are closed before TLS, and let in again when others leave`()
    throws
  {
    try withServer("--max-connections-per-address", "3") { server in
      let others = try (0..<3).map { _ in try BlockingSocket(to: server.port) }
      let start = Date()
      for _ in 0..<30 {
        let refused = try BlockingSocket(to: server.port)
        #expect(refused.receivesEnd())
      }
      #expect(try !server.curl(server.url + "/health").run().succeeded)
      try server.waitForLine(
        with: " warning: turned 127.0.0.1 away: there are already 3 connections from this address "
          + "(--max-connections-per-address)")
      #expect(server.lines(with: "turned 127.0.0.1 away").count <= Int(Date().timeIntervalSince(start)) + 2)
      for other in others { other.shutDown() }
      try eventually("to be let in") { try server.curl(server.url + "/health").run().succeeded }
    }
  }

  @Test func `with few descriptors there are few connections, and recordings open all the same`() throws {
    let server = try Server {
      Command("sh", arguments: ["-c", "ulimit -n 48 && exec \"$0\" \"$@\"", $0.program] + $0.arguments)
    }
    defer { server.kill() }
    try server.waitForLine(with: "connections are accepted at a time, because this process may open at most 48 files")
    try server.addClip("x.mp4")
    let item = try server.waitForState("ready", of: "x")
    let others = try (0..<32).map { _ in try BlockingSocket(to: server.port) }
    try eventually("to be let in") {
      try server.curl("--fail", "--range", "0-1", "--output", "/dev/null", server.url + item.url).run().succeeded
    }
    #expect(server.lines(with: "descriptors have run out").isEmpty)
    for other in others { other.shutDown() }
    try server.stop()
  }

  @Test func `accepting pauses when descriptors run out, running transfers go on, and it recovers`() throws {
    let server = try Server()
    defer { server.kill() }
    try Fixtures.writeLargeRecording(to: server.file("x.mp4"))
    try server.waitForState("ready", of: "x")
    let size = try #require(try server.item("x")?.size)
    let transfer = try PausedTransfer(server, "/recordings/x.mp4")
    // The limit is lowered from outside, with the effect of a system that has run out of descriptors.
    let pid = "\(server.process.processIdentifier)"
    #expect(try Command("prlimit", arguments: ["--pid", pid, "--nofile=40:"]).run().succeeded)
    let others = try (0..<60).map { _ in try BlockingSocket(to: server.port) }
    try server.waitForLine(with: " error: cannot accept connections for now, because descriptors have run out: ")
    let (status, bytes) = transfer.finish()
    #expect(status == 0)
    #expect(bytes.count == size)
    for other in others { other.shutDown() }
    try eventually("it to accept again") { try server.curl("--max-time", "2", server.url + "/health").run().succeeded }
    // A file that arrived while there was no descriptor for it is found all the same.
    try server.addClip("later.mp4")
    let item = try server.waitForState("ready", of: "later")
    #expect(try server.download(item.url).count == item.size)
    try server.stop()
  }

  @Test func `a crowd of silent peers, each of an address of its own, turns nobody away who comes later`() throws {
    try Self.allowDescriptors(2_048)
    try withServer { server in
      let crowd = try (0..<1_100).map { number in
        try BlockingSocket(to: server.port, from: (1, UInt8(number / 250), UInt8(number % 250 + 1)))
      }
      // Six within three seconds.
      let newcomers = try (0..<6).map { _ in
        usleep(500_000)
        return try server.curl("--fail", "--output", "/dev/null", server.url + "/health?live").start()
      }
      for newcomer in newcomers {
        let status = try newcomer.exitStatus()
        #expect(status == 0, "\(newcomer.errors); \(server.story)")
      }
      #expect(server.lines(with: " warning: turned ").isEmpty)
      withExtendedLifetime(crowd) {}
    }
  }

  /// Raises the soft limit of descriptors, which may be below the hard limit (man 2 setrlimit).
  private static func allowDescriptors(_ count: rlim_t) throws {
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    guard limit.rlim_cur < count else { return }
    limit.rlim_cur = min(count, limit.rlim_max)
    try #require(setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0)
  }

  @Test func `an idle server waits without spinning`() throws {
    try withServer(recordings: ["x.mp4"]) { server in
      let idle = try (0..<5).map { _ in try BlockingSocket(to: server.port) }
      let before = try ticks(of: server)
      // The time is the machine's, which the running program uses. A busy machine gives the program less of it.
      sleep(1)
      // In ticks of 10 ms: a spinning loop takes a hundred of them.
      #expect(try ticks(of: server) - before < 30)
      for socket in idle { socket.shutDown() }
    }
  }

  /// Returns the processor time of all threads, in clock ticks (man 5 proc, fields 14 and 15).
  private func ticks(of server: Server) throws -> Int {
    let fields = try text(of: "/proc/\(server.process.processIdentifier)/stat").split(separator: " ")
    return try #require(Int(fields[13])) + #require(Int(fields[14]))
  }
}
