internal import Dispatch
internal import FootageDigest
internal import FootageBase
internal import Foundation
internal import Network
internal import Security
internal import FootageAPI

/// One connection's verification of its server, in the verify block of its handshake and once more before the first
/// write.
///
/// Touched only on its executor's queue, on which TLS calls back as well. That makes `@unchecked Sendable` true.
final class RobotCheck: @unchecked Sendable {
  private let policy: TrustPolicy
  private let host: String
  private let port: UInt16
  private let identity: AppleIdentity?
  private let now: Int64

  private(set) var warnings: [TrustWarning] = []
  /// The reason why the last certificate is not accepted as the robot's; nil if it is.
  private(set) var failure: TrustFailure?
  /// The server's certificate, once it was accepted.
  private(set) var accepted: PresentedCertificate?
  private(set) var wasAskedForIdentity = false
  /// True once the handshake has ended and the server was accepted.
  private var isConfirmed = false

  /// - Parameters:
  ///   - host: the host without an interface's name, which is meaningless to the server.
  ///   - now: the time in seconds since 1970.
  init(_ policy: TrustPolicy, host: String, port: UInt16, identity: AppleIdentity?, now: Int64) {
    self.policy = policy
    self.host = host
    self.port = port
    self.identity = identity
    self.now = now
  }

  /// The server as `HOST:PORT`, with an IPv6 address in brackets.
  private var name: String { HostPort(host: host, port: port).description }

  /// Returns the TLS options for robots, with this check in them.
  ///
  /// - Parameter queue: the executor's queue.
  func options(on queue: DispatchQueue) -> NWProtocolTLS.Options {
    let tls = NWProtocolTLS.Options()
    let options = tls.securityProtocolOptions
    // TLS 1.2 shows a client certificate to anyone who listens in.
    sec_protocol_options_set_min_tls_protocol_version(options, identity == nil ? .TLSv12 : .TLSv13)
    // A resumed session runs no verify block.
    sec_protocol_options_set_tls_resumption_enabled(options, false)
    sec_protocol_options_set_tls_tickets_enabled(options, false)
    // Safe because the text is copied.
    unsafe sec_protocol_options_add_tls_application_protocol(options, "http/1.1")
    sec_protocol_options_set_verify_block(
      options,
      { [self] _, trust, complete in
        // Safe because the reference is ours.
        complete(judge(Self.chain(of: unsafe sec_trust_copy_ref(trust).takeRetainedValue())))
      }, queue)
    sec_protocol_options_set_challenge_block(options, { [self] _, complete in complete(showIdentity()) }, queue)
    return tls
  }

  // MARK: Callbacks

  /// Verifies the server's certificates. This replaces the path validation.
  func judge(_ chain: [SecCertificate]) -> Bool {
    do throws(TrustFailure) {
      try decide(chain)
      return true
    } catch { return false }
  }

  private func decide(_ chain: [SecCertificate]) throws(TrustFailure) {
    accepted = nil
    // If there are several addresses, a stranger may have answered at an earlier one.
    failure = nil
    do throws(TrustFailure) { try look(at: chain) } catch {
      failure = error
      throw error
    }
  }

  private func look(at chain: [SecCertificate]) throws(TrustFailure) {
    guard let leaf = chain.first, let presented = Self.presented(leaf) else {
      throw TrustFailure(.unreadableCertificate, host: name, seen: nil, expected: policy.pins)
    }
    warnings = try policy.judge(presented, host: name, now: now) { authority, dates in
      AuthorityTrust.finding(chain, presented, under: authority, dates, host: host, now: now)
    }
    accepted = presented
  }

  /// Returns the identity for a server that asks for it; nil if the verify block has not accepted the server.
  private func showIdentity() -> sec_identity_t? {
    wasAskedForIdentity = true
    return accepted == nil ? nil : identity?.forHandshake()
  }

  // MARK: Before the first write

  /// Verifies the certificates of the finished handshake again, independently of the verify block.
  ///
  /// - Returns: the key that the robot has proved to have.
  func confirm(_ connection: NWConnection) throws(TrustFailure) -> PublicKeyPin {
    var chain: [SecCertificate] = []
    if let metadata = connection.metadata(definition: NWProtocolTLS.definition) as? NWProtocolTLS.Metadata {
      _ = sec_protocol_metadata_access_peer_certificate_chain(metadata.securityProtocolMetadata) { certificate in
        // Safe because the reference is ours.
        chain.append(unsafe sec_certificate_copy_ref(certificate).takeRetainedValue())
      }
    }
    try decide(chain)
    guard let accepted else {
      throw TrustFailure(.unreadableCertificate, host: name, seen: nil, expected: policy.pins)
    }
    isConfirmed = true
    return accepted.publicKey
  }

  // MARK: Failures

  /// Returns an error that explains a TLS failure to a person. It is for failures other than a refused server
  /// certificate.
  func explanation(_ status: OSStatus) -> ConnectionError {
    switch status {
    // The certificate is the robot's, so the proof of its key is wrong (RFC 8446 §4.4.3), unless this side has already
    // come to its own proof.
    case errSSLCrypto:
      guard let accepted, !wasAskedForIdentity, !isConfirmed else { break }
      return .tls(
        .trust(TrustFailure(.keyNotProven, host: name, seen: accepted.publicKey, expected: policy.pins)))
    case errSSLClosedGraceful, errSSLClosedAbort, errSSLClosedNoNotify: return .closed
    // These result from the robot's alert about a certificate (RFC 8446 §6.2).
    case errSSLPeerBadCert, errSSLPeerUnsupportedCert, errSSLPeerCertRevoked, errSSLPeerCertExpired,
      errSSLPeerCertUnknown, errSSLPeerUnknownCA, errSSLPeerAccessDenied, errSSLCertificateRequired:
      guard wasAskedForIdentity else { break }
      return .tls(.identity(identity == nil ? .needed : .refused(SecurityText.of(status))))
    // A robot that speaks TLS 1.2 has no alert of its own for a missing certificate (RFC 5246 §7.4.6).
    case errSSLPeerHandshakeFail, errSSLHandshakeFail, errSSLFatalAlert:
      guard wasAskedForIdentity, identity == nil else { break }
      return .tls(.identity(.needed))
    case errSSLPeerProtocolVersion where identity != nil:
      return .tls(
        .connection("the robot supports only TLS 1.2 or older, which would reveal the client certificate to everyone"))
    default: break
    }
    return .tls(.connection(SecurityText.of(status)))
  }

  // MARK: Certificates

  /// Returns the certificates that a server shows, its own first.
  static func chain(of trust: SecTrust) -> [SecCertificate] {
    SecTrustCopyCertificateChain(trust) as? [SecCertificate] ?? []
  }

  /// Returns the parsed certificate; nil if it cannot be read.
  static func presented(_ certificate: SecCertificate) -> PresentedCertificate? {
    PresentedCertificate(der: Array(SecCertificateCopyData(certificate) as Data), sha256: SHA256.hash)
  }
}
