public import Dispatch
internal import Foundation
internal import Glibc
internal import Synchronization

/// Network's `NWListener`: a thread that accepts.
public final class NWListener: @unchecked Sendable {
  public enum State: Equatable, Sendable {
    case setup
    case waiting(NWError)
    case ready
    case failed(NWError)
    case cancelled
  }

  private struct Handlers {
    var state: (@Sendable (State) -> Void)?
    var connection: (@Sendable (NWConnection) -> Void)?
    var port: NWEndpoint.Port?
    var isCancelled = false
    /// What it says at its end.
    var end = State.cancelled
  }

  private let parameters: NWParameters
  private let wanted: NWEndpoint.Port
  private let handlers = Mutex(Handlers())
  private let wakeUp = Sockets.pipe()

  public init(using: NWParameters, on: NWEndpoint.Port = .any) throws {
    parameters = using
    wanted = on
    Listeners.all.withLock { $0.append(Weak(self)) }
  }

  deinit {
    cancel()
    close(wakeUp.reading)
    close(wakeUp.writing)
  }

  public var stateUpdateHandler: (@Sendable (State) -> Void)? {
    get { handlers.withLock { $0.state } }
    set { handlers.withLock { $0.state = newValue } }
  }

  public var newConnectionHandler: (@Sendable (NWConnection) -> Void)? {
    get { handlers.withLock { $0.connection } }
    set { handlers.withLock { $0.connection = newValue } }
  }

  public var port: NWEndpoint.Port? { handlers.withLock { $0.port } }

  public func start(queue: DispatchQueue) {
    var host = "0.0.0.0"
    var port = wanted
    if let (local, localPort) = parameters.requiredLocalEndpoint?.place {
      host = local.text
      if port == .any { port = localPort }
    }
    let descriptor =
      ResolvedAddress.all(host, port.rawValue).first.map {
        Sockets.listening(on: $0, reusing: parameters.allowLocalEndpointReuse)
      } ?? -1
    guard descriptor >= 0 else {
      let error = NWError.posix(POSIXErrorCode(rawValue: errno) ?? .EIO)
      return queue.async { [weak self] in self?.stateUpdateHandler?(.failed(error)) }
    }
    let bound = NWEndpoint.Port(rawValue: Sockets.port(of: descriptor))
    handlers.withLock { $0.port = bound }
    queue.async { [weak self] in self?.stateUpdateHandler?(.ready) }
    let pipe = wakeUp.reading
    Thread.detachNewThread { [weak self, parameters] in
      while true {
        var polled = [
          pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
          pollfd(fd: pipe, events: Int16(POLLIN), revents: 0),
        ]
        Glibc.poll(&polled, 2, -1)
        guard polled[1].revents == 0 else { break }
        let accepted = Sockets.accept(descriptor)
        guard accepted >= 0 else { continue }
        let connection = NWConnection(
          accepted: accepted, .hostPort(host: .ipv4(.loopback), port: bound ?? .any), using: parameters)
        queue.async { [weak self] in
          if let handler = self?.newConnectionHandler { handler(connection) } else { connection.forceCancel() }
        }
      }
      Sockets.endListening(descriptor)
      queue.async { [weak self] in
        guard let self else { return }
        stateUpdateHandler?(handlers.withLock { $0.end })
      }
    }
  }

  /// What iOS does to a listener of a suspended app: its port is free before the app is told.
  fileprivate func dieOfSuspension() {
    handlers.withLock { $0.end = .failed(.posix(.ECONNABORTED)) }
    cancel()
  }

  public func cancel() {
    let isFirst = handlers.withLock { handlers in
      defer { handlers.isCancelled = true }
      return !handlers.isCancelled
    }
    guard isFirst else { return }
    var byte: UInt8 = 1
    _ = Glibc.write(wakeUp.writing, &byte, 1)
  }
}

private struct Weak: Sendable {
  weak let listener: NWListener?

  init(_ listener: NWListener) { self.listener = listener }
}

private enum Listeners {
  static let all = Mutex<[Weak]>([])
}

extension FakeNetwork {
  /// Takes all listeners away, as iOS does from an app that is suspended.
  public static func suspendListeners() { suspendListeners { _ in true } }

  /// Takes the one away that listens at a port.
  public static func suspendListener(at port: UInt16) { suspendListeners { $0.port?.rawValue == port } }

  private static func suspendListeners(where isMeant: (NWListener) -> Bool) {
    let all = Listeners.all.withLock { listeners in
      listeners.removeAll { $0.listener == nil }
      return listeners
    }
    for one in all.compactMap(\.listener) where isMeant(one) { one.dieOfSuspension() }
  }
}
