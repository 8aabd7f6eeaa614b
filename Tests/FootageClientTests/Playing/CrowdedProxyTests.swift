/// Connections to the proxy that know no token, pages that have found it, and a port that is taken away.
import Foundation
import TestSupport
import Testing

@testable import FootageCore
@testable import FootageLoopback
@testable import FootageOpenSSL

@Suite(.offThePool, .timeLimit(.minutes(2))) struct CrowdedProxyTests {
  static let recording = content(10_000)

  /// A connection that blocks.
  private final class Caller {
    private let descriptor: Int32
    private(set) var received: [UInt8] = []

    init(_ port: UInt16) throws {
      descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      var patience = timeval(tv_sec: 20, tv_usec: 0)
      setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = port.bigEndian
      address.sin_addr.s_addr = inet_addr("127.0.0.1")
      let status = withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
      }
      guard status == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .ENOTCONN) }
    }

    deinit { close(descriptor) }

    func send(_ text: String) {
      let bytes = Array(text.utf8)
      _ = Foundation.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    }

    /// What came until the other side closed; nil where it did not within 20 s.
    func receiveToEnd() -> String? {
      var buffer = [UInt8](repeating: 0, count: 65_536)
      while true {
        let count = recv(descriptor, &buffer, buffer.count, 0)
        if count < 0, errno == EAGAIN { return nil }
        guard count > 0 else { return String(decoding: received, as: UTF8.self) }
        received += buffer[..<count]
      }
    }

    /// Whether the other side has closed, asked without a wait.
    var isOver: Bool {
      var byte: UInt8 = 0
      let count = recv(descriptor, &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT))
      return count == 0 || (count < 0 && errno != EAGAIN)
    }

    /// Sends a request for four bytes and waits for the whole answer, or for the end.
    func ask(_ path: String, host: String) -> String {
      send("GET \(path) HTTP/1.1\r\nHost: \(host)\r\nRange: bytes=0-3\r\n\r\n")
      var buffer = [UInt8](repeating: 0, count: 65_536)
      var answer: [UInt8] = []
      while !Self.isWhole(answer) {
        let count = recv(descriptor, &buffer, buffer.count, 0)
        guard count > 0 else { break }
        answer += buffer[..<count]
      }
      return String(decoding: answer, as: UTF8.self)
    }

    private static func isWhole(_ answer: [UInt8]) -> Bool {
      let text = String(decoding: answer, as: UTF8.self)
      guard let end = text.range(of: "\r\n\r\n"), let length = text.firstMatch(of: /Content-Length: ([0-9]+)/) else {
        return false
      }
      return text[end.upperBound...].utf8.count >= Int(length.1) ?? .max
    }
  }

  /// A playback at a proxy of its own.
  private struct Place {
    let scene: PlayingScene
    let playback: Playback
    let proxy: LoopbackProxy
    let link: ProxyLink

    init() async throws {
      scene = try PlayingScene(CrowdedProxyTests.recording)
      playback = try await scene.open()
      proxy = try LoopbackProxy()
      link = proxy.link(to: playback)
    }

    var port: UInt16 { get throws { try proxy.port() } }

    /// `/TOKEN/NAME.mp4`
    var path: String {
      get throws {
        let url = try link.url
        return String(url.dropFirst("http://127.0.0.1:\(try port)".count))
      }
    }
  }

  @Test func `however many connect and say nothing, a player is served at once`() async throws {
    let place = try await Place()
    let (port, path) = (try place.port, try place.path)
    let player = try Caller(port)
    #expect(player.ask(path, host: "127.0.0.1:\(port)").hasPrefix("HTTP/1.1 206"))
    var idle: [Caller] = []
    for round in 0..<600 {
      let caller = try Caller(port)
      // Some say a little, some ask for what there is not.
      if round % 3 == 1 { caller.send("GET /") }
      idle.append(caller)
      guard round % 50 == 0 else { continue }
      let next = try Caller(port)
      #expect(next.ask(path, host: "localhost:\(port)").hasPrefix("HTTP/1.1 206"), "behind \(round) others")
    }
    // The first ones had to go, and who was let in before them stays.
    #expect(idle[0].receiveToEnd() != nil)
    #expect(player.ask(path, host: "127.0.0.1:\(port)").hasPrefix("HTTP/1.1 206"))
    withExtendedLifetime(idle) {}
  }

  @Test func `who has not shown the token in time has to go, whatever it says`() async throws {
    let place = try await Place()
    let (port, path) = (try place.port, try place.path)
    let player = try Caller(port)
    #expect(player.ask(path, host: "127.0.0.1:\(port)").hasPrefix("HTTP/1.1 206"))
    let (silent, slow) = (try Caller(port), try Caller(port))
    slow.send("GET \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n")
    let start = ContinuousClock.now
    #expect(silent.receiveToEnd() == "")
    while !slow.isOver { slow.send("X: y\r\n") }
    #expect(ContinuousClock.now - start >= .seconds(1))
    // A player may be silent for as long as it likes between two requests.
    #expect(player.ask(path, host: "127.0.0.1:\(port)").hasPrefix("HTTP/1.1 206"))
  }

  @Test func `who asks without the token is told once, and then has to go`() async throws {
    let place = try await Place()
    let port = try place.port
    for path in ["/", "/nothing/x.mp4", "/\(String(repeating: "0", count: 32))/x.mp4"] {
      let caller = try Caller(port)
      let request = "GET \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\r\n"
      caller.send(request + request)
      let answer = try #require(caller.receiveToEnd())
      #expect(answer.hasPrefix("HTTP/1.1 404") && answer.contains("Connection: close"))
      #expect(answer.components(separatedBy: "HTTP/1.1 404").count == 2)
    }
  }

  @Test(arguments: [
    ("127.0.0.1:PORT", 206), ("localhost:PORT", 206), ("LocalHost:PORT", 206), ("evil.example:PORT", 421),
    ("evil.example", 421), ("127.0.0.1", 421), ("127.0.0.1:1", 421), ("127.0.0.1.evil.example:PORT", 421),
    ("[::1]:PORT", 421),
  ])
  func `a name that was made to lead here is not served`(host: String, status: Int) async throws {
    let place = try await Place()
    let port = try place.port
    let caller = try Caller(port)
    let answer = caller.ask(try place.path, host: host.replacing("PORT", with: "\(port)"))
    #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(answer)")
    // A page of the app's own may be anywhere; see the handler.
    #expect(answer.contains("\r\nCross-Origin-Resource-Policy: cross-origin\r\n"))
    #expect(!answer.lowercased().contains("access-control-allow-origin"))
  }

  @Test func `a player of old that names no host is served`() async throws {
    let place = try await Place()
    let caller = try Caller(try place.port)
    caller.send("GET \(try place.path) HTTP/1.0\r\nRange: bytes=0-3\r\n\r\n")
    #expect(caller.receiveToEnd()?.hasPrefix("HTTP/1.1 206") == true)
  }

  // MARK: A port that is taken away

  /// The number of the descriptor that listens on a port.
  private func listener(on port: UInt16) throws -> Int32 {
    try #require(
      (3..<4096).first { descriptor in
        var accepts: Int32 = 0
        var length = socklen_t(4)
        guard getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &accepts, &length) == 0, accepts == 1 else {
          return false
        }
        var address = sockaddr_in()
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        return withUnsafeMutablePointer(to: &address) {
          $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &size) == 0 }
        } && UInt16(bigEndian: address.sin_port) == port
      })
  }

  @Test(arguments: [false, true])
  func `a port that was shut down or closed is listened on anew, and what is open goes on`(isClosed: Bool) async throws
  {
    let place = try await Place()
    let (port, path) = (try place.port, try place.path)
    let player = try Caller(port)
    #expect(player.ask(path, host: "127.0.0.1:\(port)").hasPrefix("HTTP/1.1 206"))
    for _ in 0..<3 {
      let number = try listener(on: port)
      if isClosed { close(number) } else { shutdown(number, Int32(SHUT_RDWR)) }
      // Nobody asks for the URL: a player that tries again finds it at the same place. A child that another test has just
      // forked may have the closed listener a moment longer, and callers with it.
      func isServed() -> Bool {
        (try? Caller(port).ask(path, host: "127.0.0.1:\(port)").hasPrefix("HTTP/1.1 206")) ?? false
      }
      while !isServed() { usleep(20_000) }
      #expect(player.ask(path, host: "127.0.0.1:\(port)").hasPrefix("HTTP/1.1 206"))
    }
    #expect(try place.port == port)
  }

  @Test func `where somebody else has the port by now, the URL is another one, with the same token`() async throws {
    let place = try await Place()
    let (port, path) = (try place.port, try place.path)
    let player = try Caller(port)
    #expect(player.ask(path, host: "127.0.0.1:\(port)").hasPrefix("HTTP/1.1 206"))
    let other = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var (on, address) = (Int32(1), sockaddr_in())
    setsockopt(other, SOL_SOCKET, SO_REUSEADDR, &on, 4)
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    address.sin_port = port.bigEndian
    func takesPort() throws -> Bool {
      shutdown(try listener(on: port), Int32(SHUT_RDWR))
      let status = withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          bind(other, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
      }
      return status == 0 && listen(other, 8) == 0
    }
    // The proxy looks after its port once a second, and may have been quicker.
    while try !takesPort() {}
    defer { close(other) }
    let url = try place.link.url
    let next = try place.port
    #expect(next != port && url == "http://127.0.0.1:\(next)\(path)")
    #expect(try Caller(next).ask(path, host: "127.0.0.1:\(next)").hasPrefix("HTTP/1.1 206"))
    #expect(player.ask(path, host: "127.0.0.1:\(port)").hasPrefix("HTTP/1.1 206"))
  }
}
