/// The client over streams of a loop: time, addresses and TLS.
import Foundation
@testable import FootageHTTP
@testable import FootageServing
import FootageSystem
import FootageTLS
import LinuxTestSupport
import Testing
import FootageAPI

@testable import FootageFetching

extension ClientLimits {
  /// Limits for loops with the machine's own clock, on which a busy machine must not look like an absent server.
  fileprivate static var unhurried: ClientLimits {
    var limits = ClientLimits()
    limits.connect = .seconds(120)
    limits.handshake = .seconds(120)
    return limits
  }
}

extension HTTPClientTests {
  static func client(
    _ port: UInt16, tls: TLSClientContext? = nil, resolver: HostResolver? = nil, on loop: EventLoop? = nil,
    _ adjust: (inout ClientLimits) -> Void = { _ in }
  ) throws -> HTTPClient {
    let runtime = try ClientRuntime.shared()
    var limits = loop == nil ? .unhurried : ClientLimits()
    adjust(&limits)
    return HTTPClient(
      host: "127.0.0.1", port: port, tls: tls, on: loop ?? runtime.loop, resolver: resolver ?? runtime.resolver,
      limits: limits)
  }

  // MARK: Time

  @Test(arguments: [false, true])
  func `a server that says nothing, or drips a head, is cut off`(drips: Bool) async throws {
    let scene = try MovedScene()
    let client = try Self.client(scene.server.port, on: scene.loop)
    let answer = Task(executorPreference: scene.loop) { try await client.send(HTTPClientRequest("/")) }
    let connection = try await scene.nextRequest()
    connection.send("HTTP/1.1 200 OK\r\n")
    await scene.loop.turn()
    // A head has half a minute, however much of it arrives meanwhile.
    for second in 0..<29 {
      if drips { connection.send("X-\(second): y\r\n") }
      await scene.pass(.seconds(1))
    }
    #expect(await client.isBusy)
    await scene.pass(.seconds(2))
    #expect(await !client.isBusy)
    await #expect(throws: HTTPClientError.timedOut(.head)) { try await answer.value }
  }

  @Test(arguments: [false, true])
  func `a server that stalls or drips in a body is cut off`(drips: Bool) async throws {
    let scene = try MovedScene()
    let client = try Self.client(scene.server.port, on: scene.loop)
    let reading = Task(executorPreference: scene.loop) {
      let response = try await client.send(HTTPClientRequest("/"))
      while try await response.next() != nil {}
    }
    let connection = try await scene.nextRequest()
    connection.send("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\nbegin")
    await scene.loop.turn()
    for _ in 0..<29 {
      if drips { connection.send("x") }
      await scene.pass(.seconds(1))
    }
    #expect(await client.isBusy)
    if drips { connection.send("x") }
    await scene.pass(.seconds(2))
    #expect(await !client.isBusy)
    await #expect(throws: HTTPClientError.timedOut(.body)) { try await reading.value }
  }

  // MARK: Addresses

  @Test func `several addresses are tried in turn`() async throws {
    let server = try Self.answering(Self.ok("hello"))
    let dead = try HeldPort.next()
    let resolver = HostResolver { _, _ in
      .success([
        SocketAddress(addressBytes: [127, 0, 0, 1], port: dead),
        SocketAddress(addressBytes: [127, 0, 0, 1], port: server.port),
      ])
    }
    let runtime = try ClientRuntime.shared()
    let client = HTTPClient(
      host: "robot.test", port: 1, tls: nil, on: runtime.loop, resolver: resolver, limits: .unhurried)
    #expect(try await Self.body(try await client.send(HTTPClientRequest("/"))) == "hello")
  }

  @Test func `a name that is not found is told in words`() async throws {
    let resolver = HostResolver { host, _ in .failure(.address(host, reason: "Name or service not known")) }
    let runtime = try ClientRuntime.shared()
    let client = HTTPClient(
      host: "robot.test", port: 1, tls: nil, on: runtime.loop, resolver: resolver, limits: .unhurried)
    let error = await #expect(throws: HTTPClientError.self) { try await client.send(HTTPClientRequest("/")) }
    #expect(error?.description == "cannot use the address robot.test: Name or service not known")
    #expect(error?.canPass == true)
  }

  // MARK: TLS, against the real server

  @Test func `over TLS connections are kept, and new ones resumed`() async throws {
    let server = try TestServer(.tls13)
    let pin = try #require(try Certificate.all(inPEM: TestIdentity.shared.certificate, what: "")[0].publicKeyPin)
    let context = try TLSClientContext.make(.pinned([.publicKey(pin)]))
    let client = try Self.client(server.server.address.port, tls: context)
    for _ in 0..<3 {
      let response = try await client.send(HTTPClientRequest("/file"))
      #expect(try await response.document(upTo: 1 << 20) == TestHandler.file)
    }
    #expect(await client.statistics == ConnectionStatistics(connections: 1, resumed: 0))
    // The answer is dropped in the middle, so that the next request needs a connection of its own.
    _ = try await client.send(HTTPClientRequest("/file", range: 0..<10)).next()
    let first = try await client.send(HTTPClientRequest("/file"))
    let second = try await client.send(HTTPClientRequest("/file"))
    #expect(try await first.document(upTo: 1 << 20) == TestHandler.file)
    #expect(try await second.document(upTo: 1 << 20) == TestHandler.file)
    let statistics = await client.statistics
    #expect(statistics.connections == 2 && statistics.resumed == 1, "\(statistics)")
  }

  @Test func `another key than the pinned one is final`() async throws {
    let server = try TestServer(.tls13)
    let pin = try #require(PublicKeyPin(digest: [UInt8](repeating: 0, count: 32)))
    let client = try Self.client(
      server.server.address.port, tls: try TLSClientContext.make(.pinned([.publicKey(pin)])))
    let error = await #expect(throws: HTTPClientError.self) { try await client.send(HTTPClientRequest("/file")) }
    guard case .tls(.trust(let failure)) = error else { return #expect(Bool(false), "\(String(describing: error))") }
    #expect(failure.reason == .otherKey)
    #expect(error?.canPass == false)
    #expect(server.log.exchanges.isEmpty)
  }
}
