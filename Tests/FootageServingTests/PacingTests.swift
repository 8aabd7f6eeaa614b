import FootageAPI
import Foundation
import FootageSystem
import LinuxTestSupport
import Testing

@testable import FootageHTTP
@testable import FootageServing

/// The tests use a clock that they move, so nothing is sent unless that much time has passed.
@Suite(.offThePool) struct PacingTests {
  /// Returns a server with 1 MB/s: a turn is 20 kB, and the initial allowance is 150 kB.
  private func pacedServer(_ transport: Transport? = nil, loops: Int = 1) throws -> TestServer {
    try TestServer(transport, loops: loops) {
      $0.pacing = PacingLimits(total: BitRate(bitsPerSecond: 8_000_000), perViewer: nil)
    }
  }

  /// Runs a closure while the server's time advances.
  private func whileTimePasses<Result>(
    on server: TestServer, in steps: Duration = .milliseconds(20), _ body: () throws -> Result
  ) async throws -> Result {
    let (time, loops) = (server.time, server.loops)
    let passing = Task {
      while !Task.isCancelled {
        time.advance(by: steps)
        for loop in loops { await loop.turn() }
      }
    }
    let result = Swift.Result { try body() }
    passing.cancel()
    await passing.value
    return try result.get()
  }

  @Test(arguments: [nil, .plain, .tls13] as [Transport?])
  func `a body takes the time that its rate says, byte for byte`(transport: Transport?) async throws {
    let server = try pacedServer(transport)
    let client = try server.connect()
    let begin = server.time.clock.now
    let body = try await whileTimePasses(on: server, in: .milliseconds(5)) { try client.get("/big").body }
    #expect(body == TestHandler.big)
    // 3 MiB less the initial allowance. Time advances while the client reads, so it may take longer.
    #expect(server.time.clock.elapsed(since: begin) >= .milliseconds(2_900))
  }

  @Test func `the connections of a viewer share its rate, and another viewer has its own`() async throws {
    let server = try TestServer(loops: 2) {
      $0.pacing = PacingLimits(total: nil, perViewer: BitRate(bitsPerSecond: 8_000_000))
    }
    let (one, other): ([UInt8], [UInt8]) = ([192, 0, 2, 1], [192, 0, 2, 2])
    let begin = server.time.clock.now
    let clock = server.time.clock
    let ended = EventLog<(address: [UInt8], after: Duration)>()
    try await whileTimePasses(on: server, in: .milliseconds(5)) {
      // All are read at the same time, so that none of them waits for its client.
      for address in [one, one, other] {
        nonisolated(unsafe) let client = try server.connect(from: address)
        Thread.detachNewThread {
          let body = try? client.get("/big").body
          #expect(body == TestHandler.big)
          ended.append((address, clock.elapsed(since: begin)))
        }
      }
      try ended.wait { $0.count == 3 }
    }
    // 3 MiB for the other viewer and twice that for the one, less the initial allowance. Time advances meanwhile, so it
    // may take longer.
    #expect(ended.all.allSatisfy { $0.after >= .milliseconds(2_900) }, "\(ended.all)")
    #expect(try #require(ended.all.last { $0.address == one }).after >= .milliseconds(6_000), "\(ended.all)")
  }

  @Test(arguments: [1, 2])
  func `a probe and a list are answered while a download has the whole rate`(loops: Int) async throws {
    let server = try pacedServer(loops: loops)
    let download = try server.connect()
    try download.ask("/big")
    server.eventually { server.server.connectionCount == 1 }
    await server.pass(.milliseconds(200))
    // Time stands still from here on.
    let client = try server.connect()
    for _ in 0..<20 {
      #expect(try client.get("/kept", "Range: bytes=0-1").body.count == 2)
      #expect(try client.get("/file").body == TestHandler.file)
    }
    server.eventually { server.log.exchanges.count == 40 }
    let response = try await whileTimePasses(on: server) { try download.response() }
    #expect(response.body == TestHandler.big)
  }

  /// Ranges, single and multiple, from memory and from a slow disk, in many turns.
  @Test(arguments: ["/big", "/cold", "/document", "/kept"])
  func `whatever is sent, and however, it comes whole, and the connection goes on`(path: String) async throws {
    let server = try pacedServer(loops: 2)
    let client = try server.connect()
    try await whileTimePasses(on: server) { () throws in
      #expect(try client.get(path).body == TestHandler.big)
      #expect(try client.get(path, "Range: bytes=100-200000").body == Array(TestHandler.big[100...200_000]))
      #expect(try client.get(path, "Range: bytes=0-9,90000-190000").body.count > 100_011)
      #expect(try client.get(path, method: "HEAD").body.isEmpty)
      #expect(try client.get("/file").body == TestHandler.file)
    }
  }

  @Test func `a connection that waits for its turn ends at once with its server`() async throws {
    let server = try pacedServer()
    let client = try server.connect()
    try client.ask("/big")
    // As soon as the first bytes have arrived, time stands still, so the rest would never arrive.
    try client.waitForBytes()
    await server.turn()
    server.server.abort()
    server.eventually { server.server.isOver }
    _ = client.receiveToEnd()
    #expect(server.log.exchanges.map(\.isCutOff) == [true])
  }

  @Test func `a viewer is its certificate, else this machine, else its address or network`() {
    let here = SocketAddress(addressBytes: [127, 0, 0, 1], port: 1)
    let far = SocketAddress(addressBytes: [192, 0, 2, 1], port: 1)
    let identity = ClientIdentity(name: "tablet", certificateDigest: [1])
    #expect(Viewer(identity, at: far) == Viewer(ClientIdentity(name: "tablet", certificateDigest: [2]), at: here))
    #expect(Viewer(nil, at: here) == .thisMachine)
    #expect(Viewer(nil, at: far) == Viewer(nil, at: SocketAddress(addressBytes: [192, 0, 2, 1], port: 2)))
    #expect(Viewer(nil, at: far) != Viewer(nil, at: SocketAddress(addressBytes: [192, 0, 2, 2], port: 1)))
    let network = [0x20, 0x01, 0x0D, 0xB8, 0, 0, 0, 1] as [UInt8]
    let (one, other) = (network + [0, 0, 0, 0, 0, 0, 0, 1], network + [9, 9, 9, 9, 9, 9, 9, 9])
    #expect(
      Viewer(nil, at: SocketAddress(addressBytes: one, port: 1))
        == Viewer(nil, at: SocketAddress(addressBytes: other, port: 1)))
  }
}
