internal import FootageServing
internal import FootageTLS

/// Why a handshake came to nothing, as metrics tell it.
enum HandshakeFailure: String, CaseIterable {
  case noCertificate = "no-certificate"
  case revoked, expired
  case notYetValid = "not-yet-valid"
  case unknownAuthority = "unknown-authority"
  /// Another fault of the client's certificate.
  case certificate
  case oldProtocol = "old-protocol"
  case plainHTTP = "plain-http"
  /// The client left before the end: a look at whether the port is open does that.
  case disconnected
  case timedOut = "timed-out"
  case tooLong = "too-long"
  /// What the client sent is no TLS, or none that both know.
  case tls

  /// Nil for an end of something else than a handshake.
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
