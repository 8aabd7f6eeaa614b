package import FootageAPI

/// The reason why a TLS context could not be created, or a TLS connection failed.
package enum TLSError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The text is not PEM, or its contents cannot be read. `what` names it ("server certificate").
  case unreadable(what: String, reason: String)
  /// The private key belongs to another certificate.
  case keyDoesNotBelong
  /// The server's key is of this kind, which cannot sign manifests.
  case keyDoesNotSign(kind: String)
  /// OpenSSL refused a setting.
  case configuration(String)
  /// The handshake or a record failed: a faulty peer, no common version or suite, or a rejected certificate.
  case connection(String)
  /// The client was rejected.
  case client(ClientRejection)
  /// The client supports nothing newer than this version, for example `TLS 1.1`.
  case oldProtocol(String)
  /// The client speaks HTTP without TLS.
  case plainHTTP
  /// The peer disconnected before the handshake was over.
  case disconnected
  /// The peer did not finish the handshake in time.
  case timedOut
  /// The server is not the robot.
  case trust(TrustFailure)
  /// The app's own certificate cannot be shown, or the robot did not accept it.
  case identity(IdentityFailure)

  package var description: String {
    switch self {
    case .unreadable(let what, let reason): "the \(what) cannot be read: \(reason)"
    case .keyDoesNotBelong:
      "the private key does not belong to the certificate: put back the pair that was made together, or make a new one"
    case .keyDoesNotSign(let kind):
      "the server's key (\(kind)) cannot sign manifests: prepare one on P-256 with scripts/gen-certs.sh --next"
    case .configuration(let reason): "OpenSSL refused the configuration: \(reason)"
    case .connection(let reason): "TLS failed: \(reason)"
    case .client(let rejection): rejection.description
    case .oldProtocol(let version): "\(version), and nothing newer"
    case .plainHTTP: "plain HTTP"
    case .disconnected: "TLS failed: the peer disconnected during the handshake"
    case .timedOut: "the handshake did not finish in time"
    case .trust(let failure): failure.description
    case .identity(let failure): failure.description
    }
  }
}
