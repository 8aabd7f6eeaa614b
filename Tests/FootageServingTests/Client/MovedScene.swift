@testable import FootageServing
import FootageSystem
import LinuxTestSupport
import Testing

/// A client's loop whose time the test moves, and a server whose answers come from the test.
final class MovedScene: Sendable {
  struct NobodyAsked: Error {}

  let time = MovableClock()
  let loop: EventLoop
  let server: ScriptedServer
  private let requests: AsyncStream<ScriptedServer.Connection>

  init() throws {
    loop = try EventLoop(clock: time.clock)
    try loop.start()
    let (requests, asked) = AsyncStream.makeStream(of: ScriptedServer.Connection.self)
    self.requests = requests
    server = try ScriptedServer { connection, _ in
      while connection.readHead() != nil { asked.yield(connection) }
    }
  }

  deinit {
    server.stop()
    loop.stop()
  }

  /// Waits for a request, which the test answers, and until the client waits for the answer.
  func nextRequest() async throws -> ScriptedServer.Connection {
    for await connection in requests {
      await loop.turn()
      return connection
    }
    throw NobodyAsked()
  }

  /// Lets time pass, and lets the loop process that and everything that was sent before.
  func pass(_ duration: Duration) async {
    await loop.turn()
    time.advance(by: duration)
    await loop.turn()
  }

  /// Lets time pass in small steps until a condition holds.
  ///
  /// - Returns: the time that has passed.
  func pass(until condition: () -> Bool, sourceLocation: SourceLocation = #_sourceLocation) async -> Duration {
    var passed = Duration.zero
    while !condition() {
      guard passed < .seconds(3600) else {
        Issue.record("it never came true", sourceLocation: sourceLocation)
        break
      }
      // The effects of other threads take a moment.
      for _ in 0..<20 where !condition() { await loop.turn() }
      guard !condition() else { break }
      time.advance(by: .milliseconds(10))
      passed += .milliseconds(10)
    }
    return passed
  }
}
