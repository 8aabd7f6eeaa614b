internal import Dispatch
internal import Foundation
internal import Network
internal import FootageSystem

/// A connection of Network.framework in the form that Footage's own HTTP client reads. Network pushes bytes; this class
/// lets readers pull them.
///
/// It asks Network for bytes before any reader needs them, but for only one piece. The end of the connection is
/// therefore noticed while no task reads, and a server that sends endlessly has to wait.
///
/// Touched only on its executor's queue, on which Network calls back as well. That makes `@unchecked Sendable` true.
final class NetworkConnection: ByteConnection, @unchecked Sendable {
  private let connection: NWConnection
  private let executor: QueueExecutor
  private let failure: (NWError) -> ConnectionError

  private(set) var handedOverByteCount: UInt64 = 0
  /// The number of bytes passed to Network that the system has not accepted yet.
  private var untakenByteCount = 0
  /// The bytes that have arrived and have not been read yet.
  private var inbox: Data?
  private var isAskedForMore = false
  /// The end of the received bytes; nil while more may arrive.
  private var end: End?
  /// The reason why nothing more can be sent; nil while sending works.
  private var sendFailure: ConnectionError?
  private var isOver = false
  private var waiter: Waiter?
  /// The action to be called once, when the connection has ended.
  private var endAction: (() -> Void)?
  /// The number of events on the connection so far.
  private var newsCount: UInt64 = 0

  private enum End {
    case closed
    case failed(ConnectionError)
  }

  /// The task that waits for an event on the connection.
  private struct Waiter {
    /// Resumed with true if the event was in time.
    let continuation: CheckedContinuation<Bool, Never>
    let timer: (any ConnectionTimer)?
  }

  /// Takes over a connection that is ready.
  ///
  /// - Parameter failure: converts an error of Network.
  init(_ connection: NWConnection, on executor: QueueExecutor, failure: @escaping (NWError) -> ConnectionError) {
    self.connection = connection
    self.executor = executor
    self.failure = failure
    connection.stateUpdateHandler = { [weak self] state in self?.changed(to: state) }
    // It may have failed since it was ready, while no handler was set.
    changed(to: connection.state)
    askForMore()
  }

  deinit { if !isOver { connection.forceCancel() } }

  var clock: Clock { executor.clock }

  // MARK: Network's side

  private func changed(to state: NWConnection.State) {
    switch state {
    case .failed(let error): fail(failure(error))
    case .cancelled: fail(.aborted)
    default: break
    }
  }

  /// Records a failure. Only the first reason counts.
  private func fail(_ error: ConnectionError) {
    if end == nil { end = .failed(error) }
    if sendFailure == nil { sendFailure = error }
    wake()
  }

  private func askForMore() {
    guard inbox == nil, end == nil, !isAskedForMore, !isOver else { return }
    isAskedForMore = true
    connection.receive(minimumIncompleteLength: 1, maximumLength: ClientLimits.turn) {
      [weak self] bytes, _, isComplete, error in
      self?.take(bytes, isComplete: isComplete, error)
    }
  }

  private func take(_ bytes: Data?, isComplete: Bool, _ error: NWError?) {
    // A request to a connection that has failed meanwhile is only canceled. The state that follows has the reason.
    guard error != .posix(.ECANCELED) else { return }
    isAskedForMore = false
    if let bytes, !bytes.isEmpty { inbox = bytes }
    if let error {
      if end == nil { end = .failed(failure(error)) }
    } else if isComplete {
      end = .closed
    }
    askForMore()
    wake()
  }

  private func taken(_ count: Int, _ error: NWError?) {
    untakenByteCount -= count
    if let error, error != .posix(.ECANCELED), sendFailure == nil { sendFailure = failure(error) }
    wake()
  }

  // MARK: Waiting

  private func wake(inTime: Bool = true) {
    newsCount &+= 1
    if hasEnded, let action = endAction {
      endAction = nil
      action()
    }
    guard let waiter else { return }
    self.waiter = nil
    waiter.timer?.cancel()
    waiter.continuation.resume(returning: inTime)
  }

