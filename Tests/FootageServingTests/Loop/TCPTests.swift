import Glibc
import FootageSystem
import LinuxTestSupport
import Testing

@testable import FootageServing

/// Ports of the loopback, and connections to them.
@Suite(.offThePool, .timeLimit(.minutes(1))) struct TCPTests {
  private static func loopback(_ port: UInt16 = 0) -> SocketAddress {
    SocketAddress(addressBytes: [127, 0, 0, 1], port: port)
  }

  private static func listener(_ address: SocketAddress = loopback()) throws -> ListeningSocket {
    try ListeningSocket(address, unsentLimit: 1 << 16)
  }

  /// A loop of its own, on a clock that does not move.
  private final class Scene: Sendable {
    let time = MovableClock()
    let loop: EventLoop

    init() throws {
      loop = try EventLoop(clock: time.clock)
      try loop.start()
    }

    deinit { loop.stop() }

    /// Connects, and returns the result.
    func connect(
      to address: SocketAddress, within limit: Duration = .seconds(10), begun: @escaping @Sendable () -> Void = {}
    ) async -> Result<SocketAddress, StreamError> {
      let loop = loop
      return await Task(executorPreference: loop) { () -> Result<SocketAddress, StreamError> in
        do throws(StreamError) {
          let connector = try TCPConnector(to: address, on: loop)
          begun()
          return .success(try await connector.finish(until: loop.clock.deadline(after: limit)).peer)
        } catch { return .failure(error) }
      }.value
    }
  }

  // MARK: Listening

  @Test func `a free port is told, and whoever calls is accepted with its address`() throws {
    let listener = try Self.listener()
    #expect(listener.address.port != 0 && listener.isListening)
    guard case .none = listener.accept() else { return #expect(Bool(false), "somebody came") }
    let caller = try BlockingSocket(to: listener.address.port)
    let accepted = try eventually("a caller") {
      if case .accepted(let socket) = listener.accept() { socket } else { nil }
    }
    #expect(accepted.peer == Self.loopback(caller.port))
    #expect(accepted.local == listener.address)
  }

  @Test func `a port that is stopped refuses, and says that it is over`() throws {
    let listener = try Self.listener()
    listener.stop()
    #expect(!listener.isListening)
    guard case .over = listener.accept() else { return #expect(Bool(false), "it goes on") }
    let error = #expect(throws: BlockingSocket.Failed.self) { try BlockingSocket(to: listener.address.port) }
    #expect(error?.number == ECONNREFUSED)
  }

  @Test func `a port that another one has, and an address that is not this machine's, are told`() throws {
    let listener = try Self.listener()
    var error = #expect(throws: NetworkingError.self) { try Self.listener(listener.address) }
    #expect(error?.description == "cannot listen on \(listener.address): another process already does")
    #expect(error?.listenFailure == .taken)
    let elsewhere = SocketAddress(addressBytes: [192, 0, 2, 1], port: 0)
    error = #expect(throws: NetworkingError.self) { try Self.listener(elsewhere) }
    #expect(error?.description == "cannot listen on 192.0.2.1:0: this machine does not have that address")
    #expect(error?.listenFailure == .noSuchAddress)
  }

  @Test func `whoever waits for callers is woken by one, and by the end`() async throws {
    let scene = try Scene()
    let listener = try Self.listener()
    let story = EventLog<String>()
    let loop = scene.loop
    let waiting = Task(executorPreference: loop) {
      let watch = try listener.register(on: loop)
      while true {
        switch listener.accept() {
        case .accepted(let socket): story.append("\(socket.peer.host)")
        case .none:
          story.append("waits")
          guard await watch.waitForConnection() else { return }
        case .exhausted, .over:
          story.append("over")
          watch.stop()
          return
        }
      }
    }
    try story.wait { $0 == ["waits"] }
    let caller = try BlockingSocket(to: listener.address.port)
    try story.wait { $0 == ["waits", "127.0.0.1", "waits"] }
    listener.stop()
    try await waiting.value
    #expect(story.all == ["waits", "127.0.0.1", "waits", "over"])
    withExtendedLifetime(caller) {}
  }

  // MARK: Connecting

  @Test func `a connection is made, and knows its peer`() async throws {
    let listener = try Self.listener()
    #expect(try await Scene().connect(to: listener.address) == .success(listener.address))
  }

  @Test func `where nobody listens, that is told at once`() async throws {
    let address = try Self.listener().address
    #expect(try await Scene().connect(to: address) == .failure(.unreachable(Errno(rawValue: ECONNREFUSED))))
  }

  @Test func `where nothing answers, the deadline ends it, and not before`() async throws {
    let hole = try FullPort()
    let scene = try Scene()
    let story = EventLog<String>()
    let outcome = Task {
      let outcome = await scene.connect(to: Self.loopback(hole.port)) { story.append("begun") }
      story.append("over")
      return outcome
    }
    try story.wait { $0 == ["begun"] }
    await scene.loop.turn()
    scene.time.advance(by: .seconds(9))
    await scene.loop.turn()
    #expect(story.all == ["begun"])
    scene.time.advance(by: .seconds(2))
    #expect(await outcome.value == .failure(.deadlinePassed))
  }

  @Test func `one that is given up tells so`() async throws {
    let hole = try FullPort()
    let scene = try Scene()
    let loop = scene.loop
    let outcome = await Task(executorPreference: loop) { () -> StreamError? in
      do throws(StreamError) {
        let connector = try TCPConnector(to: Self.loopback(hole.port), on: loop)
        connector.abort()
        _ = try await connector.finish(until: .never)
        return nil
      } catch { return error }
    }.value
    #expect(outcome == .aborted)
  }
}
