internal import Network
internal import FootageSystem

/// A connection while it is being made.
///
/// Touched only on its executor's queue, on which Network calls back as well. That makes `@unchecked Sendable` true.
final class ConnectionAttempt: @unchecked Sendable {
  enum Outcome: Sendable {
    case ready
    case failed(NWError)
    case deadlinePassed
    case aborted
  }

  private let connection: NWConnection
  private let executor: QueueExecutor
  private var outcome: Outcome?
  private var continuation: CheckedContinuation<Outcome, Never>?

  init(_ connection: NWConnection, on executor: QueueExecutor) {
    self.connection = connection
    self.executor = executor
  }

  /// Connects. Must be called only once.
  func finish(until deadline: Deadline) async -> Outcome {
    if let outcome { return outcome }
    let timer = executor.timer(at: deadline) { [weak self] in self?.end(.deadlinePassed) }
    defer { timer.cancel() }
    return await withCheckedContinuation { continuation in
      // The attempt may have been given up while this task let others go first.
      if let outcome { return continuation.resume(returning: outcome) }
      self.continuation = continuation
      connection.stateUpdateHandler = { [weak self] state in self?.changed(to: state) }
      connection.start(queue: executor.queue)
    }
  }

  /// True if the person has not allowed the app to use the local network, or has not answered yet.
  var isDenied: Bool { connection.currentPath?.unsatisfiedReason == .localNetworkDenied }

  /// Gives up the attempt.
  func abort() { end(.aborted) }

  private func changed(to state: NWConnection.State) {
    switch state {
    case .ready: end(.ready)
    case .failed(let error): end(.failed(error))
    // The system may be asking the person at this moment. The attempt goes on when they have allowed it.
    case .waiting where isDenied: break
    // Network would wait for another network, or for another robot at this address. A caller that still wants the
    // connection tries again itself, and can report that.
    case .waiting(let error): end(.failed(error))
    case .cancelled: end(.aborted)
    case .setup, .preparing: break
    @unknown default: break
    }
  }

  /// Ends the attempt. Only the first outcome counts.
  private func end(_ outcome: Outcome) {
    guard self.outcome == nil else { return }
    self.outcome = outcome
    continuation?.resume(returning: outcome)
    continuation = nil
  }
}
