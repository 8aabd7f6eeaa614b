/// The trust and the identity of a TLS client, ready to open connections: one `SSL_CTX`, never changed after its
/// creation. The trust policy may change; the new one applies to connections made afterwards.

internal import CFootageOpenSSL
internal import Synchronization
package import FootageSystem
package import FootageAPI

/// A context for TLS clients. Several threads may use an `SSL_CTX` at once as long as it does not change, and nothing
/// here changes it after `make`. The properties are immutable or behind a lock. That makes `@unchecked Sendable` true.
@safe
package final class TLSClientContext: @unchecked Sendable {
  private let handle: OpaquePointer
  private let trusted: Mutex<TrustPolicy>
  private let identity: Identity?
  private let sessions: TLSSessionStore
  private let clock: Clock
  private let earliestNow: Int64

  private let onProof: @Sendable (PublicKeyPin) -> Void

  private init(
    handle: OpaquePointer, policy: TrustPolicy, identity: Identity?, sessions: TLSSessionStore,
    clock: Clock, earliestNow: Int64, onProof: @escaping @Sendable (PublicKeyPin) -> Void
  ) {
    unsafe self.handle = handle
    trusted = Mutex(policy)
    self.identity = identity
    self.sessions = sessions
    self.clock = clock
    self.earliestNow = earliestNow
    self.onProof = onProof
  }

  deinit { unsafe SSL_CTX_free(handle) }

  package var policy: TrustPolicy { trusted.withLock { $0 } }

  /// Sets the trust policy from the next connection on. Tickets made under other policies are no longer used.
  package func trust(_ policy: TrustPolicy) { trusted.withLock { $0 = policy } }

  /// Opens the identity, which blocks, and creates a context.
  ///
  /// - Parameters:
  ///   - sessions: the store for tickets; other contexts may share it.
  ///   - clock: the clock by which certificates are judged.
  /// - Throws: `TLSError.identity`, or `.configuration` if OpenSSL refuses a setting.
  package static func make(
    _ policy: TrustPolicy, identity source: IdentitySource?, sessions: TLSSessionStore = TLSSessionStore(),
    clock: Clock = .system
  ) throws(TLSError) -> TLSClientContext {
    var identity: Identity?
    if let source {
      do throws(IdentityFailure) { identity = try Identity.make(source, now: clock.unixSeconds) } catch {
        throw .identity(error)
      }
    }
    return try make(policy, identity: identity, sessions: sessions, clock: clock)
  }

  /// Creates a context.
  ///
  /// - Parameters:
  ///   - sessions: the store for tickets; other contexts may share it.
  ///   - clock: the clock by which certificates are judged.
  ///   - earliestNow: the earliest time to assume, in seconds since 1970, whatever the clock says.
  ///   - onProof: receives the key of a trusted robot that has proved to have it. It is called for each connection on
  ///     its loop, before the first write.
  /// - Throws: `TLSError.configuration` if OpenSSL refuses a setting.
  package static func make(
    _ policy: TrustPolicy, identity: Identity? = nil, sessions: TLSSessionStore = TLSSessionStore(),
    clock: Clock = .system, earliestNow: Int64 = .min,
    onProof: @escaping @Sendable (PublicKeyPin) -> Void = { _ in }
  ) throws(TLSError) -> TLSClientContext {
    ErrorQueue.clear()
    guard let handle = unsafe SSL_CTX_new(TLS_client_method()) else { throw .configuration(ErrorQueue.drain()) }
    let context = unsafe TLSClientContext(
      handle: handle, policy: policy, identity: identity, sessions: sessions, clock: clock,
      earliestNow: earliestNow, onProof: onProof)
    try context.setProtocol()
    context.installCallbacks()
    return context
  }

  /// Creates a connection to a robot.
  ///
  /// - Parameters:
  ///   - host: a name, or an address without brackets.
  ///   - output: the record buffer of the loop that the connection lives on.
  package func connect(to host: String, port: UInt16, into output: RecordBuffer) throws(TLSError) -> TLSStream {
    ErrorQueue.clear()
    guard let ssl = unsafe SSL_new(handle) else { throw .configuration(ErrorQueue.drain()) }
    let check = ServerVerifier(
      policy, host: host, port: port, identity: identity, now: max(clock.unixSeconds, earliestNow),
      store: sessions, sessionKey(host: host, port: port), onProof: onProof)
    let stream = try unsafe TLSStream(ssl: ssl, output: output, context: self, serverCheck: check)
    guard unsafe check.install(on: ssl) else { throw .configuration(ErrorQueue.drain()) }
    // RFC 6066 §3: an address is not a server name.
    if !HostName.isAddress(host) {
      guard unsafe copenssl_set_server_name(ssl, host) == 1 else {
        throw .configuration("'\(host)' is not a valid host name (\(ErrorQueue.drain()))")
      }
    }
    unsafe check.resume(on: ssl)
    unsafe SSL_set_connect_state(ssl)
    return stream
  }

  /// Returns the key under which the tickets of a robot are stored.
  func sessionKey(host: String, port: UInt16) -> TLSSessionStore.Key {
    TLSSessionStore.Key(
      policy: policy, identity: identity?.certificate.presented?.digest, host: host, port: port)
  }

  /// Sets the protocols as the server does: TLS 1.2 with AEAD suites, and TLS 1.3. An identity requires 1.3, since 1.2
  /// would show it to everyone on the network.
  private func setProtocol() throws(TLSError) {
    // Otherwise the system's configuration would influence which signatures suffice in a handshake.
    unsafe SSL_CTX_set_security_level(handle, 2)
    try check(unsafe copenssl_set_min_version(handle, identity == nil ? TLS1_2_VERSION : TLS1_3_VERSION))
    try check(unsafe copenssl_set_max_version(handle, TLS1_3_VERSION))
    _ = unsafe SSL_CTX_set_options(handle, copenssl_client_options())
    _ = unsafe copenssl_set_mode(handle, CLong(SSL_MODE_RELEASE_BUFFERS))
    unsafe copenssl_set_read_ahead(handle, 1)
    try check(unsafe SSL_CTX_set_cipher_list(handle, "ECDHE+AESGCM:ECDHE+CHACHA20"))
    try check(
      unsafe SSL_CTX_set_ciphersuites(
        handle, "TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256"))
    try check(unsafe copenssl_set_groups(handle, "X25519:P-256:P-384"))
    // RFC 7301 §3.1. This function returns 0 for success.
    let protocols = [UInt8(8)] + Array("http/1.1".utf8)
    try check(unsafe SSL_CTX_set_alpn_protos(handle, protocols, UInt32(protocols.count)) == 0 ? 1 : 0)
    _ = unsafe copenssl_set_session_cache_mode(
      handle, CLong(SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL | SSL_SESS_CACHE_NO_AUTO_CLEAR))
  }

  /// Installs callbacks that find their connection's `ServerVerifier` and ask it. Without a verifier no server is
  /// trusted.
  private func installCallbacks() {
    unsafe SSL_CTX_set_verify(handle, SSL_VERIFY_PEER, nil)
    unsafe SSL_CTX_set_cert_verify_callback(
      handle,
      { context, _ in
        let ssl = unsafe X509_STORE_CTX_get_ex_data(context, SSL_get_ex_data_X509_STORE_CTX_idx())
        let check = unsafe ServerVerifier.of(ssl.map { OpaquePointer($0) })
        let isTrusted = unsafe check?.judge(
          X509_STORE_CTX_get0_cert(context), chain: X509_STORE_CTX_get0_untrusted(context))
        if isTrusted == true { return 1 }
        // This error makes the alert say bad_certificate.
        unsafe X509_STORE_CTX_set_error(context, X509_V_ERR_CERT_REJECTED)
        return 0
      }, nil)
    unsafe SSL_CTX_set_cert_cb(
      handle,
      { ssl, _ in
        guard let ssl = unsafe ssl, let check = unsafe ServerVerifier.of(ssl) else { return 0 }
        return unsafe check.showIdentity(on: ssl) ? 1 : 0
      }, nil)
    unsafe SSL_CTX_sess_set_new_cb(
      handle,
      { ssl, session in
        if let session = unsafe session, let check = unsafe ServerVerifier.of(ssl) {
          unsafe check.receive(session: session)
        }
        return 0
      })
  }

  private func check(_ result: CInt) throws(TLSError) {
    guard result == 1 else { throw .configuration(ErrorQueue.drain()) }
  }
}
