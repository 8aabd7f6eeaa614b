package import FootageAPI

/// Why a TLS context could not be made, or a TLS connection failed.
package enum TLSError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The text is not PEM, or what it holds cannot be read. `what` names it ("server certificate").
  case unreadable(what: String, reason: String)
  /// The private key is another certificate's.
  case keyDoesNotBelong
  /// The server's key, of this kind, is none that signs manifests.
  case keyDoesNotSign(kind: String)
  /// OpenSSL refused a setting.
  case configuration(String)
  /// The handshake or a record failed: a bad peer, no common version or suite, a refused certificate.
  case connection(String)
  /// The client may not come in.
  case client(ClientRejection)
  /// The client speaks nothing newer than this version: `TLS 1.1`.
  case oldProtocol(String)
  /// The client speaks HTTP without TLS.
  case plainHTTP
  /// The peer was gone before the handshake was over.
  case disconnected
  /// The peer did not finish the handshake in time.
  case timedOut
  /// The server is not the robot.
  case trust(TrustFailure)
  /// The app's own certificate cannot be shown, or is not welcome.
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
    case .disconnected: "TLS failed: the peer went away during the handshake"
    case .timedOut: "the handshake was not finished in time"
    case .trust(let failure): failure.description
    case .identity(let failure): failure.description
    }
  }
}
