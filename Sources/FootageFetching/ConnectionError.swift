package import FootageAPI

/// The reason why there is no connection, or why it is of no more use.
package enum ConnectionError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The server closed it.
  case closed
  /// The server or the network reset it; with the system's words.
  case broken(String)
  /// The server does what no honest server does; with a sentence that says what.
  case misused(String)
  /// There was never a connection, for this reason: refused, no route, or no descriptor left.
  case unreachable(String)
  /// The person has not allowed the app to use the local network.
  case localNetworkDenied
  /// The server did nothing for too long.
  case deadlinePassed
  /// This side gave it up.
  case aborted
  case tls(TLSFailure)

  package var description: String {
    switch self {
    case .closed: "the peer went away"
    case .broken(let reason): "the peer went away: \(reason)"
    case .misused(let sentence): sentence
    case .unreachable(let reason): "no connection: \(reason)"
    case .localNetworkDenied: "this app may not use the local network"
    case .deadlinePassed: "the peer did nothing for too long"
    case .aborted: "it was given up"
    case .tls(let failure): failure.description
    }
  }
}

/// The reason why TLS with a server failed, and would fail again.
package enum TLSFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// It is not the robot. Nothing was sent to it.
  case trust(TrustFailure)
  /// The app's own certificate cannot be shown, or is not welcome.
  case identity(IdentityFailure)
  /// The handshake or a record failed; with the words of the TLS library.
  case connection(String)
  /// Another failure, in a sentence.
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
