/// A canceled request leaves nothing behind.
import Foundation
import LinuxTestSupport
import Testing

@testable import FootageFetching

extension HTTPClientTests {
  @Test func `cancelling while an answer is waited for closes the connection`() async throws {
    let (asked, ended) = (AsyncStream.makeStream(of: Void.self), AsyncStream.makeStream(of: Bool.self))
    let server = try ScriptedServer { connection, _ in
      _ = connection.readHead()
      asked.continuation.yield()
      ended.continuation.yield(connection.waitForEnd())
    }
    let client = try Self.client(server.port)
    let task = Task { try await client.send(HTTPClientRequest("/")) }
    for await _ in asked.stream { break }
    task.cancel()
    await #expect(throws: HTTPClientError.cancelled) { try await task.value }
    for await isEnded in ended.stream {
      #expect(isEnded)
      break
    }
  }

  @Test func `cancelling, or dropping an answer, in the middle of a body closes the connection`() async throws {
    for isDropped in [false, true] {
      let ended = AsyncStream.makeStream(of: Bool.self)
      let server = try ScriptedServer { connection, _ in
        _ = connection.readHead()
        connection.send("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\nbegin")
        ended.continuation.yield(connection.waitForEnd())
      }
      let client = try Self.client(server.port)
      var response: HTTPClientResponse? = try await client.send(HTTPClientRequest("/"))
      #expect(try await response?.next() == Array("begin".utf8))
      if isDropped {
        response = nil
      } else {
        let body = try #require(response)
        let task = Task { try await body.next() }
        task.cancel()
        await #expect(throws: HTTPClientError.cancelled) { try await task.value }
        // A cancellation must never look like the end of the body.
        await #expect(throws: HTTPClientError.cancelled) { try await body.next() }
      }
      for await isEnded in ended.stream {
        #expect(isEnded)
        break
      }
    }
  }

  @Test func `cancelling who waits for a turn leaves the others theirs`() async throws {
    let server = try Self.answering(Self.ok("hello"))
    let client = try Self.client(server.port) { $0.connections = 1 }
    let held = try await client.send(HTTPClientRequest("/"))
    let first = Task { try await client.send(HTTPClientRequest("/")) }
    while await client.waitingCount < 1 { await Task.yield() }
    let second = Task { try await Self.body(try await client.send(HTTPClientRequest("/"))) }
    while await client.waitingCount < 2 { await Task.yield() }
    first.cancel()
    await #expect(throws: HTTPClientError.cancelled) { try await first.value }
    _ = try await Self.body(held)
    #expect(try await second.value == "hello")
  }

  @Test func `a task that is cancelled already asks nothing`() async throws {
    let server = try Self.answering(Self.ok("hello"))
    let client = try Self.client(server.port)
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      _ = try await client.send(HTTPClientRequest("/"))
    }
    await #expect(throws: HTTPClientError.cancelled) { try await task.value }
    #expect(server.connectionCount == 0)
  }
}
