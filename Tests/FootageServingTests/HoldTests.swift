import Foundation
import FootageServing
import FootageSystem
import LinuxTestSupport
import Testing

@Suite(.offThePool) struct HoldTests {
  private func text(_ response: RawConnection.Response) -> String { String(decoding: response.body, as: UTF8.self) }

  /// Returns a client whose request is held.
  private func hold(on server: TestServer, _ fields: String..., body: String = "") throws -> RawConnection {
    let count = server.log.holdCount
    let client = try server.connect()
    try client.send("GET /held HTTP/1.1\r\nHost: t\r\n" + fields.map { "\($0)\r\n" }.joined() + "\r\n" + body)
    server.eventually { server.log.holdCount > count }
    return client
  }

  private func wake(_ server: TestServer) async {
    for worker in server.server.workers { await worker.update { $0.wakeAll() } }
  }

  @Test func `a request that is held is answered when it is woken, and its connection goes on`() async throws {
    let server = try TestServer()
    let client = try hold(on: server)
    await wake(server)
    let response = try client.response()
    #expect(response.status == 200 && text(response) == "woken")
    #expect(response["Preference-Applied"] == "wait=240" && response["Connection"] == nil)
    #expect(try client.get("/file").status == 200)
    server.eventually { server.log.exchanges.count == 2 }
    #expect(server.log.exchanges.map(\.wasHeld) == [true, false])
  }

  /// The wait is longer than the deadlines for heads, idle connections and writing.
  @Test func `a request that nobody wakes is answered when its time is over`() async throws {
    let server = try TestServer()
    let client = try hold(on: server, "Prefer: wait=200")
    await server.turn()
    await server.pass(.seconds(199))
    #expect(server.log.exchanges.isEmpty)
    await server.pass(.seconds(2))
    #expect(text(try client.response()) == "over")
    #expect(server.log.errors.isEmpty)
  }

  @Test func `the field of a response that was waited for stands on a 304, too`() async throws {
    let server = try TestServer()
    let client = try hold(on: server, "If-None-Match: \"abc\"")
    await wake(server)
    let response = try client.response()
    #expect(response.status == 304 && response["Preference-Applied"] == "wait=240" && response["ETag"] == "\"abc\"")
  }

  @Test func `in a full table a held request makes room, after its answer`() async throws {
    let server = try TestServer(loops: 2) { $0.connections = 1 }
    let client = try hold(on: server)
    await server.turn()
    await server.pass(.seconds(1))
    #expect(try server.connect().get("/file").status == 200)
    let response = try client.response()
    #expect(text(response) == "over" && response["Connection"] == "close")
    #expect(client.receiveToEnd().isEmpty && client.end == .proper)
    guard case .gaveUp(_, .waiting) = try #require(server.events.all.first) else {
      Issue.record("another event: \(server.events.all)")
      return
    }
  }

  @Test func `stopping answers held requests at once`() async throws {
    let server = try TestServer()
    let client = try hold(on: server)
    server.server.stop()
    let response = try client.response()
    #expect(text(response) == "over" && response["Connection"] == "close")
    #expect(client.receiveToEnd().isEmpty && client.end == .proper)
    await server.pass { server.server.connectionCount == 0 }
  }

  @Test(arguments: Transport.allCases)
  func `what is held for a client that has gone is over`(transport: Transport) throws {
    let server = try TestServer(transport)
    _ = try hold(on: server)
    server.eventually { server.server.connectionCount == 0 }
  }

  @Test func `aborting ends held requests`() throws {
    let server = try TestServer(.tls13)
    let client = try hold(on: server)
    server.server.abort()
    server.eventually { server.server.connectionCount == 0 }
    #expect(client.receiveToEnd().isEmpty)
  }

  @Test func `what comes behind a held request waits for its turn`() async throws {
    let server = try TestServer()
    let client = try hold(on: server, body: "GET /file HTTP/1.1\r\nHost: t\r\n\r\n")
    try client.send("GET /empty HTTP/1.1\r\nHost: t\r\n\r\n")
    await wake(server)
    #expect(text(try client.response()) == "woken")
    #expect(try client.response().body == TestHandler.file)
    #expect(try client.response().body.isEmpty)
  }
}
