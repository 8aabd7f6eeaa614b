package import Dispatch
internal import Network
internal import Synchronization
package import FootageSystem

/// Listens on 127.0.0.1 for players of this device, and again where that ends. A system that suspends an app ends the app's
/// listeners: it says so, or says that they wait, or says nothing.
package final class LoopbackListener: Sendable {
  /// The thread of its connections.
  package typealias Executor = QueueExecutor

  /// Nobody can listen.
  package struct Failure: Error, Hashable, Sendable, CustomStringConvertible {
    package let description: String
  }

  private struct State {
    /// The one that listens, is beginning to, or is being cancelled.
    var listener: NWListener?
    /// Nil before the first time.
    var port: UInt16?
    var isListening = false
    /// True while a listener that did not take connections any more is being cancelled, for another one to follow.
    var isEnding = false
    /// True where the last one failed before it listened: somebody else has its port.
    var hasFailed = false
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

  /// The result of beginning to listen.
  private enum Beginning {
    case listens(at: UInt16)
    /// Somebody else has the port.
    case failed
    /// The system has let nobody listen for as long as that may take.
    case waits
  }

  private let executor: QueueExecutor
  /// How long beginning to listen may take.
  private let patience: DispatchTimeInterval
  private let accept: @Sendable (AcceptedConnection) -> Void
  private let state = Mutex(State())
  /// Of those who want the port: one after the other.
  private let turn = Mutex(())

  /// How long a listener may take to take a connection from this process.
  private static let probePatience = DispatchTimeInterval.seconds(2)
  /// How long after a failure it is tried again.
  private static let pause = Duration.seconds(1)
  /// The same after one that waits, while somebody asks for the port.
  private static let shortPause = DispatchTimeInterval.milliseconds(100)

  /// - Parameters:
  ///   - patience: how long beginning to listen may take.
  ///   - accept: told of each connection, on the executor's queue.
  package init(
    on executor: QueueExecutor, patience: DispatchTimeInterval = .seconds(5),
    accept: @escaping @Sendable (AcceptedConnection) -> Void
  ) {
    self.executor = executor
    self.patience = patience
    self.accept = accept
  }

  deinit { stop() }

  /// Takes no more connections.
  package func stop() { state.withLock { $0.listener }?.cancel() }

  /// Where it listens; nil where it does not yet.
  package var boundPort: UInt16? { state.withLock { $0.isListening ? $0.port : nil } }

  /// - Parameter clock: by which players are waited for.
  package static func makeExecutor(clock: Clock) throws(Failure) -> QueueExecutor { QueueExecutor(clock: clock) }

  /// A listener, which listens once its port is asked for.
  package static func make(
    on executor: QueueExecutor, accept: @escaping @Sendable (AcceptedConnection) -> Void
  ) throws(Failure) -> LoopbackListener { LoopbackListener(on: executor, accept: accept) }

  /// Has nothing run on it any more. A queue ends by itself.
  package static func end(_ executor: QueueExecutor) {}

  /// Listens where it does not, on the same port as before unless somebody else has taken that, and makes sure by a
  /// connection of its own. Blocks for some milliseconds, and while the system has listeners wait for as long as beginning
  /// may take; not to be called on the executor's queue, which has to go on meanwhile.
  ///
  /// - Returns: the port, the same to all who ask.
  /// - Throws: also where the listener still waits. The port is not given up for that: what is open has it in its URL.
  package func port() throws(Failure) -> UInt16 {
    let beginning = turn.withLock { _ -> Beginning in
      guard let known = state.withLock({ $0.port }) else { return listen(on: 0) }
      endSilentListener(at: known)
      let beginning = listen(on: known)
      guard case .failed = beginning else { return beginning }
      return listen(on: 0, insteadOfOneThatBegins: true)
    }
    guard case .listens(let port) = beginning else {
      throw Failure(description: "this device has no port on which players could be served")
    }
    return port
  }

  // MARK: A listener that is silently dead

  /// Ends the listener where it says that it listens and takes no connection.
  private func endSilentListener(at port: UInt16) {
    guard state.withLock({ $0.isListening }) else { return }
    // What it took before, and is told of only now, proves nothing.
    let isUpToDate = DispatchSemaphore(value: 0)
    executor.queue.async { isUpToDate.signal() }
    _ = isUpToDate.wait(timeout: .now() + Self.probePatience)
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

  /// Cancels it. Where it listened, another one follows when it is cancelled, and its port is free; where it never did,
  /// whoever waits for it tries again, or the next look does.
  private func end(_ listener: NWListener) {
    let isPresent = state.withLock { state in
      guard state.listener === listener else { return false }
      guard state.isListening else { return true }
      state.isListening = false
      state.isEnding = true
      state.probe?.signal()
      // Whoever asks meanwhile waits for the next one.
      state.beginning = DispatchGroup()
      state.beginning?.enter()
      return true
    }
    if isPresent { listener.cancel() }
  }

  // MARK: Beginning and ending

  /// Begins to listen, and again after a pause where the listener waits and is cancelled for it.
  private func listen(on port: UInt16, insteadOfOneThatBegins: Bool = false) -> Beginning {
    let end = DispatchTime.now() + patience
    begin(on: port, insteadOfOneThatBegins: insteadOfOneThatBegins)
    while true {
      let (listening, beginning, hasFailed) = state.withLock {
        ($0.isListening ? $0.port : nil, $0.beginning, $0.hasFailed)
      }
      if let listening { return .listens(at: listening) }
      if hasFailed { return .failed }
      if let beginning {
        // One that came may have been taken away again at once, and another one have begun in its place.
        guard beginning.wait(timeout: end) == .success else { break }
      } else {
        guard .now() + Self.shortPause < end else { return .waits }
        _ = DispatchSemaphore(value: 0).wait(timeout: .now() + Self.shortPause)
        begin(on: port)
      }
    }
    giveUpMuteListener()
    return .waits
  }

  /// Lets go of one that has said nothing for as long as beginning may take. A later one begins on the same port.
  private func giveUpMuteListener() {
    let (mute, port) = state.withLock { state -> (NWListener?, UInt16?) in
      guard !state.isListening, let listener = state.listener else { return (nil, nil) }
      state.listener = nil
      state.isEnding = false
      state.endBeginning()
      return (listener, state.port)
    }
    mute?.cancel()
    guard let port else { return }
    executor.queue.async { [weak self] in self?.lookLater(at: port) }
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
    state.hasFailed = state.listener == nil
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
      case .failed: self?.ended(listener, hasFailed: true)
      case .cancelled: self?.ended(listener, hasFailed: false)
      // One that has listened and waits has no port any more. One that is to begin does not come to it by itself while the
      // app is suspended.
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
  private func ended(_ listener: NWListener, hasFailed: Bool) {
    let (port, begun) = state.withLock { state -> (UInt16?, NWListener?) in
      guard state.listener === listener else { return (nil, nil) }
      let hasListened = state.isListening || state.isEnding
      state.isListening = false
      state.isEnding = false
      state.listener = nil
      state.hasFailed = hasFailed && !hasListened
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