  /// Waits until an event has happened. Before a task begins to wait, other tasks may run on this queue, and an event
  /// in between must end the wait at once.
  ///
  /// - Parameter seen: the number of events when the task decided to wait.
  private func waitForNews(after seen: UInt64, until deadline: Deadline) async throws(ConnectionError) {
    guard !isOver else { throw .aborted }
    let isInTime = await withCheckedContinuation { (continuation: CheckedContinuation<Bool, Never>) in
      guard newsCount == seen else { return continuation.resume(returning: true) }
      let timer = deadline == .never ? nil : executor.timer(at: deadline) { [weak self] in self?.wake(inTime: false) }
      waiter = Waiter(continuation: continuation, timer: timer)
    }
    guard !isOver else { throw .aborted }
    guard isInTime else { throw .deadlinePassed }
  }

  // MARK: Sending

  func send(_ bytes: UnsafeRawBufferPointer) throws(ConnectionError) -> Bool {
    guard !isOver else { throw .aborted }
    if let sendFailure { throw sendFailure }
    guard let base = bytes.baseAddress, bytes.count > 0 else { return untakenByteCount == 0 }
    handedOverByteCount &+= UInt64(bytes.count)
    untakenByteCount += bytes.count
    // Safe because the bytes are copied before this returns.
    let content = unsafe Data(bytes: base, count: bytes.count)
    connection.send(
      content: content,
      completion: .contentProcessed { [weak self, count = bytes.count] error in self?.taken(count, error) })
    return false
  }

  func flush(idle: Duration) async throws(ConnectionError) {
    while untakenByteCount > 0 {
      if let sendFailure { throw sendFailure }
      try await waitForNews(after: newsCount, until: clock.deadline(after: idle))
    }
    if let sendFailure { throw sendFailure }
  }

  func flushUntilReadable(idle: Duration) async throws(ConnectionError) -> Bool {
    while untakenByteCount > 0 || sendFailure != nil, inbox == nil {
      // A peer that closes while bytes are sent to it may have said why. Either that arrives, or an end does.
      if let sendFailure, end != nil { throw sendFailure }
      if end != nil, untakenByteCount == 0 { break }
      try await waitForNews(after: newsCount, until: clock.deadline(after: idle))
    }
    return untakenByteCount == 0
  }

  // MARK: Receiving

  func receive(
    until deadline: Deadline, _ body: (UnsafeRawBufferPointer) -> Void
  ) async throws(ConnectionError) -> Bool {
    while true {
      let seen = newsCount
      switch unsafe try receiveNow(body) {
      case .lent: return true
      case .closed: return false
      case .wouldBlock: try await waitForNews(after: seen, until: deadline)
      }
    }
  }

  func receiveNow(_ body: (UnsafeRawBufferPointer) -> Void) throws(ConnectionError) -> ReceivedBytes {
    guard !isOver else { throw .aborted }
    if let bytes = inbox {
      inbox = nil
      // Safe because the bytes are lent for this call alone.
      unsafe bytes.withUnsafeBytes { unsafe body($0) }
      askForMore()
      return .lent
    }
    switch end {
    case nil: return .wouldBlock
    case .closed: return .closed
    case .failed(let error): throw error
    }
  }

  func takeNews() -> Bool { hasEnded || inbox != nil }

  private var hasEnded: Bool { isOver || end != nil || sendFailure != nil }

  /// Does nothing: the next bytes have always been requested already.
  func expectBytes() {}

  // MARK: Ending

  func close() { finish { $0.cancel() } }

  func abort() { finish { $0.forceCancel() } }

  private func finish(_ cancel: (NWConnection) -> Void) {
    guard !isOver else { return }
    isOver = true
    inbox = nil
    cancel(connection)
    wake()
  }
}

extension NetworkConnection: PlayerConnection {
  var turnByteCount: Int { ClientLimits.turn }

  func onEnd(_ action: (() -> Void)?) {
    guard hasEnded else {
      endAction = action
      return
    }
    action?()
  }

  /// Closes the connection. Network itself reads what the peer still sends while the connection closes.
  func lingeringClose() async { close() }
}
