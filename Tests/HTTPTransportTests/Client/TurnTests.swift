/// Requests that wait for one of the connections to become free.
import Foundation
import Networking
import TestSupport
import Testing

@testable import HTTPTransport

@Suite(.timeLimit(.minutes(2))) struct TurnTests {
  /// However the loop orders the two: the cancellation comes a few of its rounds after the connection is free.
  @Test(arguments: 0..<6)
  func `a turn that comes to somebody who leaves is the next one's`(rounds: Int) async throws {
    let server = try HTTPClientTests.answering(HTTPClientTests.ok("hello"))
    let client = try HTTPClientTests.client(server.port) {
      $0.connections = 1
      $0.turn = .seconds(3600)
    }
    let held = try await client.send(HTTPClientRequest("/"))
    let first = Task { try await client.send(HTTPClientRequest("/")) }
    while await client.waitingCount < 1 { await Task.yield() }
    let second = Task { try await HTTPClientTests.body(try await client.send(HTTPClientRequest("/"))) }
    while await client.waitingCount < 2 { await Task.yield() }
    let (loop, isQueued) = (client.loop, DispatchSemaphore(value: 0))
    // The loop is held up until both are in its queue.
    let blocker = Task(executorPreference: loop) { Self.wait(for: isQueued) }
    let reading = Task(executorPreference: loop) { try await HTTPClientTests.body(held) }
    let cancelling = Task(executorPreference: loop) {
      for _ in 0..<rounds { await Task.yield() }
      first.cancel()
    }
    isQueued.signal()
    await blocker.value
    #expect(try await reading.value == "hello")
    await cancelling.value
    _ = await first.result
    #expect(try await second.value == "hello")
  }

  private static func wait(for semaphore: DispatchSemaphore) { semaphore.wait() }

  @Test func `a kept connection that is dead condemns the others that were kept`() async throws {
    let server = try ScriptedServer { connection, number in
      _ = connection.readHead()
      connection.send(HTTPClientTests.ok("x"))
      // The first two go dead without a word, as in a network that has gone.
      while connection.readHead() != nil { if number > 1 { connection.send(HTTPClientTests.ok("x")) } }
    }
    let client = try HTTPClientTests.client(server.port) { $0.head = .milliseconds(300) }
    let responses = [try await client.send(HTTPClientRequest("/")), try await client.send(HTTPClientRequest("/"))]
    for response in responses { #expect(try await HTTPClientTests.body(response) == "x") }
    await #expect(throws: HTTPClientError.timedOut(.head)) { try await client.send(HTTPClientRequest("/")) }
    #expect(try await HTTPClientTests.body(try await client.send(HTTPClientRequest("/"))) == "x")
    #expect(server.connectionCount == 3)
  }
}
