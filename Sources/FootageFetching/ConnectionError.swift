package import FootageAPI

/// The reason why there is no connection, or why it can no longer be used.
package enum ConnectionError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The server closed it.
  case closed
  /// The server or the network reset it. The text is the system's description.
  case broken(String)
  /// The server violated the protocol. The text is a sentence that says how.
  case misused(String)
  /// There was never a connection, for this reason: refused, no route, or no descriptor left.
  case unreachable(String)
  /// The person has not allowed the app to use the local network.
  case localNetworkDenied
  /// The server did not respond in time.
  case deadlinePassed
  /// This client closed it.
  case aborted
  case tls(TLSFailure)

  package var description: String {
    switch self {
    case .closed: "the peer disconnected"
    case .broken(let reason): "the peer disconnected: \(reason)"
    case .misused(let sentence): sentence
    case .unreachable(let reason): "cannot connect: \(reason)"
    case .localNetworkDenied: "this app may not use the local network"
    case .deadlinePassed: "the peer was inactive for too long"
    case .aborted: "the connection was abandoned"
    case .tls(let failure): failure.description
    }
  }
}

/// The reason why TLS with a server failed, and would fail again.
package enum TLSFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// It is not the robot. No request was sent to it.
  case trust(TrustFailure)
  /// The app's own certificate cannot be used, or the server did not accept it.
  case identity(IdentityFailure)
  /// The handshake or a record failed. The text is from the TLS library.
  case connection(String)
  /// Another failure. The text is a sentence.
  case other(String)

  package var description: String {
    switch self {
    case .trust(let failure): failure.description
    case .identity(let failure): failure.description
    case .connection(let reason): "TLS failed: \(reason)"
    case .other(let sentence): sentence
    }
  }
}
