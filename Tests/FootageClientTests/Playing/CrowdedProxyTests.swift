/// Connections to the proxy without a token, web pages that have found it, and a port that is taken away.
import Foundation
import FootageServing
import FootageSystem
import LinuxTestSupport
import Testing

@testable import FootageCore

extension RawConnection {
  /// Asks for four bytes.
  fileprivate func ask(_ path: String, host: String) throws -> Response {
    try send("GET \(path) HTTP/1.1\r\nHost: \(host)\r\nRange: bytes=0-3\r\n\r\n")
    return try response()
  }
}

@Suite(.offThePool, .timeLimit(.minutes(2))) struct CrowdedProxyTests {
  static let recording = content(10_000)

  /// A playback with a proxy of its own, whose time the test moves.
  private struct Place {
    let scene: PlayingScene
    let playback: Playback
    let proxy: LoopbackProxy
    let link: ProxyLink
    let time = MovableClock()

    init() async throws {
      scene = try PlayingScene(CrowdedProxyTests.recording)
      playback = try await scene.open()
      proxy = try LoopbackProxy(clock: time.clock)
      link = proxy.link(to: playback)
    }

    var port: UInt16 { get throws { try proxy.port() } }

    /// The path of the URL: `/TOKEN/NAME.mp4`.
    var path: String {
      get throws {
        let url = try link.url(of: "x.mp4")
        return String(url.dropFirst("http://127.0.0.1:\(try port)".count))
      }
    }
  }

  @Test func `however many connect and say nothing, a player is served at once`() async throws {
    let place = try await Place()
    let (port, path) = (try place.port, try place.path)
    let player = try RawConnection(to: port)
    #expect(try player.ask(path, host: "127.0.0.1:\(port)").status == 206)
    var idle: [RawConnection] = []
    for round in 0..<600 {
      let caller = try RawConnection(to: port)
      // Some send a little, and some request what does not exist.
      if round % 3 == 1 { try caller.send("GET /") }
      idle.append(caller)
      guard round % 50 == 0 else { continue }
      let next = try RawConnection(to: port)
      #expect(try next.ask(path, host: "localhost:\(port)").status == 206, "behind \(round) others")
    }
    // The first ones were closed; a connection that was admitted before them stays.
    _ = idle[0].receiveToEnd()
    #expect(idle[0].end != .silent)
    #expect(try player.ask(path, host: "127.0.0.1:\(port)").status == 206)
    withExtendedLifetime(idle) {}
  }

  @Test func `who has not shown the token in time has to go, whatever it says`() async throws {
    let place = try await Place()
    let (port, path) = (try place.port, try place.path)
    let player = try RawConnection(to: port)
    #expect(try player.ask(path, host: "127.0.0.1:\(port)").status == 206)
    let (silent, slow) = (try RawConnection(to: port), try RawConnection(to: port))
    try slow.send("GET \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n")
    slow.socket.waitUntilDelivered()
    await place.proxy.loop.turn()
    place.time.advance(by: .seconds(1))
    await place.proxy.loop.turn()
    #expect(!silent.socket.hasEnded && !slow.socket.hasEnded)
    try await eventually("both to be gone") { () async -> Bool in
      place.time.advance(by: .seconds(1))
      try? slow.send("X: y\r\n")
      return silent.socket.hasEnded && slow.socket.hasEnded
    }
    // A player may be silent between two requests for any length of time.
    #expect(try player.ask(path, host: "127.0.0.1:\(port)").status == 206)
  }

  @Test func `who asks without the token is told once, and then has to go`() async throws {
    let place = try await Place()
    let port = try place.port
    for path in ["/", "/nothing/x.mp4", "/\(String(repeating: "0", count: 32))/x.mp4"] {
      let caller = try RawConnection(to: port)
      let request = "GET \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\r\n"
      try caller.send(request + request)
      let answer = String(decoding: caller.receiveToEnd(), as: UTF8.self)
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
    let caller = try RawConnection(to: port)
    let answer = try caller.ask(try place.path, host: host.replacing("PORT", with: "\(port)"))
    #expect(answer.status == status)
    // A page of the app may have any origin; see the handler.
    #expect(answer["Cross-Origin-Resource-Policy"] == "cross-origin")
    #expect(answer["Access-Control-Allow-Origin"] == nil)
  }

  @Test func `a player of old that names no host is served`() async throws {
    let place = try await Place()
    let caller = try RawConnection(to: try place.port)
    try caller.send("GET \(try place.path) HTTP/1.0\r\nRange: bytes=0-3\r\n\r\n")
    #expect(String(decoding: caller.receiveToEnd(), as: UTF8.self).hasPrefix("HTTP/1.1 206"))
  }

  // MARK: A port that is taken away

  /// Returns the number of the descriptor that listens on a port.
  private func listener(on port: UInt16) throws -> Int32 {
    try #require(
      (3..<4096).first { descriptor in
        var accepts: Int32 = 0
        var length = socklen_t(4)
        guard getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &accepts, &length) == 0, accepts == 1 else {
          return false
        }
        return BlockingSocket.port(of: descriptor) == port
      })
  }

  @Test(arguments: [false, true])
  func `a port that was shut down or closed is listened on anew, and what is open goes on`(isClosed: Bool) async throws
  {
    let place = try await Place()
    let (port, path) = (try place.port, try place.path)
    let player = try RawConnection(to: port)
    #expect(try player.ask(path, host: "127.0.0.1:\(port)").status == 206)
    for _ in 0..<3 {
      let number = try listener(on: port)
      if isClosed { close(number) } else { shutdown(number, Int32(SHUT_RDWR)) }
      // The URL is not requested again: a player that retries finds it at the same place. A child process that another
      // test has just forked may hold the closed listener a moment longer, along with its callers.
      func isServed() -> Bool {
        // The proxy checks its port once a second.
        place.time.advance(by: .seconds(1))
        return (try? RawConnection(to: port).ask(path, host: "127.0.0.1:\(port)").status) == 206
      }
      try await eventually("a player to be served") { () async -> Bool in isServed() }
      #expect(try player.ask(path, host: "127.0.0.1:\(port)").status == 206)
    }
    #expect(try place.port == port)
  }

  @Test func `where somebody else has the port by now, the URL is another one, with the same token`() async throws {
    let place = try await Place()
    let (port, path) = (try place.port, try place.path)
    let player = try RawConnection(to: port)
    #expect(try player.ask(path, host: "127.0.0.1:\(port)").status == 206)
    // The proxy does not check its port meanwhile, because no time passes.
    shutdown(try listener(on: port), Int32(SHUT_RDWR))
    let other = try await eventually("the port") { () async -> BlockingSocket? in
      try? BlockingSocket(listeningOn: port)
    }
    let url = try place.link.url(of: "x.mp4")
    let next = try place.port
    #expect(next != port && url == "http://127.0.0.1:\(next)\(path)")
    #expect(try RawConnection(to: next).ask(path, host: "127.0.0.1:\(next)").status == 206)
    #expect(try player.ask(path, host: "127.0.0.1:\(port)").status == 206)
    withExtendedLifetime(other) {}
  }
}
