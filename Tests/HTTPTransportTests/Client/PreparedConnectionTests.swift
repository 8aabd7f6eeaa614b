/// Connections that are made before there is a request for them.
import TestSupport
import Testing

@testable import HTTPTransport

@Suite struct PreparedConnectionTests {
  @Test func `a prepared connection is the next request's, and there is never more than one`() async throws {
    let server = try HTTPClientTests.answering(HTTPClientTests.ok("x"))
    let client = try HTTPClientTests.client(server.port)
    await client.prepare()
    await client.prepare()
    #expect(await client.statistics.connections == 1)
    #expect(try await HTTPClientTests.body(try await client.send(HTTPClientRequest("/"))) == "x")
    await client.prepare()
    #expect(await client.statistics.connections == 1)
  }

  @Test func `one that the server has closed meanwhile costs a request nothing`() async throws {
    let server = try ScriptedServer { connection, number in
      guard number > 0 else { return }
      while connection.readHead() != nil { connection.send(HTTPClientTests.ok("x")) }
    }
    let client = try HTTPClientTests.client(server.port)
    await client.prepare()
    #expect(try await HTTPClientTests.body(try await client.send(HTTPClientRequest("/"))) == "x")
    #expect(await client.statistics.connections == 2)
  }

  @Test func `where nobody listens, the request tells it`() async throws {
    let client = try HTTPClientTests.client(1)
    await client.prepare()
    await #expect(throws: HTTPClientError.self) { try await client.send(HTTPClientRequest("/")) }
    #expect(await client.statistics.connections == 0)
  }

  @Test func `it takes no request's place`() async throws {
    let server = try HTTPClientTests.answering(HTTPClientTests.ok("x"))
    let client = try HTTPClientTests.client(server.port) { $0.connections = 1 }
    let response = try await client.send(HTTPClientRequest("/"))
    await client.prepare()
    #expect(try await HTTPClientTests.body(response) == "x")
    #expect(await client.statistics.connections == 1)
  }
}
