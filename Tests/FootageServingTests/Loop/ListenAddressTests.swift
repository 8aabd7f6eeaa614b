import Glibc
@testable import FootageSystem
import Testing

@testable import FootageServing

@Suite struct ListenAddressTests {
  @Test(
    arguments: [
      ("8443", nil, 8443), (":9000", nil, 9000), ("0", nil, 0), ("localhost", "localhost", 8443),
      ("localhost:9000", "localhost", 9000), ("127.0.0.1", "127.0.0.1", 8443), ("192.0.2.1:443", "192.0.2.1", 443),
      ("[::1]", "[::1]", 8443), ("[::1]:9000", "[::1]", 9000), ("[::]:8443", nil, 8443), ("0.0.0.0:8443", nil, 8443),
    ] as [(String, String?, UInt16)])
  func `a place to listen is read as people write it`(text: String, host: String?, port: UInt16) throws {
    let address = try ListenAddress(text)
    #expect(address.host == host)
    #expect(address.port == port)
  }

  @Test(arguments: [
    "", "::1", "::1:8443", "[::1", "[]", "[]:1", "x:99999", "localhost:", "localhost:http", "[::1]x:1", "99999",
  ])
  func `what is none is refused in words`(text: String) {
    #expect(throws: NetworkingError.self) { try ListenAddress(text) }
  }

  @Test(arguments: [("localhost", true), ("127.0.0.1:1", true), ("[::1]:1", true), ("8443", false), ("[::]:1", false)])
  func `what only this machine can reach is known`(text: String, isLoopback: Bool) throws {
    #expect(try ListenAddress(text).isLoopback == isLoopback)
  }

  @Test func `callers of both families come in where no address is said, and those of IPv4 are shown as such`() throws {
    let listeners = try ListeningSocket.listen(at: ListenAddress(":0"), unsentLimit: 1 << 16)
    let listener = try #require(listeners.first)
    #expect(listeners.count == 1)
    let callers = try ["127.0.0.1", "::1"].map { host in
      let address = try #require(SocketAddress(literal: host, port: listener.address.port))
      return try #require(CallingSocket(to: address), "nobody answers at \(address)")
    }
    var hosts: Set<String> = []
    while hosts.count < callers.count {
      if case .accepted(let socket) = listener.accept() { hosts.insert(socket.peer.host) }
    }
    #expect(hosts == ["127.0.0.1", "::1"])
  }

  @Test func `localhost is this machine's address of both families, on one port`() throws {
    let listeners = try ListeningSocket.listen(at: ListenAddress("localhost:0"), unsentLimit: 1 << 16)
    #expect(listeners.map(\.address.host) == ["127.0.0.1", "::1"])
    #expect(Set(listeners.map(\.address.port)).count == 1)
  }

  @Test func `a port that is taken is known as such`() throws {
    let first = try ListeningSocket.listen(at: ListenAddress("localhost:0"), unsentLimit: 1 << 16)
    let port = try #require(first.first).address.port
    for text in ["127.0.0.1:\(port)", "[::1]:\(port)", "\(port)", "localhost:\(port)"] {
      let error = #expect(throws: NetworkingError.self) {
        try ListeningSocket.listen(at: ListenAddress(text), unsentLimit: 1 << 16)
      }
      #expect(error?.listenFailure == .taken)
    }
  }
}

/// A connection that is established and then does nothing.
private final class CallingSocket {
  private let descriptor: Int32

  init?(to address: SocketAddress) {
    descriptor = socket(address.isIPv6 ? AF_INET6 : AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    let descriptor = descriptor
    guard unsafe address.withSockAddr({ unsafe connect(descriptor, $0, $1) }) == 0 else { return nil }
  }

  deinit { close(descriptor) }
}
