/// The reason why a request got no answer, or an incomplete one.
package enum HTTPClientError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The event for which the client waited.
  package enum Phase: String, Hashable, Sendable {
    case name = "the address of the server"
    case connection = "a connection"
    case sending = "the server to accept the request body"
    case turn = "a free connection to the server"
    case head = "an answer"
    case body = "the rest of the answer"
  }

  /// No address is known for the host.
  case nameNotFound(String)
  /// No connection to any of the host's addresses could be made. The error is that of the last address.
  case unreachable(String, ConnectionError)
  /// The TLS handshake failed, and would fail again.
  case tls(TLSFailure)
  /// The connection was lost before the response was complete.
  case disconnected(ConnectionError)
  case timedOut(Phase)
  /// The response violates HTTP. The text says how.
  case malformed(String)
  /// The request cannot be written, because its host or its target is invalid.
  case badRequest(String)
  /// The request's body can no longer be read, for this reason.
  case bodyUnreadable(String)
  /// The caller no longer wants the answer.
  case cancelled

  /// True if the failure is temporary, so that the same request may succeed later.
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
    case .disconnected(.closed): "the server closed the connection before the answer was complete"
    case .disconnected(let error): "the connection was lost: \(error)"
    case .timedOut(let phase): "waited too long for \(phase.rawValue)"
    case .malformed(let reason): "the answer is not valid HTTP: \(reason)"
    case .badRequest(let reason): "invalid request: \(reason)"
    case .bodyUnreadable(let reason): "the request body cannot be read: \(reason)"
    case .cancelled: "canceled"
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
