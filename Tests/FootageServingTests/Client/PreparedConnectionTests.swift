/// Connections that are made before there is a request for them.
@testable import FootageServing
import FootageSystem
import FootageTLS
import LinuxTestSupport
import Testing
import FootageAPI

@testable import FootageFetching

@Suite(.offThePool) struct PreparedConnectionTests {
  /// Returns the client of a robot with a relay in front of it, over TLS.
  private static func client(_ relay: Relay) throws -> HTTPClient {
    let pin = try #require(try Certificate.all(inPEM: TestIdentity.shared.certificate, what: "")[0].publicKeyPin)
    return try HTTPClientTests.client(
      UInt16(relay.port), tls: try TLSClientContext.make(.pinned([.publicKey(pin)])))
  }

  private static func release(_ flight: Relay.HeldFlight) { flight.release() }

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

  // MARK: Over TLS 1.3, where the server's last messages come after the handshake

  @Test(.timeLimit(.minutes(1)), arguments: [true, false])
  func `a ticket that comes late is taken in, and the connection is the next request's`(isLate: Bool) async throws {
    let robot = try TestServer(.tls13)
    let flight = Relay.HeldFlight()
    let relay = try Relay(to: Int(robot.server.address.port)) {
      $0 == 0 ? [.holdSecondFlight(flight), .passAll] : [.passAll]
    }
    let client = try Self.client(relay)
    await client.prepare()
    // The handshake is over, and the ticket is on its way or has arrived.
    if !isLate { Self.release(flight) }
    let asking = Task { try await client.send(HTTPClientRequest("/big")) }
    if isLate { Self.release(flight) }
    let response = try await asking.value
    #expect(await client.statistics == ConnectionStatistics(connections: 1, resumed: 0))
    #expect(relay.connectionCount == 1)
    // The ticket was stored, so the spare connection next to the one in use is resumed with it.
    await client.prepare()
    #expect(await client.statistics == ConnectionStatistics(connections: 2, resumed: 1))
    response.cancel()
  }

  @Test(.timeLimit(.minutes(1))) func `there is one spare beside those in use, however many there are`() async throws {
    let robot = try TestServer(.tls13)
    let relay = try Relay(to: Int(robot.server.address.port)) { _ in [.passAll] }
    let client = try Self.client(relay)
    var responses: [HTTPClientResponse] = []
    for inUse in 1...4 {
      responses.append(try await client.send(HTTPClientRequest("/big")))
      await client.prepare()
      await client.prepare()
      #expect(await client.statistics.connections == inUse + 1)
    }
    for response in responses { response.cancel() }
  }

  @Test(.timeLimit(.minutes(1))) func `the server's end behind its ticket is news, and costs a request nothing`()
    async throws
  {
    let robot = try TestServer(.tls13)
    let flight = Relay.HeldFlight()
    let relay = try Relay(to: Int(robot.server.address.port)) { number in
      number == 0 ? [.holdSecondFlight(flight), .end] : [.passAll]
    }
    let client = try Self.client(relay)
    await client.prepare()
    Self.release(flight)
    let response = try await client.send(HTTPClientRequest("/file"))
    #expect(try await response.document(upTo: 1 << 20) == TestHandler.file)
    #expect(await client.statistics.connections == 2)
  }

  // MARK: Requests that want a new connection

  @Test func `a request that wants a new connection takes none that is kept, and leaves it`() async throws {
    let server = try HTTPClientTests.answering(HTTPClientTests.ok("x"))
    let client = try HTTPClientTests.client(server.port)
    await client.prepare()
    var request = HTTPClientRequest("/")
    request.isOnNewConnection = true
    #expect(try await HTTPClientTests.body(try await client.send(request)) == "x")
    #expect(server.connectionCount == 2)
    #expect(try await HTTPClientTests.body(try await client.send(HTTPClientRequest("/"))) == "x")
    #expect(await client.statistics.connections == 2)
  }

  @Test(.timeLimit(.minutes(1))) func `at the limit one that is kept makes room, and one in use is waited for`()
    async throws
  {
    let server = try HTTPClientTests.answering(HTTPClientTests.ok("x"))
    let client = try HTTPClientTests.client(server.port) { $0.connections = 1 }
    await client.prepare()
    var request = HTTPClientRequest("/")
    request.isOnNewConnection = true
    let held = try await client.send(request)
    #expect(server.connectionCount == 2)
    let waiting = Task { [request] in try await HTTPClientTests.body(try await client.send(request)) }
    while await client.waitingCount < 1 { await Task.yield() }
    #expect(try await HTTPClientTests.body(held) == "x")
    #expect(try await waiting.value == "x")
    #expect(server.connectionCount == 3)
  }
}
