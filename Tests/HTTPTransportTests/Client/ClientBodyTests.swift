import Foundation
import HTTPSemantics
import Networking
import Synchronization
import System
import TestSupport
import TLS
import Testing
import Trust

@testable import HTTPTransport

/// Requests with bodies, and what becomes of them at servers that answer early, go away, or say nothing.
@Suite(.offThePool) struct ClientBodyTests {
  /// Bytes that tell their place, made as they are asked for.
  private final class PatternSource: HTTPBodySource {
    let length: UInt64
    let failsFrom: UInt64
    /// The offsets that were asked for.
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

  /// Reads so many bytes, as far as they come.
  private static func read(_ count: Int, from connection: ScriptedServer.Connection) -> [UInt8] {
    var bytes: [UInt8] = []
    while bytes.count < count, let more = connection.receive() { bytes += more }
    return bytes
  }

  // MARK: Against the real server

  @Test(arguments: [Transport.plain, .tls13])
  func `a body arrives whole, out of memory or as it is made, and the connection is used again`(
    transport: Transport
  ) async throws {
    let server = try TestServer(transport)
    let client = try HTTPClientTests.client(server.server.address.port, tls: try transport.clientContext())
    let bytes = PatternSource.pattern(from: 0, count: 500_000)
    let bodies: [(HTTPClientBody, [UInt8])] = [
      (.none, []), (.bytes([]), []), (.bytes(Array(bytes[..<10])), Array(bytes[..<10])), (.bytes(bytes), bytes),
      (.source(PatternSource(UInt64(bytes.count))), bytes),
    ]
    for (body, sent) in bodies {
      for awaitsContinue in [false, true] {
        var request = HTTPClientRequest(.put, "/upload", body: body)
        request.awaitsContinue = awaitsContinue
        let response = try await client.send(request)
        #expect(response.head.status == .ok)
        #expect(try await HTTPClientTests.body(response) == "\(TestUploads.Digest.text(of: sent)) in pieces")
      }
    }
    #expect(await client.statistics.connections == 1)
  }

  @Test(arguments: [Transport.plain, .tls13])
  func `a server that refuses a body is heard while it is being sent`(transport: Transport) async throws {
    let server = try TestServer(transport)
    let client = try HTTPClientTests.client(server.server.address.port, tls: try transport.clientContext())
    // The server reads no more of it than it has to for the client to hear the answer.
    let source = PatternSource(1 << 30)
    let response = try await client.send(HTTPClientRequest(.put, "/upload", body: .source(source)))
    #expect(response.head.status == .contentTooLarge)
    #expect(try await HTTPClientTests.body(response) == "content-too-large")
    #expect(try #require(source.offsets.withLock { $0.last }) < 1 << 29)
    #expect(try await client.send(HTTPClientRequest("/file")).head.status == .ok)
    #expect(await client.statistics.connections == 2)
  }

  // MARK: Against a scripted one

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
        // With bytes unread the kernel resets the connection when it is closed.
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

  @Test func `a body that is kept back is sent all the same to a server that says nothing`() async throws {
    let scene = try MovedScene()
    let client = try HTTPClientTests.client(scene.server.port, on: scene.loop)
    let answer = Task(executorPreference: scene.loop) {
      var request = HTTPClientRequest(.post, "/", body: .bytes(Array("hello".utf8)))
      request.awaitsContinue = true
      return try await HTTPClientTests.body(try await client.send(request))
    }
    let connection = try await scene.nextRequest()
    await scene.pass(.seconds(2))
    connection.send(HTTPClientTests.ok("late"))
    #expect(try await answer.value == "late")
  }

  @Test func `a server that takes nothing of a body is given up`() async throws {
    let scene = try MovedScene()
    let client = try HTTPClientTests.client(scene.server.port, on: scene.loop)
    let answer = Task(executorPreference: scene.loop) {
      try await client.send(HTTPClientRequest(.put, "/", body: .bytes([UInt8](repeating: 0, count: 32 << 20))))
    }
    _ = try await scene.nextRequest()
    for _ in 0..<100 where await client.isBusy { await scene.pass(.seconds(1)) }
    await #expect(throws: HTTPClientError.timedOut(.sending)) { try await answer.value }
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

  // MARK: Kept connections that have gone

  /// Answers the first request of the first connection, and goes away with the second, which it has read.
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
    await #expect(throws: HTTPClientError.disconnected(.disconnected(nil))) {
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
    let source = PatternSource(10)
    let real = try TestServer(.plain)
    let other = try HTTPClientTests.client(real.server.address.port)
    let response = try await other.send(HTTPClientRequest(.put, "/upload", body: .source(source)))
    #expect(response.head.status == .ok && source.offsets.withLock { $0 } == [0])
  }
}

extension Transport {
  /// What trusts the test's servers; nil where there is no TLS.
  func clientContext() throws -> TLSClientContext? {
    guard self != .plain else { return nil }
    let pin = try #require(try Certificate.all(inPEM: TestIdentity.shared.certificate, what: "")[0].publicKeyPin)
    return try TLSClientContext.make(.pinned([.publicKey(pin)]))
  }
}
