package import FootageServing
package import FootageSystem
internal import Synchronization

/// A listener on 127.0.0.1 for players on this machine. It listens again if its socket is closed: a system that
/// suspends an app closes the app's listening sockets.
package final class LoopbackListener: Sendable {
  /// The error of a listener that cannot listen.
  package typealias Failure = NetworkingError
  /// The loop that runs the listener's connections.
  package typealias Executor = EventLoop

  private let loop: EventLoop
  private let accept: @Sendable (AcceptedConnection) -> Void
  private let acceptor: Mutex<Acceptor>

  /// The interval between two checks that the port is still listened on.
  private static let check = Duration.seconds(1)

  /// - Parameter accept: called with each connection, on the loop.
  private init(on loop: EventLoop, accept: @escaping @Sendable (AcceptedConnection) -> Void) throws(Failure) {
    self.loop = loop
    self.accept = accept
    let acceptor = Acceptor(try Self.listen(on: 0), on: loop)
    self.acceptor = Mutex(acceptor)
    acceptor.start(accept)
    // No event reports that a port was taken away, so the port is checked now and then. The task ends with the
    // listener.
    Task(executorPreference: loop) { [weak self] in
      while self?.checkPort() != nil { await loop.sleep(for: Self.check) }
    }
  }

  /// Creates a listener that listens at once.
  package static func make(
    on loop: EventLoop, accept: @escaping @Sendable (AcceptedConnection) -> Void
  ) throws(Failure) -> LoopbackListener { try LoopbackListener(on: loop, accept: accept) }

  deinit { stop() }

  /// Stops accepting connections. Must be called while the loop runs.
  package func stop() { acceptor.withLock { $0.stop() } }

  /// The port on which it listens; nil if it does not listen yet.
  package var boundPort: UInt16? { acceptor.withLock { $0.listener.address.port } }

  /// Starts the thread of the connections.
  ///
  /// - Parameter clock: the clock that times the waits for players.
  package static func makeExecutor(clock: Clock) throws(Failure) -> EventLoop {
    let loop = try EventLoop(clock: clock)
    try loop.start()
    return loop
  }

  /// Ends the executor's thread once no more work is queued on it.
  package static func end(_ loop: EventLoop) {
    if !loop.isOnLoop { loop.stop() }
  }

  /// Listens on 127.0.0.1 and nowhere else: nothing outside this machine may connect.
  private static func listen(on port: UInt16) throws(Failure) -> ListeningSocket {
    try ListeningSocket(
      SocketAddress(addressBytes: [127, 0, 0, 1], port: port), unsentLimit: TransportLimits().unsentBytes)
  }

  /// Returns the port. If its listening socket was closed, listens again: on the same port, unless another process has
  /// taken it.
  ///
  /// - Throws: an error if there is no port.
  package func port() throws(Failure) -> UInt16 {
    try acceptor.withLock { (acceptor) throws(Failure) -> UInt16 in
      let (listener, port) = (acceptor.listener, acceptor.listener.address.port)
      guard !listener.isListening else { return port }
      let next: ListeningSocket
      do throws(Failure) { next = try Self.listen(on: port) } catch { next = try Self.listen(on: 0) }
      replace(&acceptor, by: next)
      return next.address.port
    }
  }

  /// Listens again on the same port if the listener is closed. If that fails, the next check tries again: a child of
  /// this process may still hold the old listening socket for a moment. The port changes only in `port()`, when the URL
  /// is requested.
  private func checkPort() {
    acceptor.withLock { acceptor in
      guard !acceptor.listener.isListening, let next = try? Self.listen(on: acceptor.listener.address.port) else {
        return
      }
      replace(&acceptor, by: next)
    }
  }

  private func replace(_ acceptor: inout Acceptor, by next: ListeningSocket) {
    acceptor.stop()
    acceptor = Acceptor(next, on: loop)
    acceptor.start(accept)
  }
}

/// Accepts the connections of one port, on a loop.
private actor Acceptor {
  nonisolated let listener: ListeningSocket
  private nonisolated let loop: EventLoop
  private var watch: ListenerRegistration?
  private var isOver = false

  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

  init(_ listener: ListeningSocket, on loop: EventLoop) {
    self.listener = listener
    self.loop = loop
  }

  /// The number of connections that are accepted in a row before other tasks on the loop can run.
  private static let inARow = 64
  /// The pause before accepting again after no descriptor was left.
  private static let pause = Duration.seconds(1)

  nonisolated func start(_ accept: @escaping @Sendable (AcceptedConnection) -> Void) {
    Task(executorPreference: loop) { await self.run(accept) }
  }

  /// Stops listening and ends the task. The system may have closed the port, which no event reports.
  nonisolated func stop() {
    listener.stop()
    Task(executorPreference: loop) { await self.end() }
  }

  private func end() {
    isOver = true
    watch?.stop()
  }

  private func run(_ accept: @Sendable (AcceptedConnection) -> Void) async {
    guard !isOver, let watch = try? listener.register(on: loop) else { return }
    self.watch = watch
    defer {
      watch.stop()
      self.watch = nil
    }
    var count = 0
    while !isOver {
      switch listener.accept() {
      case .accepted(let socket):
        accept(AcceptedConnection(socket, on: loop))
        count += 1
        if count % Self.inARow == 0 { await loop.yield() }
      case .none: guard await watch.waitForConnection() else { return }
      case .over: return
      // Only files that others close can help, and no event reports that.
      case .exhausted: await loop.sleep(for: Self.pause)
      }
    }
  }
}

/// A connection that a program has made to this machine.
package struct AcceptedConnection: Sendable {
  private let socket: Socket
  private let loop: EventLoop

  init(_ socket: Socket, on loop: EventLoop) {
    self.socket = socket
    self.loop = loop
  }

  /// The local address; nil once the connection is closed.
  package var local: SocketAddress? { socket.local }
  /// The address of the peer.
  package var peer: SocketAddress { socket.peer }
  /// The local port of the connection.
  package var port: UInt16 { local?.port ?? 0 }

  /// Returns the connection, ready for use; nil if the machine has no room for it. Must be called on the loop.
  package func ready(until deadline: Deadline) async -> (any PlayerConnection)? {
    (try? Stream(socket, accepting: nil, on: loop)).map(StreamConnection.init)
  }

  /// Refuses the connection: dropping it closes it.
  package func refuse() {}
}
