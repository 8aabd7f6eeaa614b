import FootageHTTP
import Synchronization
import FootageSystem
import LinuxTestSupport
import Testing

@testable import FootageFetching

/// Requests with bodies at servers that answer early, disappear or say nothing. Tests/ApplePlatform runs this file,
/// too.
@Suite(.offThePool) struct ClientBodyTests {
  /// A body whose bytes show their offset, generated on demand.
  final class PatternSource: HTTPBodySource {
    let length: UInt64
    let failsFrom: UInt64
    /// The offsets that were requested.
    let offsets = Mutex<[UInt64]>([])

    init(_ length: UInt64, failsFrom: UInt64 = .max) {
      self.length = length
      self.failsFrom = failsFrom
    }

    func bytes(at offset: UInt64, count: Int) async throws(HTTPBodySourceError) -> [UInt8] {
      offsets.withLock { $0.append(offset) }
      guard offset < failsFrom else { throw HTTPBodySourceError("the disk is broken") }
      return Self.pattern(from: offset, count: min(count, 100_000))
    }

    static func pattern(from offset: UInt64, count: Int) -> [UInt8] {
      (0..<count).map { UInt8(truncatingIfNeeded: (offset + UInt64($0)) &* 7) }
    }
  }

  /// Reads this number of bytes, or as many as arrive.
  private static func read(_ count: Int, from connection: ScriptedServer.Connection) -> [UInt8] {
    var bytes: [UInt8] = []
    while bytes.count < count, let more = connection.receive() { bytes += more }
    return bytes
  }

  // MARK: Against a scripted server

