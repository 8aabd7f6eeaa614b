/// Requests with bodies over streams of a loop: with the real server, and as time passes.
@testable import FootageHTTP
@testable import FootageServing
import Synchronization
import FootageSystem
import FootageTLS
import LinuxTestSupport
import Testing
import FootageAPI

@testable import FootageFetching

extension ClientBodyTests {
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
    // The server reads only as much of the body as is necessary for the client to receive the answer.
    let source = PatternSource(1 << 30)
    let response = try await client.send(HTTPClientRequest(.put, "/upload", body: .source(source)))
    #expect(response.head.status == .contentTooLarge)
    #expect(try await HTTPClientTests.body(response) == "content-too-large")
    #expect(try #require(source.offsets.withLock { $0.last }) < 1 << 29)
    #expect(try await client.send(HTTPClientRequest("/file")).head.status == .ok)
    #expect(await client.statistics.connections == 2)
  }

  @Test func `a body that is made as it is sent is asked for once`() async throws {
    let source = PatternSource(10)
    let real = try TestServer(.plain)
    let client = try HTTPClientTests.client(real.server.address.port)
    let response = try await client.send(HTTPClientRequest(.put, "/upload", body: .source(source)))
    #expect(response.head.status == .ok && source.offsets.withLock { $0 } == [0])
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
}

extension Transport {
  /// Returns a context that trusts the test's servers; nil for a transport without TLS.
  func clientContext() throws -> TLSClientContext? {
    guard self != .plain else { return nil }
    let pin = try #require(try Certificate.all(inPEM: TestIdentity.shared.certificate, what: "")[0].publicKeyPin)
    return try TLSClientContext.make(.pinned([.publicKey(pin)]))
  }
}
