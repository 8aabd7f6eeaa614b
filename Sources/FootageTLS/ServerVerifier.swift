internal import CFootageOpenSSL
internal import FootageBase
internal import FootageAPI

/// The verifier of one connection's server: in the verify callback, and again before the first write.
///
/// It belongs to its stream, and thus to one thread at a time.
@safe
final class ServerVerifier {
  private let policy: TrustPolicy
  private let host: String
  private let port: UInt16
  private let identity: Identity?
  private let now: Int64
  private let store: TLSSessionStore
  private let sessionKey: TLSSessionStore.Key
  private let onProof: @Sendable (PublicKeyPin) -> Void

  private(set) var warnings: [TrustWarning] = []
  private var failure: TrustFailure?
  /// The server's certificate, once it was found valid.
  private var accepted: PresentedCertificate?
  private var wasAskedForIdentity = false
  private var hasShownIdentity = false
  private var hasReceivedSession = false

  init(
    _ policy: TrustPolicy, host: String, port: UInt16, identity: Identity?, now: Int64, store: TLSSessionStore,
    _ sessionKey: TLSSessionStore.Key, onProof: @escaping @Sendable (PublicKeyPin) -> Void
  ) {
    self.policy = policy
    self.host = host
    self.port = port
    self.identity = identity
    self.now = now
    self.store = store
    self.sessionKey = sessionKey
    self.onProof = onProof
  }

  /// The server as `HOST:PORT`, with an IPv6 address in brackets.
  private var name: String { HostPort(host: host, port: port).description }

  // MARK: Callbacks

  /// Returns the verifier of a connection, for OpenSSL's callbacks, which get only the SSL.
  ///
  /// Safe because a stream frees its SSL before it releases its verifier.
  static func of(_ ssl: OpaquePointer?) -> ServerVerifier? {
    guard let data = unsafe SSL_get_ex_data(ssl, 0) else { return nil }
    return unsafe Unmanaged<ServerVerifier>.fromOpaque(data).takeUnretainedValue()
  }

  func install(on ssl: OpaquePointer) -> Bool {
    unsafe SSL_set_ex_data(ssl, 0, Unmanaged.passUnretained(self).toOpaque()) == 1
  }

  /// Judges the server's certificate before the server proves its key. OpenSSL calls this instead of path validation.
  func judge(_ leaf: OpaquePointer?, chain: OpaquePointer?) -> Bool {
    do throws(TrustFailure) {
      unsafe try decide(leaf, chain: chain)
      return true
    } catch {
      failure = error
      return false
    }
  }

  private func decide(_ leaf: OpaquePointer?, chain: OpaquePointer?) throws(TrustFailure) {
    accepted = nil
    guard let leaf = unsafe leaf, let presented = unsafe Certificate(sharing: leaf).presented else {
      throw TrustFailure(.unreadableCertificate, host: name, seen: nil, expected: policy.pins)
    }
    warnings = try policy.judge(presented, host: name, now: now) { authority, dates in
      unsafe AuthorityPath.finding(leaf, chain: chain, under: authority, dates, host: host, now: now)
    }
    accepted = presented
  }

  /// Shows the identity when the server asks for it, which is possible only in TLS 1.3, after the server has proved its
  /// key.
  ///
  /// - Returns: false to end the handshake.
  func showIdentity(on ssl: OpaquePointer) -> Bool {
    wasAskedForIdentity = true
    guard let identity else { return true }
    // In every handshake the verify callback runs before this one; unless it has accepted the server, nothing is shown.
    guard accepted != nil, unsafe SSL_version(ssl) >= TLS1_3_VERSION, unsafe identity.present(on: ssl) else {
      return false
    }
    hasShownIdentity = true
    return true
  }

  /// Stores a copy of a session, because OpenSSL invalidates the original when this connection ends without a
  /// close_notify, as connections to robots do.
  func receive(session: OpaquePointer) {
    hasReceivedSession = true
    guard accepted != nil, let copy = unsafe SSL_SESSION_dup(session) else { return }
    store.put(unsafe TLSSession(owning: copy), sessionKey)
  }

  // MARK: Before the first write

  /// Offers a stored session with the same pins, identity and robot.
  func resume(on ssl: OpaquePointer) {
    if let session = store.take(sessionKey) { unsafe session.offer(on: ssl) }
  }

  /// Judges the server again, whatever kind of handshake took place.
  func confirm(_ ssl: OpaquePointer) throws(TLSError) {
    // Safe because `Certificate` takes over the reference.
    let certificate = unsafe SSL_get1_peer_certificate(ssl).map { unsafe Certificate(owning: $0) }
    do throws(TrustFailure) {
      unsafe try decide(certificate?.handle, chain: SSL_get_peer_cert_chain(ssl))
    } catch {
      failure = error
      throw .trust(error)
    }
    // The handshake is over, so the server has the private key, or a ticket from a server that had it.
    if let accepted { onProof(accepted.publicKey) }
  }

  var awaitsAcceptance: Bool { hasShownIdentity && !hasReceivedSession }

  // MARK: Failures

  /// Returns an explanation for people of the failure in the error queue; nil if there are only OpenSSL's words.
  func explanation() -> TLSError? {
    if let failure { return .trust(failure) }
    let reason = copenssl_error_reason(ERR_peek_error())
    if reason == SSL_R_BAD_SIGNATURE, let accepted {
      return .trust(TrustFailure(.keyNotProven, host: name, seen: accepted.publicKey, expected: policy.pins))
    }
    // The reason code of an alert is its number plus 1000 (`SSL_AD_REASON_OFFSET`).
    guard (1000..<1256).contains(reason) else { return nil }
    switch reason - 1000 {
    // RFC 8446 §6.2: bad, unsupported, revoked, expired and unknown certificate, unknown_ca, access_denied.
    case 42, 43, 44, 45, 46, 48, 49:
      return wasAskedForIdentity ? .identity(identity == nil ? .needed : .refused(ErrorQueue.drain())) : nil
    // 116 is certificate_required; TLS 1.2 sends handshake_failure (40) instead.
    case 116, 40: return wasAskedForIdentity && identity == nil ? .identity(.needed) : nil
    // protocol_version
    case 70 where identity != nil:
      return .connection(
        "the robot supports only TLS 1.2 or older, which would reveal the client certificate to everyone")
    default: return nil
    }
  }
}
