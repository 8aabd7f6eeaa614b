internal import FootageServing
internal import FootageTLS

/// The reason why a handshake failed, as in metrics.
enum HandshakeFailure: String, CaseIterable {
  case noCertificate = "no-certificate"
  case revoked, expired
  case notYetValid = "not-yet-valid"
  case unknownAuthority = "unknown-authority"
  /// Another fault of the client's certificate.
  case certificate
  case oldProtocol = "old-protocol"
  case plainHTTP = "plain-http"
  /// The client disconnected before the end of the handshake, as port scanners do.
  case disconnected
  case timedOut = "timed-out"
  case tooLong = "too-long"
  /// The client sent something other than TLS, or TLS in a version or form that the server does not support.
  case tls

  /// Creates the reason for an error; nil if the error does not concern a handshake.
  init?(_ error: StreamError) {
    switch error {
    case .handshakeTooLong: self = .tooLong
    case .tls(.client(let rejection)):
      self =
        switch rejection.reason {
        case .noCertificate: .noCertificate
        case .revoked, .authorityRevoked: .revoked
        case .expired: .expired
        case .notYetValid: .notYetValid
        case .unknownAuthority: .unknownAuthority
        case .notForClients, .noRevocationList, .other: .certificate
        }
    case .tls(.oldProtocol): self = .oldProtocol
    case .tls(.plainHTTP): self = .plainHTTP
    case .tls(.disconnected): self = .disconnected
    case .tls(.timedOut): self = .timedOut
    case .tls: self = .tls
    default: return nil
    }
  }
}
