internal import Synchronization
package import FootageSystem

/// A resolver that finds the addresses of a host without blocking a loop. Tests replace it to change a robot's address.
package struct HostResolver: Sendable {
  /// The function that finds all addresses of a host at this port, the best first.
  package let addresses: @Sendable (_ host: String, _ port: UInt16) async -> Result<[SocketAddress], NetworkingError>

  package init(
    _ addresses: @escaping @Sendable (_ host: String, _ port: UInt16) async -> Result<[SocketAddress], NetworkingError>
  ) { self.addresses = addresses }

  /// Returns the system's resolver. It uses an address as it is, and looks up a name with `getaddrinfo` on one of the
  /// pool's threads.
  package static func system(_ pool: BlockingPool) -> HostResolver {
    HostResolver { host, port in
      if let address = SocketAddress(literal: host, port: port) { return .success([address]) }
      return await pool.run {
        Result { () throws(HostLookUpError) in try SocketAddress.lookUp(host, port: port) }
          .mapError { .address(host, reason: $0.reason) }
      }
    }
  }

  /// Finds the addresses like the function `addresses`, but returns at the deadline or when the task is canceled. The
  /// look-up itself cannot be interrupted, and ends later. Must be called on the loop.
  ///
  /// - Returns: nil if the deadline has passed or the task was canceled.
  package func addresses(
    of host: String, port: UInt16, until deadline: Deadline, on loop: EventLoop
  ) async -> Result<[SocketAddress], NetworkingError>? {
    if let address = SocketAddress(literal: host, port: port) { return .success([address]) }
    let race = Race()
    let lookUp = Task { race.end(await addresses(host, port)) }
    let timer = loop.schedule(at: deadline) { race.end(nil) }
    defer {
      lookUp.cancel()
      timer.cancel()
    }
    return await withTaskCancellationHandler {
      await race.winner()
    } onCancel: {
      race.end(nil)
    }
  }

  /// A race between the look-up, the deadline and the cancellation. The first outcome counts.
  private final class Race: Sendable {
    typealias Outcome = Result<[SocketAddress], NetworkingError>?

    private enum State {
      case open
      case awaited(Suspension<Outcome>)
      case over(Outcome)
    }

    private let state = Mutex(State.open)

    func end(_ outcome: Outcome) {
      let waiting = state.withLock { state -> Suspension<Outcome>? in
        switch state {
        case .over: return nil
        case .open:
          state = .over(outcome)
          return nil
        case .awaited(let suspension):
          state = .over(outcome)
          return suspension
        }
      }
      waiting?.resume(returning: outcome)
    }

    func winner() async -> Outcome {
      await Suspension.suspend { suspension in
        let outcome = state.withLock { state -> Outcome? in
          if case .over(let outcome) = state { return .some(outcome) }
          state = .awaited(suspension)
          return nil
        }
        if let outcome { suspension.resume(returning: outcome) }
      }
    }
  }
}
