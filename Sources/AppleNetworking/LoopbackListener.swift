#if canImport(Network)
internal import Dispatch
package import HTTPFetching
internal import Network
internal import Synchronization
package import FootageSystem

/// Listens on 127.0.0.1 for players of this device, and again where that ends. A system that suspends an app ends the app's
/// listeners: it says so, or says that they wait, or says nothing.
package final class LoopbackListener: Sendable {
  /// Nobody can listen.
  package struct Failure: Error, Hashable, Sendable, CustomStringConvertible {
    package let description: String
  }

  private struct State {
    /// The one that listens, or is beginning to.
    var listener: NWListener?
    /// Nil before the first time.
    var port: UInt16?
    var isListening = false
    /// True while a listener that did not take connections any more is being cancelled, for another one to follow.
    var isEnding = false
    /// The number of connections that the present listener has taken.
    var connectionCount = 0
    /// Signalled when the present listener takes a connection, or ends.
    var probe: DispatchSemaphore?
    /// Left once the listener listens, or will not.
    var beginning: DispatchGroup?

    /// Whoever waits for the listener goes on.
    mutating func endBeginning() {
      beginning?.leave()
      beginning = nil
    }
  }

  private let executor: QueueExecutor
  private let accept: @Sendable (AcceptedConnection) -> Void
  private let state = Mutex(State())
  /// Of those who want the port: one after the other.
  private let turn = Mutex(())

  /// How long beginning to listen may take.
  private static let patience = DispatchTimeInterval.seconds(5)
  /// How long a listener may take to take a connection from this process.
  private static let probePatience = DispatchTimeInterval.seconds(2)
  /// How long after a failure it is tried again.
  private static let pause = Duration.seconds(1)

  /// - Parameter accept: told of each connection, on the executor's queue.
  package init(on executor: QueueExecutor, accept: @escaping @Sendable (AcceptedConnection) -> Void) {
    self.executor = executor
    self.accept = accept
  }

  deinit { state.withLock { $0.listener }?.cancel() }

  /// Listens where it does not, on the same port as before unless somebody else has taken that, and makes sure by a
  /// connection of its own. Blocks for some milliseconds; not to be called on the executor's queue, which has to go on
  /// meanwhile.
  ///
  /// - Returns: the port, the same to all who ask.
  package func port() throws(Failure) -> UInt16 {
    let port = turn.withLock { _ -> UInt16? in
      guard let known = state.withLock({ $0.port }) else { return listeningPort(after: { begin(on: 0) }) }
      endSilentListener(at: known)
      return listeningPort { begin(on: known) } ?? listeningPort { begin(on: 0, insteadOfOneThatBegins: true) }
    }
    guard let port else { throw Failure(description: "this device has no port on which players could be served") }
    return port
  }

  // MARK: A listener that is silently dead

  /// Ends the listener where it says that it listens and takes no connection.
  private func endSilentListener(at port: UInt16) {
    let probe = DispatchSemaphore(value: 0)
    let (listener, count) = state.withLock { state -> (NWListener?, Int) in
      guard state.isListening else { return (nil, 0) }
      state.probe = probe
      return (state.listener, state.connectionCount)
    }
    guard let listener, let port = NWEndpoint.Port(rawValue: port) else { return }
    let connection = NWConnection(to: .hostPort(host: .ipv4(.loopback), port: port), using: .tcp)
    connection.stateUpdateHandler = { state in
      switch state {
      case .waiting, .failed: probe.signal()
      default: break
      }
    }
    connection.start(queue: executor.queue)
    // Another one may have the port by now: that the connection was made is no proof.
    _ = probe.wait(timeout: .now() + Self.probePatience)
    connection.forceCancel()
    let isDead = state.withLock { state in
      state.probe = nil
      return state.listener === listener && state.connectionCount == count
    }
    if isDead { end(listener) }
  }

  /// Cancels one that listened. Another one follows when it is cancelled, and its port is free.
  private func end(_ listener: NWListener) {
    let wasListening = state.withLock { state in
      guard state.listener === listener, state.isListening else { return false }
      state.isListening = false
      state.isEnding = true
      state.probe?.signal()
      // Whoever asks meanwhile waits for the next one.
      state.beginning = DispatchGroup()
      state.beginning?.enter()
      return true
    }
    if wasListening { listener.cancel() }
  }

  // MARK: Beginning and ending

  /// The port once it listens; nil where it does not come to that.
  private func listeningPort(after begin: () -> Void) -> UInt16? {
    begin()
    let end = DispatchTime.now() + Self.patience
    while true {
      let (port, beginning) = state.withLock { ($0.isListening ? $0.port : nil, $0.beginning) }
      if let port { return port }
      // One that came may have been taken away again at once, and another one have begun in its place.
      guard let beginning, beginning.wait(timeout: end) == .success else { return nil }
    }
  }

  /// Begins to listen, unless it does, or has begun to.
  ///
  /// - Parameter insteadOfOneThatBegins: whether one that has begun, and has not come to listen yet, is given up.
  private func begin(on port: UInt16, insteadOfOneThatBegins: Bool = false) {
    let (begun, givenUp) = state.withLock { state -> (begun: NWListener?, givenUp: NWListener?) in
      guard state.listener == nil || !state.isListening && insteadOfOneThatBegins else { return (nil, nil) }
      let former = state.listener
      state.endBeginning()
      return (replaceListener(on: port, &state), former)
    }
    givenUp?.cancel()
    begun?.start(queue: executor.queue)
  }

  /// - Returns: to be started; nil where there is none.
  private func replaceListener(on port: UInt16, _ state: inout State) -> NWListener? {
    state.listener = makeListener(on: port)
    state.isEnding = false
    state.connectionCount = 0
    if state.listener != nil {
      state.beginning = DispatchGroup()
      state.beginning?.enter()
    }
    return state.listener
  }

  private func makeListener(on port: UInt16) -> NWListener? {
    let parameters = NWParameters(tls: nil, tcp: NWProtocolTCP.Options())
    // 127.0.0.1 and nothing else: what is not on this device has no business here.
    parameters.requiredLocalEndpoint = .hostPort(
      host: .ipv4(.loopback), port: NWEndpoint.Port(rawValue: port) ?? .any)
    parameters.allowLocalEndpointReuse = true
    parameters.acceptLocalOnly = true
    guard let listener = try? NWListener(using: parameters) else { return nil }
    listener.newConnectionHandler = { [weak self, executor, accept, weak listener] connection in
      self?.tookConnection(listener)
      accept(AcceptedConnection(connection, on: executor, port: listener?.port?.rawValue ?? 0))
    }
    listener.stateUpdateHandler = { [weak self, weak listener] state in
      guard let listener else { return }
      switch state {
      case .ready: self?.began(listener)
      case .failed, .cancelled: self?.ended(listener)
      // One that has listened and waits has no port any more.
      case .waiting: self?.end(listener)
      case .setup: break
      @unknown default: break
      }
    }
    return listener
  }

  private func tookConnection(_ listener: NWListener?) {
    state.withLock { state in
      guard let listener, state.listener === listener else { return }
      state.connectionCount += 1
      state.probe?.signal()
    }
  }

  private func began(_ listener: NWListener) {
    state.withLock { state in
      guard state.listener === listener, let port = listener.port?.rawValue else { return }
      state.port = port
      state.isListening = true
      state.endBeginning()
    }
  }

  /// What was open goes on being served: whoever has the URL comes back to the same port.
  private func ended(_ listener: NWListener) {
    let (port, begun) = state.withLock { state -> (UInt16?, NWListener?) in
      guard state.listener === listener else { return (nil, nil) }
      let hasListened = state.isListening || state.isEnding
      state.isListening = false
      state.isEnding = false
      state.listener = nil
      state.probe?.signal()
      state.endBeginning()
      // One that never came to listen has somebody who waits for it, or its turn again.
      guard hasListened, let port = state.port else { return (nil, nil) }
      // At once, so that nobody who asks meanwhile takes the port for lost.
      return (port, replaceListener(on: port, &state))
    }
    begun?.start(queue: executor.queue)
    if let port { lookLater(at: port) }
  }

  private func lookLater(at port: UInt16) {
    _ = executor.timer(at: executor.clock.deadline(after: Self.pause)) { [weak self] in
      guard let self, state.withLock({ !$0.isListening && $0.port == port }) else { return }
      begin(on: port)
      lookLater(at: port)
    }
  }
}

/// A connection of somebody on this device.
package protocol PlayerConnection: ByteConnection {
  /// Whether the other end, or this one, has ended it.
  var hasEnded: Bool { get }
}

extension NetworkConnection: PlayerConnection {}

/// A connection that somebody has made to this device, not yet ready.
package struct AcceptedConnection: Sendable {
  private let connection: NWConnection
  private let executor: QueueExecutor
  /// That it was made to.
  package let port: UInt16

  init(_ connection: NWConnection, on executor: QueueExecutor, port: UInt16) {
    self.connection = connection
    self.executor = executor
    self.port = port
  }

  /// Waits until it is ready; nil where it does not come to be. To be called on the executor.
  package func ready(until deadline: Deadline) async -> (any PlayerConnection)? {
    let attempt = ConnectionAttempt(connection, on: executor)
    guard case .ready = await attempt.finish(until: deadline) else {
      connection.forceCancel()
      return nil
    }
    return NetworkConnection(connection, on: executor) { ConnectionError($0, nil) }
  }

  /// Lets go of it.
  package func refuse() { connection.forceCancel() }
}
#endif
