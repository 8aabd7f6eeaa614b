import Foundation
@testable import FootageServing
import FootageSystem
import FootageTLS
import LinuxTestSupport
import Testing

/// A server within this process, or on a free port of the loopback, whose time the test moves. It ends with the test.
final class TestServer {
  let server: HTTPServer<TestHandler>
  let loops: [EventLoop]
  let log: ExchangeLog
  let events = EventLog<HTTPServerEvent>()
  private let transport: Transport?
  /// The server's clock. No limit is reached unless the test lets that much time pass.
  let time = MovableClock()

  /// - Parameter transport: the transport by which clients reach its port. If it is nil, there is no port, and each
  ///   client is one end of a pair of sockets, without TLS.
  init(
    _ transport: Transport? = nil, loops loopCount: Int = 1, logs: Bool = true,
    _ adjust: (inout TransportLimits) -> Void = { _ in }
  ) throws {
    log = ExchangeLog(isWanted: logs)
    var limits = TransportLimits()
    adjust(&limits)
    self.transport = transport
    loops = try (0..<loopCount).map { [time] _ in try EventLoop(clock: time.clock) }
    let listeners =
      transport == nil
      ? []
      : try ListeningSocket.listen(
        at: ListenAddress("127.0.0.1:\(HeldPort.next())"), unsentLimit: limits.unsentLimit)
    let tls = transport == nil || transport == .plain ? nil : try TestIdentity.shared.context()
    server = HTTPServer(
      listening: listeners, loops: loops, tls: tls, limits: limits, log: { [events] in events.append($0) }
    ) {
      [log] _ in TestHandler(log)
    }
    for loop in loops { try loop.start() }
    server.start()
  }

  deinit {
    server.abort()
    for loop in loops { loop.stop() }
  }

  /// The address of this machine, which may have any number of connections.
  static let thisMachine: [UInt8] = [127, 0, 0, 1]

  /// - Parameters:
  ///   - receiveBuffer: the bytes that the kernel may hold for a reader that has stopped reading; nil for the system's
  ///     default, and for a connection in memory.
  ///   - address: the client's address, for a server without a port.
  func connect(receiveBuffer: Int? = nil, from address: [UInt8] = thisMachine) throws -> RawConnection {
    guard let transport else {
      let (socket, client) = try SocketPair.make(peer: SocketAddress(addressBytes: address, port: 50_000))
      server.admit(socket)
      return RawConnection(over: client)
    }
    return try RawConnection(to: server.address.port, transport, receiveBuffer: receiveBuffer)
  }

  /// Lets the loops process everything that has reached them.
  func turn() async {
    for loop in loops { await loop.turn() }
  }

  /// Lets time pass, and lets the loops process that.
  func pass(_ duration: Duration) async {
    time.advance(by: duration)
    await turn()
  }

  /// Lets time pass second by second until a condition holds.
  func pass(until condition: () -> Bool, sourceLocation: SourceLocation = #_sourceLocation) async {
    for _ in 0..<600 {
      if condition() { return }
      await pass(.seconds(1))
    }
    // The effects of other threads and of the kernel take a moment.
    try? await TestSupport.eventually(
      "it to come true", sourceLocation: sourceLocation,
      that: {
        await pass(.seconds(1))
        return condition()
      })
  }

  /// Waits until a condition holds that other threads bring about.
  func eventually(_ condition: () -> Bool, sourceLocation: SourceLocation = #_sourceLocation) {
    try? TestSupport.eventually("it to come true", sourceLocation: sourceLocation, that: condition)
  }
}

/// A self-signed certificate with its key, as PEM.
struct TestIdentity {
  let certificate: [UInt8]
  let key: [UInt8]

  /// The server's identity.
  static let shared: TestIdentity = {
    do { return try TestIdentity("robot") } catch { preconditionFailure("openssl made no certificate: \(error)") }
  }()

  /// - Parameter name: the name of one of the test material's certificates.
  init(_ name: String) throws {
    certificate = try Material.file("\(name).pem")
    key = try Material.file("\(name).key")
  }

  func context() throws -> TLSServerContext {
    try TLSServerContext.make(TLSServerConfiguration(certificatePEM: certificate, privateKeyPEM: key))
  }
}
