package import FootageServing
package import FootageSystem
internal import Synchronization

/// Listens on 127.0.0.1 for players of this machine, and again where that ends: a system that suspends an app ends what that
/// listens on.
package final class LoopbackListener: Sendable {
  /// Nobody can listen.
  package typealias Failure = NetworkingError
  /// The thread of its connections.
  package typealias Executor = EventLoop

  private let loop: EventLoop
  private let accept: @Sendable (AcceptedConnection) -> Void
  private let acceptor: Mutex<Acceptor>

  /// How often it is looked whether the port is still listened on.
  private static let check = Duration.seconds(1)

  /// - Parameter accept: told of each connection, on the loop.
  private init(on loop: EventLoop, accept: @escaping @Sendable (AcceptedConnection) -> Void) throws(Failure) {
    self.loop = loop
    self.accept = accept
    let acceptor = Acceptor(try Self.listen(on: 0), on: loop)
    self.acceptor = Mutex(acceptor)
    acceptor.start(accept)
    // Nothing tells that a port was taken away, so it is looked at now and then. Ends with the listener.
    Task(executorPreference: loop) { [weak self] in
      while self?.checkPort() != nil { await loop.sleep(for: Self.check) }
    }
  }

  /// A listener, which listens.
  package static func make(
    on loop: EventLoop, accept: @escaping @Sendable (AcceptedConnection) -> Void
  ) throws(Failure) -> LoopbackListener { try LoopbackListener(on: loop, accept: accept) }

  deinit { stop() }

  /// Takes no more connections. To be called while the loop runs.
  package func stop() { acceptor.withLock { $0.stop() } }

  /// Where it listens; nil where it does not yet.
  package var boundPort: UInt16? { acceptor.withLock { $0.listener.address.port } }

  /// Starts the thread of connections.
  ///
  /// - Parameter clock: by which players are waited for.
  package static func makeExecutor(clock: Clock) throws(Failure) -> EventLoop {
    let loop = try EventLoop(clock: clock)
    try loop.start()
    return loop
  }

  /// Has nothing run on it any more, once what runs has ended.
  package static func end(_ loop: EventLoop) {
    if !loop.isOnLoop { loop.stop() }
  }

  /// 127.0.0.1 and nothing else: what is not on this machine has no business here.
  private static func listen(on port: UInt16) throws(Failure) -> ListeningSocket {
    try ListeningSocket(
      SocketAddress(addressBytes: [127, 0, 0, 1], port: port), unsentLimit: TransportLimits().unsentBytes)
  }

  /// Listens anew where it does not any more: on the same port, unless somebody else has that by now.
  ///
  /// - Throws: where there is no port.
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

  /// Listens anew on the same port, or tries that again later: a child of this process may have the old listener for a
  /// moment, and whoever is told another port asks for the URL.
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

/// Takes the connections of one port, on a loop.
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

  /// So many connections are taken before others on the loop have a turn.
  private static let inARow = 64
  /// How long it waits for descriptors.
  private static let pause = Duration.seconds(1)

  nonisolated func start(_ accept: @escaping @Sendable (AcceptedConnection) -> Void) {
    Task(executorPreference: loop) { await self.run(accept) }
  }

  /// The port may have been closed by others, of which nothing tells.
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
      // Nothing tells when others have closed files of theirs, which is all that helps.
      case .exhausted: await loop.sleep(for: Self.pause)
      }
    }
  }
}

/// A connection that somebody has made to this machine.
package struct AcceptedConnection: Sendable {
  private let socket: Socket
  private let loop: EventLoop

  init(_ socket: Socket, on loop: EventLoop) {
    self.socket = socket
    self.loop = loop
  }

  /// This machine's end; nil once it is over.
  package var local: SocketAddress? { socket.local }
  /// The other end.
  package var peer: SocketAddress { socket.peer }
  /// The port that it was made to.
  package var port: UInt16 { local?.port ?? 0 }

  /// It is ready; nil where the machine has no room for it. To be called on the loop.
  package func ready(until deadline: Deadline) async -> (any PlayerConnection)? {
    (try? Stream(socket, accepting: nil, on: loop)).map(StreamConnection.init)
  }

  /// Lets go of it, which closes it.
  package func refuse() {}
}
