package import Dispatch
internal import Network
internal import Synchronization
package import FootageSystem

/// A listener on 127.0.0.1 for players on this device. A system that suspends an app ends the app's listeners; the
/// listener then listens again. The system may report that a listener has ended or is waiting, but it may also report
/// nothing.
package final class LoopbackListener: Sendable {
  /// The executor that runs the listener's connections.
  package typealias Executor = QueueExecutor

  /// The error of a listener that cannot listen.
  package struct Failure: Error, Hashable, Sendable, CustomStringConvertible {
    package let description: String
  }

  private struct State {
    /// The current listener: it listens, is beginning to, or is being canceled.
    var listener: NWListener?
    /// The port; nil until the first listener has one.
    var port: UInt16?
    var isListening = false
    /// True while a dead listener is being canceled. Another one follows it.
    var isEnding = false
    /// True if the last listener failed before it listened: another process has its port.
    var hasFailed = false
    /// The number of connections that the present listener has accepted.
    var connectionCount = 0
    /// Signaled when the present listener accepts a connection, or ends.
    var probe: DispatchSemaphore?
    /// A group that is left once the listener listens or has failed to listen. Callers of `port()` wait for it.
    var beginning: DispatchGroup?

    /// Wakes the callers that wait for the listener.
    mutating func endBeginning() {
      beginning?.leave()
      beginning = nil
    }
  }

  /// The result of beginning to listen.
  private enum Beginning {
    case listens(at: UInt16)
    /// Another process has the port.
    case failed
    /// The system did not let the app listen within `patience`.
    case waits
  }

  private let executor: QueueExecutor
  /// The longest time that a listener may take to begin to listen.
  private let patience: DispatchTimeInterval
  private let accept: @Sendable (AcceptedConnection) -> Void
  private let state = Mutex(State())
  /// Held by the caller that asks for the port. Other callers wait for it.
  private let turn = Mutex(())

  /// The time in which a listener has to accept a connection from this process.
  private static let probePatience = DispatchTimeInterval.seconds(2)
  /// The pause between a failure and the next attempt.
  private static let pause = Duration.seconds(1)
  /// The pause during a call of `port()` between the end of a listener that had to wait and the beginning of the next
  /// one.
  private static let shortPause = DispatchTimeInterval.milliseconds(100)

  /// - Parameters:
  ///   - patience: the time for a listener to begin to listen.
  ///   - accept: called with each connection, on the executor's queue.
  package init(
    on executor: QueueExecutor, patience: DispatchTimeInterval = .seconds(5),
    accept: @escaping @Sendable (AcceptedConnection) -> Void
  ) {
    self.executor = executor
    self.patience = patience
    self.accept = accept
  }

  deinit { stop() }

  /// Stops accepting connections.
  package func stop() { state.withLock { $0.listener }?.cancel() }

  /// The port on which it listens; nil if it does not listen yet.
  package var boundPort: UInt16? { state.withLock { $0.isListening ? $0.port : nil } }

  /// - Parameter clock: the clock that times the waits for players.
  package static func makeExecutor(clock: Clock) throws(Failure) -> QueueExecutor { QueueExecutor(clock: clock) }

  /// Creates a listener that begins to listen when its port is first requested.
  package static func make(
    on executor: QueueExecutor, accept: @escaping @Sendable (AcceptedConnection) -> Void
  ) throws(Failure) -> LoopbackListener { LoopbackListener(on: executor, accept: accept) }

  /// Does nothing: a queue ends by itself.
  package static func end(_ executor: QueueExecutor) {}

  /// Returns the port, after making sure that it can be connected to. If necessary, listens again, on the same port
  /// unless another process has taken that. A connection from this process tests the listener. Blocks for a few
  /// milliseconds, or for up to `patience` while the system makes listeners wait. Must not be called on the executor's
  /// queue, which must run meanwhile.
  ///
  /// - Returns: the port, the same for all callers.
  /// - Throws: an error, also if the listener still waits. Even then the port is kept, because open playbacks have it
  ///   in their URLs.
  package func port() throws(Failure) -> UInt16 {
    let beginning = turn.withLock { _ -> Beginning in
      guard let known = state.withLock({ $0.port }) else { return listen(on: 0) }
      endSilentListener(at: known)
      let beginning = listen(on: known)
      guard case .failed = beginning else { return beginning }
      return listen(on: 0, insteadOfOneThatBegins: true)
    }
    guard case .listens(let port) = beginning else {
      throw Failure(description: "this device has no free port for players")
    }
    return port
  }

  // MARK: Listeners that are silently dead

  /// Ends the listener if it reports that it listens but accepts no connection.
  private func endSilentListener(at port: UInt16) {
    guard state.withLock({ $0.isListening }) else { return }
    // Connections that were accepted earlier, and are reported only now, prove nothing.
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
    // Another process may have the port now, so a successful connection is no proof.
    _ = probe.wait(timeout: .now() + Self.probePatience)
    connection.forceCancel()
    let isDead = state.withLock { state in
      state.probe = nil
      return state.listener === listener && state.connectionCount == count
    }
    if isDead { end(listener) }
  }

  /// Cancels a listener. If it has listened, another one follows once it is canceled and its port is free. If it never
  /// has, the waiting caller or the next check tries again.
  private func end(_ listener: NWListener) {
    let isPresent = state.withLock { state in
      guard state.listener === listener else { return false }
      guard state.isListening else { return true }
      state.isListening = false
      state.isEnding = true
      state.probe?.signal()
      // Callers that ask meanwhile wait for the next listener.
      state.beginning = DispatchGroup()
      state.beginning?.enter()
      return true
    }
    if isPresent { listener.cancel() }
  }

  // MARK: Beginning and ending

  /// Begins to listen. If the listener has to wait, it is canceled, and another one begins after a pause.
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
        // A listener that began may have been taken away again at once, and another one may have begun in its place.
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

  /// Abandons a listener that has reported nothing for `patience`. Another one begins on the same port later.
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

  /// Begins to listen, unless a listener already does or has begun to.
  ///
  /// - Parameter insteadOfOneThatBegins: true if a listener that has begun, but does not listen yet, is abandoned.
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

  /// - Returns: the new listener, to be started by the caller; nil if none is needed.
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
    // 127.0.0.1 and nowhere else: nothing outside this device may connect.
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
      // A listener that has listened and now waits has lost its port. One that is beginning does not get any further by
      // itself while the app is suspended.
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

  /// Replaces a listener that has listened, on the same port: players that have the URL reconnect to that port.
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
      // If it never listened, a caller waits for it or the next check has its turn.
      guard hasListened, let port = state.port else { return (nil, nil) }
      // At once, so that no caller that asks meanwhile takes the port for lost.
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

/// A connection that a program has made to this device, not yet ready.
package struct AcceptedConnection: Sendable {
  private let connection: NWConnection
  private let executor: QueueExecutor
  /// The local port of the connection.
  package let port: UInt16

  init(_ connection: NWConnection, on executor: QueueExecutor, port: UInt16) {
    self.connection = connection
    self.executor = executor
    self.port = port
  }

  /// Waits until the connection is ready and returns it; nil if it fails. Must be called on the executor.
  package func ready(until deadline: Deadline) async -> (any PlayerConnection)? {
    let attempt = ConnectionAttempt(connection, on: executor)
    guard case .ready = await attempt.finish(until: deadline) else {
      connection.forceCancel()
      return nil
    }
    return NetworkConnection(connection, on: executor) { ConnectionError($0, nil) }
  }

  /// Closes the connection.
  package func refuse() { connection.forceCancel() }
}
