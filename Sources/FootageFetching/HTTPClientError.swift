/// The reason why a request got no answer, or an incomplete one.
package enum HTTPClientError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The event for which the client waited.
  package enum Phase: String, Hashable, Sendable {
    case name = "the address of the server"
    case connection = "a connection"
    case sending = "the server to take the body of the request"
    case turn = "one of the connections to the server to become free"
    case head = "an answer"
    case body = "the rest of an answer"
  }

  /// No address is known for the host.
  case nameNotFound(String)
  /// There is no connection to any of the host's addresses; with the failure of the last one.
  case unreachable(String, ConnectionError)
  /// The TLS handshake failed, and would fail again.
  case tls(TLSFailure)
  /// The connection existed and was lost before the answer was whole.
  case disconnected(ConnectionError)
  case timedOut(Phase)
  /// The answer breaks HTTP; with words that say how.
  case malformed(String)
  /// The request cannot be written: its host or its target is at fault.
  case badRequest(String)
  /// The request's body can no longer be read, for this reason.
  case bodyUnreadable(String)
  /// The caller no longer wants the answer.
  case cancelled

  /// True if the same request may well be answered a little later.
  package var canPass: Bool {
    switch self {
    case .nameNotFound, .unreachable, .disconnected, .timedOut: true
    case .tls, .malformed, .badRequest, .bodyUnreadable, .cancelled: false
    }
  }

  package var description: String {
    switch self {
    case .nameNotFound(let reason): reason
    case .unreachable(let address, let error): "\(address): \(error)"
    case .tls(let error): error.description
    case .disconnected(.closed): "the server closed the connection before the answer was whole"
    case .disconnected(let error): "the connection broke: \(error)"
    case .timedOut(let phase): "waited too long for \(phase.rawValue)"
    case .malformed(let reason): "the answer is no proper HTTP: \(reason)"
    case .badRequest(let reason): "this cannot be asked for: \(reason)"
    case .bodyUnreadable(let reason): "the body of the request cannot be read: \(reason)"
    case .cancelled: "cancelled"
    }
  }

  /// Creates the error for a connection that existed and failed during a wait.
  init(_ error: ConnectionError, waitingFor phase: Phase) {
    switch error {
    case .deadlinePassed: self = .timedOut(phase)
    case .aborted: self = .cancelled
    case .tls(let failure): self = .tls(failure)
    case .closed, .broken, .misused, .unreachable, .localNetworkDenied: self = .disconnected(error)
    }
  }
}
