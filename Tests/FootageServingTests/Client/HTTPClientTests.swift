/// The client's connections with servers that behave and servers that do not, for every kind of connection.
/// Tests/ApplePlatform runs this file, too.
import FootageHTTP
import LinuxTestSupport
import Testing

@testable import FootageFetching

@Suite struct HTTPClientTests {
  static func body(_ response: HTTPClientResponse) async throws(HTTPClientError) -> String {
    String(decoding: try await response.document(upTo: 1 << 20), as: UTF8.self)
  }

  /// Returns a server that gives the same answer to every request of a connection.
  static func answering(_ answer: String) throws -> ScriptedServer {
    try ScriptedServer { connection, _ in while connection.readHead() != nil { connection.send(answer) } }
  }

  static func ok(_ body: String) -> String { "HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)" }

  // MARK: Requests and answers

  @Test func `a request says what is wanted, of which version, and of whom`() async throws {
    let heads = EventLog<String>()
    let server = try ScriptedServer { connection, _ in
      while let head = connection.readHead() {
        heads.append(head)
        connection.send(Self.ok("x"))
      }
    }
    let client = try Self.client(server.port)
    let tag = try #require(EntityTag(strong: "v1"))
    for request in [
      HTTPClientRequest("/a?b=c"), HTTPClientRequest("/a", range: 5..<10, ifRange: tag),
      HTTPClientRequest("/a", range: 7..<UInt64.max),
    ] { _ = try await Self.body(try await client.send(request)) }
    let start = "Host: 127.0.0.1:\(server.port)\r\n"
    #expect(
      heads.all == [
        "GET /a?b=c HTTP/1.1\r\n\(start)User-Agent: footage\r\n\r\n",
        "GET /a HTTP/1.1\r\n\(start)Range: bytes=5-9\r\nIf-Range: \"v1\"\r\nUser-Agent: footage\r\n\r\n",
        "GET /a HTTP/1.1\r\n\(start)Range: bytes=7-\r\nUser-Agent: footage\r\n\r\n",
      ])
    #expect(server.connectionCount == 1)
  }

  @Test(
    arguments: [
      (ok("hello"), "hello"), (ok(""), ""),
      ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n2\r\nlo\r\n0\r\n\r\n", "hello"),
      ("HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n" + ok("hello"), "hello"),
      ("HTTP/1.1 204 No Content\r\n\r\n", ""),
    ])
  func `a body ends where it says, and the connection is used again`(answer: String, body: String) async throws {
    let server = try Self.answering(answer)
    let client = try Self.client(server.port)
    for _ in 0..<3 { #expect(try await Self.body(try await client.send(HTTPClientRequest("/"))) == body) }
    #expect(server.connectionCount == 1)
  }

  @Test func `a body may also end with its connection`() async throws {
    let server = try ScriptedServer { connection, _ in
      _ = connection.readHead()
      connection.send("HTTP/1.1 200 OK\r\n\r\nhello")
    }
    let client = try Self.client(server.port)
    for _ in 0..<2 { #expect(try await Self.body(try await client.send(HTTPClientRequest("/"))) == "hello") }
    #expect(server.connectionCount == 2)
  }

  @Test func `an answer may come byte by byte`() async throws {
    let server = try ScriptedServer { connection, _ in
      _ = connection.readHead()
      for byte in "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n2\r\nlo\r\n0\r\n\r\n".utf8 {
        connection.send([byte])
      }
    }
    #expect(try await Self.body(try await Self.client(server.port).send(HTTPClientRequest("/"))) == "hello")
  }

  // MARK: Invalid answers

  @Test(
    arguments: [
      "", "HTTP/1.1 200", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n",
      "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhell",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel",
    ])
  func `an answer that is cut off is an error wherever it is cut, and one that can pass`(answer: String) async throws {
    let server = try ScriptedServer { connection, _ in
      _ = connection.readHead()
      connection.send(answer)
    }
    let client = try Self.client(server.port)
    let error = await #expect(throws: HTTPClientError.self) {
      _ = try await Self.body(try await client.send(HTTPClientRequest("/")))
    }
    #expect(error?.canPass == true)
    #expect(server.connectionCount == 1)
  }

  @Test(
    arguments: [
      "SSH-2.0-OpenSSH_9.2\r\n\r\n", "HTTP/1.1 20 OK\r\n\r\n", "HTTP/2 200 OK\r\n\r\n",
      "HTTP/1.1 200 OK\nContent-Length: 0\n\n",
      "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nxx",
      "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", "HTTP/1.1 101 Switching Protocols\r\n\r\n",
      String(repeating: "HTTP/1.1 100 Continue\r\n\r\n", count: 100),
      "HTTP/1.1 200 OK\r\nX: " + String(repeating: "x", count: 20_000) + "\r\n\r\n",
    ])
  func `an answer that is no HTTP, or more than one, is refused for good`(answer: String) async throws {
    let server = try ScriptedServer { connection, _ in
      _ = connection.readHead()
      connection.send(answer)
      _ = connection.waitForEnd()
    }
    let client = try Self.client(server.port)
    let error = await #expect(throws: HTTPClientError.self) {
      _ = try await Self.body(try await client.send(HTTPClientRequest("/")))
    }
    #expect(error?.canPass == false)
    guard case .malformed = error else { return #expect(Bool(false), "\(String(describing: error))") }
  }

  @Test func `bytes behind an answer do not become the next one`() async throws {
    let server = try ScriptedServer { connection, _ in
      while connection.readHead() != nil { connection.send(Self.ok("good") + Self.ok("evil")) }
    }
    let client = try Self.client(server.port)
    for _ in 0..<3 { #expect(try await Self.body(try await client.send(HTTPClientRequest("/"))) == "good") }
    #expect(server.connectionCount == 3)
  }

  @Test func `a document has to be small`() async throws {
    let server = try Self.answering(Self.ok(String(repeating: "x", count: 100)))
    let response = try await Self.client(server.port).send(HTTPClientRequest("/"))
    await #expect(throws: HTTPClientError.malformed("the document has more than 99 bytes")) {
      try await response.document(upTo: 99)
    }
  }

  // MARK: Kept connections

  @Test func `a kept connection that the server has closed is replaced without a word`() async throws {
    let server = try ScriptedServer { connection, number in
      _ = connection.readHead()
      connection.send(Self.ok("\(number)"))
      // The second request arrives, and gets no answer.
      if number == 0 { _ = connection.readHead() }
    }
    let client = try Self.client(server.port)
    for expected in ["0", "1", "2"] {
      #expect(try await Self.body(try await client.send(HTTPClientRequest("/"))) == expected)
    }
  }

  @Test func `a fresh connection that is closed without an answer is an error`() async throws {
    let server = try ScriptedServer { connection, _ in _ = connection.readHead() }
    let client = try Self.client(server.port)
    await #expect(throws: HTTPClientError.disconnected(.closed)) {
      try await client.send(HTTPClientRequest("/"))
    }
    #expect(server.connectionCount == 1)
  }

  @Test func `an answer that has begun is not asked for again`() async throws {
    let server = try ScriptedServer { connection, number in
      _ = connection.readHead()
      connection.send(Self.ok("first"))
      _ = connection.readHead()
      connection.send("HTTP/1.1 200")
    }
    let client = try Self.client(server.port)
    _ = try await Self.body(try await client.send(HTTPClientRequest("/")))
    await #expect(throws: HTTPClientError.disconnected(.closed)) {
      try await client.send(HTTPClientRequest("/"))
    }
    #expect(server.connectionCount == 1)
  }

  @Test func `the limit of connections holds, and who waits is served when one is free`() async throws {
    let server = try Self.answering(Self.ok("hello"))
    let client = try Self.client(server.port) { $0.connections = 2 }
    // Two answers with unread bodies occupy both connections.
    let held = [try await client.send(HTTPClientRequest("/")), try await client.send(HTTPClientRequest("/"))]
    let third = Task { try await Self.body(try await client.send(HTTPClientRequest("/"))) }
    while await client.waitingCount == 0 { await Task.yield() }
    #expect(server.connectionCount == 2)
    #expect(try await Self.body(held[0]) == "hello")
    #expect(try await third.value == "hello")
    #expect(server.connectionCount == 2)
    #expect(try await Self.body(held[1]) == "hello")
  }

  @Test func `who waits too long for a free connection is told so`() async throws {
    let server = try Self.answering(Self.ok("hello"))
    let client = try Self.client(server.port) {
      $0.connections = 1
      $0.turn = .zero
    }
    let held = try await client.send(HTTPClientRequest("/"))
    await #expect(throws: HTTPClientError.timedOut(.turn)) { try await client.send(HTTPClientRequest("/")) }
    _ = try await Self.body(held)
  }

  // MARK: Addresses

  @Test func `nobody there is an error that can pass`() async throws {
    let server = try Self.answering("")
    server.stop()
    let client = try Self.client(server.port)
    let error = await #expect(throws: HTTPClientError.self) { try await client.send(HTTPClientRequest("/")) }
    #expect(error?.description == "127.0.0.1:\(server.port): cannot connect: Connection refused")
    #expect(error?.canPass == true)
  }

  @Test func `only waiting counts as stalling, and enough bytes are progress`() {
    var limits = ClientLimits()
    limits.bodyIdle = .seconds(30)
    limits.bodyMinimum = 100
    var clock = MinimumRateTimeout(limits)
    clock.received(99, after: .seconds(29))
    #expect(clock.remaining == .seconds(1))
    clock.received(1, after: .seconds(1))
    #expect(clock.remaining == .seconds(30))
    clock.received(10, after: .seconds(10))
    #expect(clock.remaining == .seconds(20))
  }
}
