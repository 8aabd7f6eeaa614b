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
    var queue: DispatchQueue?
    var isCancelled = false
    /// The state that it reports at its end.
    var end = State.cancelled
    /// True where it has ended without a word.
    var isSilent = false
  }

  private let parameters: NWParameters
  private let wanted: NWEndpoint.Port
  private let handlers = Mutex(Handlers())
  private let wakeUp = WakeUp()
  /// Signalled when the thread that accepts has done what it was told.
  private let obedience = DispatchSemaphore(value: 0)

  public init(using: NWParameters, on: NWEndpoint.Port = .any) throws {
    parameters = using
    wanted = on
    Listeners.all.withLock { $0.append(Weak(self)) }
  }

  deinit { cancel() }

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
    let number = Sockets.port(of: descriptor)
    let bound = NWEndpoint.Port(rawValue: number)
    let isHeldBack = Listeners.holdBack(at: number)
    handlers.withLock { handlers in
      handlers.port = isHeldBack ? nil : bound
      handlers.queue = queue
    }
    queue.async { [weak self] in
      self?.stateUpdateHandler?(isHeldBack ? .waiting(.posix(.ENETDOWN)) : .ready)
    }
    Thread.detachNewThread { [weak self, parameters, wakeUp] in
      var isWaiting = isHeldBack
      while true {
        var polled = [
          pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
          pollfd(fd: wakeUp.reading, events: Int16(POLLIN), revents: 0),
        ]
        // One that waits has its port still, and takes nobody.
        if isWaiting { polled[0].fd = -1 }
        Glibc.poll(&polled, 2, -1)
        if polled[1].revents != 0 {
          var order = Order.end.rawValue
          _ = Glibc.read(wakeUp.reading, &order, 1)
          guard order == Order.wait.rawValue else { break }
          isWaiting = true
          self?.obedience.signal()
          queue.async { [weak self] in self?.stateUpdateHandler?(.waiting(.posix(.ENETDOWN))) }
          continue
        }
        let accepted = Sockets.accept(descriptor)
        guard accepted >= 0 else { continue }
        let connection = NWConnection(
          accepted: accepted, .hostPort(host: .ipv4(.loopback), port: bound ?? .any), using: parameters)
        queue.async { [weak self] in
          if let handler = self?.newConnectionHandler { handler(connection) } else { connection.forceCancel() }
        }
      }
      Sockets.endListening(descriptor)
      self?.obedience.signal()
      queue.async { [weak self] in
        guard let self, let end = handlers.withLock({ $0.isSilent ? nil : $0.end }) else { return }
        stateUpdateHandler?(end)
      }
    }
  }

  /// An order to the thread that accepts connections.
  private enum Order: UInt8 {
    case end = 1
    case wait
  }

  private func tell(_ order: Order) {
    var byte = order.rawValue
    _ = Glibc.write(wakeUp.writing, &byte, 1)
  }

  /// Does what iOS does to a listener of a suspended app. It is done when this returns, whatever the app has been told.
  fileprivate func suspend(_ suspension: FakeNetwork.Suspension) {
    guard handlers.withLock({ $0.queue != nil && !$0.isCancelled && !$0.isSilent }) else { return }
    defer { obedience.wait() }
    switch suspension {
    case .failed:
      handlers.withLock { $0.end = .failed(.posix(.ECONNABORTED)) }
      cancel()
    case .waiting: tell(.wait)
    case .silent:
      handlers.withLock { $0.isSilent = true }
      tell(.end)
    }
  }

  public func cancel() {
    let (isFirst, queue) = handlers.withLock { handlers in
      defer {
        handlers.isCancelled = true
        handlers.isSilent = false
      }
      return (!handlers.isCancelled, handlers.isSilent ? handlers.queue : nil)
    }
    guard isFirst else { return }
    tell(.end)
    // Its thread has ended, and says nothing any more.
    queue?.async { [weak self] in self?.stateUpdateHandler?(.cancelled) }
  }
}

/// The pipe that wakes the thread that accepts connections. The thread holds it for as long as it runs, because
/// otherwise it might read from a descriptor that is used for something else.
private final class WakeUp: Sendable {
  let reading: Int32
  let writing: Int32

  init() { (reading, writing) = Sockets.pipe() }

  deinit {
    close(reading)
    close(writing)
  }
}

private struct Weak: Sendable {
  weak let listener: NWListener?

  init(_ listener: NWListener) { self.listener = listener }
}

private enum Listeners {
  static let all = Mutex<[Weak]>([])
  /// The number of listeners that are still to be held back, by port.
  static let heldBack = Mutex<[UInt16: Int]>([:])

  /// Returns true if the listener that begins at the port has to wait.
  static func holdBack(at port: UInt16) -> Bool {
    heldBack.withLock { heldBack in
      guard let count = heldBack[port], count > 0 else { return false }
      heldBack[port] = count - 1
      return true
    }
  }
}

extension FakeNetwork {
  /// The report of a suspended app's listener to the app.
  public enum Suspension: Sendable, CaseIterable {
    /// That it has failed, and its port is free before.
    case failed
    /// That it waits. It takes no connection any more, and keeps its port until it is canceled.
    case waiting
    /// Nothing. Its port is free.
    case silent
  }

  /// Takes all listeners away, as iOS does from an app that is suspended.
  public static func suspendListeners(_ suspension: Suspension = .failed) { suspendListeners(suspension) { _ in true } }

  /// Takes the one away that listens at a port.
  public static func suspendListener(at port: UInt16, _ suspension: Suspension = .failed) {
    suspendListeners(suspension) { $0.port?.rawValue == port }
  }

  /// Makes the next listeners that begin at the port say that they wait, instead of that they are ready. Such a listener
  /// waits until it is canceled, and has the port until then.
  public static func holdBackListeners(at port: UInt16, count: Int) {
    Listeners.heldBack.withLock { $0[port] = count }
  }

  /// The number of listeners at the port that are still to be held back.
  public static func listenersToHoldBack(at port: UInt16) -> Int { Listeners.heldBack.withLock { $0[port] ?? 0 } }

  private static func suspendListeners(_ suspension: Suspension, where isMeant: (NWListener) -> Bool) {
    let all = Listeners.all.withLock { listeners in
      listeners.removeAll { $0.listener == nil }
      return listeners
    }
    for one in all.compactMap(\.listener) where isMeant(one) { one.suspend(suspension) }
  }
}
