/// Requests that wait until one of the connections is free.
import Foundation
@testable import FootageServing
import LinuxTestSupport
import Testing

@testable import FootageFetching

@Suite(.timeLimit(.minutes(2))) struct TurnTests {
  /// The loop's order of the two does not matter: the cancellation comes a few rounds after the connection is free.
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
    let (loop, isQueued) = (required(client.executor as? EventLoop), DispatchSemaphore(value: 0))
    // The loop is blocked until both are in its queue.
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

  @Test func `behind others that make progress a turn is waited for, and behind those that make none it is not`()
    async throws
  {
    let scene = try MovedScene()
    let client = try HTTPClientTests.client(scene.server.port, on: scene.loop) {
      $0.connections = 1
      $0.bodyIdle = .seconds(3_600)
    }
    let head = "HTTP/1.1 200 OK\r\nContent-Length: 40\r\n\r\n"
    let reading = Task(executorPreference: scene.loop) {
      try await HTTPClientTests.body(try await client.send(HTTPClientRequest("/")))
    }
    let connection = try await scene.nextRequest()
    connection.send(head)
    await scene.loop.turn()
    let second = Task(executorPreference: scene.loop) { try await client.send(HTTPClientRequest("/")) }
    while await client.waitingCount < 1 { await Task.yield() }
    // Four minutes in all, and never half a minute without a byte.
    for _ in 0..<40 {
      await scene.pass(.seconds(6))
      connection.send("x")
    }
    #expect(try await reading.value.count == 40)
    _ = try await scene.nextRequest()
    connection.send(head)
    let response = try await second.value
    #expect(response.connectedAfter == .seconds(240))
    // Now the second request has the connection, and nothing arrives.
    let third = Task(executorPreference: scene.loop) { try await client.send(HTTPClientRequest("/")) }
    while await client.waitingCount < 1 { await Task.yield() }
    await scene.pass(.seconds(28))
    #expect(await client.waitingCount == 1)
    for _ in 0..<3 { await scene.pass(.seconds(2)) }
    await #expect(throws: HTTPClientError.timedOut(.turn)) { try await third.value }
    connection.send(String(repeating: "x", count: 40))
    #expect(try await HTTPClientTests.body(response).count == 40)
  }

  @Test func `a kept connection that is dead condemns the others that were kept`() async throws {
    let scene = try MovedScene()
    let client = try HTTPClientTests.client(scene.server.port, on: scene.loop)
    var connections: [ScriptedServer.Connection] = []
    var responses: [Task<HTTPClientResponse, any Error>] = []
    for _ in 0..<2 {
      responses.append(Task { try await client.send(HTTPClientRequest("/")) })
      connections.append(try await scene.nextRequest())
      connections.last?.send("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n")
      _ = try await responses.last?.value
    }
    for (connection, response) in zip(connections, responses) {
      connection.send("x")
      #expect(try await HTTPClientTests.body(try await response.value) == "x")
    }
    // Both connections fail silently, as in a network that is gone.
    let asking = Task { try await client.send(HTTPClientRequest("/")) }
    _ = try await scene.nextRequest()
    await scene.pass(.seconds(31))
    await #expect(throws: HTTPClientError.timedOut(.head)) { try await asking.value }
    let again = Task { try await client.send(HTTPClientRequest("/")) }
    try await scene.nextRequest().send(HTTPClientTests.ok("x"))
    #expect(try await HTTPClientTests.body(try await again.value) == "x")
    #expect(scene.server.connectionCount == 3)
  }
}