  @Test func `a request says its method, its fields and the length of its body`() async throws {
    let heads = EventLog<String>()
    let server = try ScriptedServer { connection, _ in
      while let head = connection.readHead() {
        heads.append(head)
        connection.send(HTTPClientTests.ok("x"))
      }
    }
    let client = try HTTPClientTests.client(server.port)
    for method in [HTTPMethod.put, .delete, .post, .options] {
      var request = HTTPClientRequest(method, "/a")
      request.fields = [("X-A", "b"), ("X-C", "d")]
      _ = try await HTTPClientTests.body(try await client.send(request))
    }
    let fields = "Host: 127.0.0.1:\(server.port)\r\nX-A: b\r\nX-C: d\r\n"
    let none = "User-Agent: footage\r\n\r\n"
    #expect(
      heads.all == [
        "PUT /a HTTP/1.1\r\n\(fields)Content-Length: 0\r\n\(none)", "DELETE /a HTTP/1.1\r\n\(fields)\(none)",
        "POST /a HTTP/1.1\r\n\(fields)Content-Length: 0\r\n\(none)", "OPTIONS /a HTTP/1.1\r\n\(fields)\(none)",
      ])
  }

  @Test func `the answer to HEAD has no body, whatever its length says`() async throws {
    let server = try HTTPClientTests.answering("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n")
    let client = try HTTPClientTests.client(server.port)
    for _ in 0..<2 {
      #expect(try await HTTPClientTests.body(try await client.send(HTTPClientRequest(.head, "/"))) == "")
    }
    #expect(server.connectionCount == 1)
  }

  @Test func `an answer that comes while the body is sent ends the sending, also where the server has gone`()
    async throws
  {
    for isReset in [false, true] {
      let server = try ScriptedServer { connection, _ in
        _ = connection.readHead()
        _ = connection.receive()
        connection.send("HTTP/1.1 413 Content Too Large\r\nContent-Length: 3\r\n\r\nbig")
        // If bytes are unread, the kernel resets the connection when it is closed.
        if !isReset { while connection.receive() != nil {} }
      }
      let client = try HTTPClientTests.client(server.port)
      let source = PatternSource(1 << 30)
      let response = try await client.send(HTTPClientRequest(.post, "/", body: .source(source)))
      #expect(response.head.status == .contentTooLarge)
      #expect(try await HTTPClientTests.body(response) == "big")
      #expect(try #require(source.offsets.withLock { $0.last }) < 1 << 29)
      #expect(server.connectionCount == 1)
    }
  }

  @Test func `interim answers do not end the sending`() async throws {
    let server = try ScriptedServer { connection, _ in
      _ = connection.readHead()
      connection.send("HTTP/1.1 103 Early Hints\r\n\r\n")
      #expect(Self.read(500_000, from: connection).count == 500_000)
      connection.send(HTTPClientTests.ok("all"))
      _ = connection.waitForEnd()
    }
    let client = try HTTPClientTests.client(server.port)
    let response = try await client.send(HTTPClientRequest(.post, "/", body: .source(PatternSource(500_000))))
    #expect(try await HTTPClientTests.body(response) == "all")
  }

  @Test func `a body that is kept back is sent when the server asks for it, and not where it refuses`() async throws {
    for status in ["100 Continue", "403 Forbidden"] {
      let server = try ScriptedServer { connection, _ in
        #expect(connection.readHead()?.contains("\r\nExpect: 100-continue\r\n") == true)
        if status.hasPrefix("403") {
          connection.send("HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno")
          #expect(connection.waitForEnd())
        } else {
          connection.send("HTTP/1.1 100 Continue\r\n\r\n")
          #expect(Self.read(5, from: connection) == Array("hello".utf8))
          connection.send(HTTPClientTests.ok("yes"))
          _ = connection.waitForEnd()
        }
      }
      let client = try HTTPClientTests.client(server.port)
      var request = HTTPClientRequest(.post, "/", body: .bytes(Array("hello".utf8)))
      request.awaitsContinue = true
      #expect(try await HTTPClientTests.body(try await client.send(request)) == (status.hasPrefix("4") ? "no" : "yes"))
    }
  }

  @Test func `a body that cannot be read is an error, and nobody takes what was sent for the whole`() async throws {
    let ended = Semaphore()
    let server = try ScriptedServer { connection, _ in
      _ = connection.readHead()
      while connection.receive() != nil {}
      ended.signal()
    }
    let client = try HTTPClientTests.client(server.port)
    let source = PatternSource(1 << 20, failsFrom: 300_000)
    await #expect(throws: HTTPClientError.bodyUnreadable("the disk is broken")) {
      try await client.send(HTTPClientRequest(.put, "/", body: .source(source)))
    }
    #expect(ended.wait(until: Clock.system.deadline(after: .seconds(60))))
    #expect(server.connectionCount == 1)
  }

  // MARK: Kept connections that are gone

  /// Returns a server that answers the first request of the first connection, and closes the connection after it has
  /// read the second.
  private static func goingAway(_ heads: EventLog<String>) throws -> ScriptedServer {
    try ScriptedServer { connection, number in
      var count = 0
      while let head = connection.readHead() {
        heads.append(String(head.prefix { $0 != " " }))
        count += 1
        guard number > 0 || count == 1 else { return }
        connection.send(HTTPClientTests.ok("\(number)"))
      }
    }
  }

  @Test(arguments: [HTTPMethod.post, .patch])
  func `what may have been carried out is not asked for again`(method: HTTPMethod) async throws {
    let heads = EventLog<String>()
    let server = try Self.goingAway(heads)
    let client = try HTTPClientTests.client(server.port)
    _ = try await HTTPClientTests.body(try await client.send(HTTPClientRequest("/")))
    await #expect(throws: HTTPClientError.disconnected(.closed)) {
      try await client.send(HTTPClientRequest(method, "/"))
    }
    #expect(heads.all == ["GET", method.name.description] && server.connectionCount == 1)
  }

  @Test(arguments: [HTTPMethod.put, .delete, .get])
  func `what may be carried out twice is asked for again, with all of its body`(method: HTTPMethod) async throws {
    let heads = EventLog<String>()
    let server = try Self.goingAway(heads)
    let client = try HTTPClientTests.client(server.port)
    _ = try await HTTPClientTests.body(try await client.send(HTTPClientRequest("/")))
    #expect(try await HTTPClientTests.body(try await client.send(HTTPClientRequest(method, "/"))) == "1")
    #expect(heads.all == ["GET", method.name.description, method.name.description])
  }
}
