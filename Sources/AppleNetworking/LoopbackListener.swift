#if canImport(Network)
internal import Dispatch
package import HTTPFetching
internal import Network
internal import Synchronization
package import System

/// Listens on 127.0.0.1 for players of this device, and again where that ends: a system that suspends an app ends what it
/// listens on.
package final class LoopbackListener: Sendable {
  /// Nobody can listen.
  package struct Failure: Error, Hashable, Sendable, CustomStringConvertible {
    package let description: String
  }

  private struct State {
    var listener: NWListener?
    /// Nil before the first time.
    var port: UInt16?
    var isListening = false
  }

  private let executor: QueueExecutor
  private let accept: @Sendable (AcceptedConnection) -> Void
  private let state = Mutex(State())

  /// How long beginning to listen may take.
  private static let patience = DispatchTimeInterval.seconds(2)
  /// How long after a failure it is tried again.
  private static let pause = Duration.seconds(1)

  /// - Parameter accept: told of each connection, on the executor's queue.
  package init(on executor: QueueExecutor, accept: @escaping @Sendable (AcceptedConnection) -> Void) {
    self.executor = executor
    self.accept = accept
  }

  deinit { state.withLock { $0.listener }?.cancel() }

  /// Listens where it does not, on the same port as before unless somebody else has taken that. Blocks for some
  /// milliseconds; not to be called on the executor's queue, which has to go on meanwhile.
  ///
  /// - Returns: the port.
  package func port() throws(Failure) -> UInt16 {
    let (known, isListening) = state.withLock { ($0.port, $0.isListening) }
    if let known, isListening { return known }
    if let known, begin(on: known, waiting: true) { return known }
    guard begin(on: 0, waiting: true), let port = state.withLock({ $0.port }) else {
      throw Failure(description: "this device has no port on which players could be served")
    }
    return port
  }

  /// - Returns: whether it listens; true where that is not waited for.
  private func begin(on port: UInt16, waiting: Bool) -> Bool {
    let parameters = NWParameters(tls: nil, tcp: NWProtocolTCP.Options())
    // 127.0.0.1 and nothing else: what is not on this device has no business here.
    parameters.requiredLocalEndpoint = .hostPort(
      host: .ipv4(.loopback), port: NWEndpoint.Port(rawValue: port) ?? .any)
    parameters.allowLocalEndpointReuse = true
    parameters.acceptLocalOnly = true
    guard let listener = try? NWListener(using: parameters) else { return false }
    let semaphore = DispatchSemaphore(value: 0)
    listener.newConnectionHandler = { [executor, accept, weak listener] connection in
      accept(AcceptedConnection(connection, on: executor, port: listener?.port?.rawValue ?? 0))
    }
    listener.stateUpdateHandler = { [weak self, weak listener] state in
      guard let listener else { return }
      switch state {
      case .ready: self?.began(listener)
      case .failed, .cancelled: self?.ended(listener)
      case .setup, .waiting: return
      @unknown default: return
      }
      semaphore.signal()
    }
    let replaced = state.withLock { state in
      defer {
        state.listener = listener
        state.isListening = false
      }
      return state.listener
    }
    replaced?.cancel()
    listener.start(queue: executor.queue)
    guard waiting else { return true }
    _ = semaphore.wait(timeout: .now() + Self.patience)
    return state.withLock { $0.isListening && $0.listener === listener }
  }

  private func began(_ listener: NWListener) {
    state.withLock { state in
      guard state.listener === listener, let port = listener.port?.rawValue else { return }
      state.port = port
      state.isListening = true
    }
  }

  /// What was open goes on being served: whoever has the URL comes back to the same port.
  private func ended(_ listener: NWListener) {
    let port = state.withLock { state -> UInt16? in
      guard state.listener === listener else { return nil }
      let hasListened = state.isListening
      state.isListening = false
      state.listener = nil
      // One that never came to listen has somebody who waits for it, or its turn again.
      return hasListened ? state.port : nil
    }
    guard let port else { return }
    tryAgain(on: port)
  }

  private func tryAgain(on port: UInt16) {
    _ = begin(on: port, waiting: false)
    _ = executor.timer(at: executor.clock.deadline(after: Self.pause)) { [weak self] in
      guard let self, state.withLock({ !$0.isListening && $0.port == port }) else { return }
      tryAgain(on: port)
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
