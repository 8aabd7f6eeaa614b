internal import CFootageOpenSSL
package import FootageSystem
package import FootageAPI

/// The certificates and requirements of a TLS server, before they are parsed.
package struct TLSServerConfiguration: Sendable {
  /// The server's certificate and its intermediates as PEM.
  package var certificatePEM: [UInt8]
  package var privateKeyPEM: [UInt8]
  package var clientAuthentication: ClientAuthentication
  /// The authorities whose clients are admitted, as PEM; needed unless `clientAuthentication` is `none`.
  package var clientAuthorityPEM: [UInt8]?
  /// The authorities' revocation lists as PEM.
  package var revocationListPEM: [UInt8]?
  /// The earliest possible present, in seconds since 1970. A robot without a clock battery boots in 1970; certificates
  /// are then checked as of this time.
  package var earliestNow: Int64
  /// The clock that decides on the validity of certificates and the lifetime of ticket keys.
  package var clock: Clock

  package init(
    certificatePEM: [UInt8], privateKeyPEM: [UInt8], clientAuthentication: ClientAuthentication = .none,
    clientAuthorityPEM: [UInt8]? = nil, revocationListPEM: [UInt8]? = nil, earliestNow: Int64 = 0,
    clock: Clock = .system
  ) {
    self.certificatePEM = certificatePEM
    self.privateKeyPEM = privateKeyPEM
    self.clientAuthentication = clientAuthentication
    self.clientAuthorityPEM = clientAuthorityPEM
    self.revocationListPEM = revocationListPEM
    self.earliestNow = earliestNow
    self.clock = clock
  }
}

/// The certificates and requirements of a TLS server, ready to open connections: one `SSL_CTX`, never changed after its
/// creation.
///
/// Several threads may use an `SSL_CTX` at once as long as it does not change, and nothing here changes it after
/// `make`. The properties are immutable. That makes `@unchecked Sendable` true.
@safe
package final class TLSServerContext: @unchecked Sendable {
  private let handle: OpaquePointer
  package let configuration: TLSServerConfiguration
  package let certificate: Certificate
  let privateKey: PrivateKey
  /// The expiry of the revocation list that expires first, in seconds since 1970; nil without a list.
  package let revocationListExpiry: Int64?
  /// True if there are revocation lists, but none from a client authority.
  package let lacksListOfAuthority: Bool
  /// The position in the series of contexts that took over from one another, counted from 1.
  package let generation: UInt64
  private let peerVerification: ClientVerificationRules?
  let ticketKeys: TicketKeys

  /// The number of session tickets that a connection gets.
  static let ticketCount = 1

  private init(
    handle: OpaquePointer, configuration: TLSServerConfiguration, certificate: Certificate, privateKey: PrivateKey,
    verification: ClientVerificationRules?, ticketKeys: TicketKeys, generation: UInt64
  ) {
    unsafe self.handle = handle
    self.configuration = configuration
    self.certificate = certificate
    self.privateKey = privateKey
    self.peerVerification = verification
    self.ticketKeys = ticketKeys
    self.generation = generation
    self.revocationListExpiry = verification?.revocationListExpiry
    self.lacksListOfAuthority =
      configuration.revocationListPEM != nil && verification.map { !$0.hasListOfAuthority } ?? false
  }

  deinit { unsafe SSL_CTX_free(handle) }

  /// Reads and checks the whole configuration.
  ///
  /// - Parameter predecessor: the context that this one takes over from. Its session tickets stay valid unless the
  ///   rules for clients have changed.
  /// - Throws: `TLSError`; `.keyDoesNotBelong` if the private key belongs to another certificate.
  package static func make(
    _ configuration: TLSServerConfiguration, succeeding predecessor: TLSServerContext? = nil
  ) throws(TLSError) -> TLSServerContext {
    let generation = (predecessor?.generation ?? 0) &+ 1
    guard let predecessor, predecessor.admits(likewise: configuration) else {
      return try make(configuration, ticketKeys: try TicketKeys(clock: configuration.clock), generation: generation)
    }
    let context = try make(configuration, ticketKeys: predecessor.ticketKeys, generation: generation)
    if let known = predecessor.peerVerification { context.peerVerification?.inherit(from: known) }
    return context
  }

  /// - Parameter ticketKeys: keys that other contexts share, or whose clock is not the system's.
  static func make(
    _ configuration: TLSServerConfiguration, ticketKeys: TicketKeys, generation: UInt64 = 0
  ) throws(TLSError) -> TLSServerContext {
    let chain = try Certificate.all(inPEM: configuration.certificatePEM, what: "server certificate")
    let key = try PrivateKey.make(pem: configuration.privateKeyPEM)
    ErrorQueue.clear()
    // The library is named so that it remains the one for handshakes in which the thread's default is another
    // (`SessionDecoding`).
    let library = unsafe OSSL_LIB_CTX_get0_global_default()
    guard let handle = unsafe SSL_CTX_new_ex(library, nil, TLS_server_method()) else {
      throw .configuration(ErrorQueue.drain())
    }
    var verification: ClientVerificationRules?
    if configuration.clientAuthentication != .none {
      verification = try ClientVerificationRules.make(configuration, chain[0])
    }
    let context = unsafe TLSServerContext(
      handle: handle, configuration: configuration, certificate: chain[0], privateKey: key,
      verification: verification, ticketKeys: ticketKeys, generation: generation)
    guard key.belongs(to: chain[0]) else {
      guard chain.contains(where: { key.belongs(to: $0) }) else { throw .keyDoesNotBelong }
      throw .unreadable(
        what: "server certificate",
        reason: "the key's own certificate is not the first in the file: put it before those of its issuers")
    }
    try context.setProtocol()
    try context.check(unsafe SSL_CTX_use_certificate(handle, chain[0].handle))
    try context.check(unsafe SSL_CTX_use_PrivateKey(handle, key.handle))
    for intermediate in chain.dropFirst() {
      try context.check(unsafe copenssl_add_chain_certificate(handle, intermediate.handle))
    }
    try context.setSessions()
    if let verification { unsafe verification.install(in: handle) }
    return context
  }

  /// Creates a connection for a client that was just accepted.
  package func accept(into output: RecordBuffer) throws(TLSError) -> TLSStream {
    ErrorQueue.clear()
    guard let ssl = unsafe SSL_new(handle) else { throw .configuration(ErrorQueue.drain()) }
    unsafe SSL_set_accept_state(ssl)
    guard let peerVerification else { return try unsafe TLSStream(ssl: ssl, output: output, context: self) }
    unsafe copenssl_set_verify_time(ssl, time_t(peerVerification.now))
    let check = ClientVerifier(peerVerification)
    let stream = try unsafe TLSStream(ssl: ssl, output: output, context: self, clientCheck: check)
    guard unsafe check.install(on: ssl) else { throw .configuration(ErrorQueue.drain()) }
    return stream
  }

  // MARK: Connected clients

  /// Returns the time in which the certificate of an admitted client is valid, in seconds since 1970, as far as this
  /// context knows; an earlier context may have admitted the client. Returns nil if only `judge` can decide.
  package func validity(of client: VerifiedClient) -> ClosedRange<Int64>? {
    guard let peerVerification else { return .min ... .max }
    return peerVerification.recall(client.digest)?.validity
  }

  /// Judges a client that was admitted earlier, perhaps by a previous context, using this context's authorities,
  /// revocation lists and time. May take as long as a handshake does.
  ///
  /// - Returns: the time in which its certificate is valid.
  package func judge(again client: VerifiedClient) throws(ClientRejection) -> ClosedRange<Int64> {
    guard let peerVerification else { return .min ... .max }
    return try peerVerification.judge(again: client).validity
  }

  /// The time by which clients' certificates are judged, in seconds since 1970; nil if clients are not asked for one.
  package var clientTime: Int64? { peerVerification?.now }

  /// Wipes ticket keys that have expired. Call it from time to time.
  package func rotateTicketKeys() { ticketKeys.rotate() }

  /// The length limit of a client's certificate message, in bytes.
  private static let longestCertificates = 32 * 1024

  /// Sets TLS 1.2 with AEAD suites, and TLS 1.3. AES-128 comes first, which costs a robot's processor least, unless the
  /// client has no AES instructions and so prefers ChaCha20.
  private func setProtocol() throws(TLSError) {
    try check(unsafe copenssl_set_min_version(handle, TLS1_2_VERSION))
    try check(unsafe copenssl_set_max_version(handle, TLS1_3_VERSION))
    _ = unsafe SSL_CTX_set_options(handle, copenssl_server_options())
    _ = unsafe copenssl_set_mode(handle, CLong(SSL_MODE_RELEASE_BUFFERS))
    unsafe copenssl_set_read_ahead(handle, 1)
    // OpenSSL keeps a client's certificate message until it is complete. A few kilobytes are already a lot.
    _ = unsafe SSL_CTX_ctrl(handle, SSL_CTRL_SET_MAX_CERT_LIST, Self.longestCertificates, nil)
    try check(
      unsafe SSL_CTX_set_cipher_list(
        handle,
        """
        ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256:ECDHE-ECDSA-AES256-GCM-SHA384:\
        ECDHE-RSA-AES256-GCM-SHA384:ECDHE-ECDSA-CHACHA20-POLY1305:ECDHE-RSA-CHACHA20-POLY1305
        """))
    try check(
      unsafe SSL_CTX_set_ciphersuites(
        handle, "TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256"))
    try check(unsafe copenssl_set_groups(handle, "X25519:P-256:P-384"))
    // RFC 7301 §3.2: a client that offers only other protocols gets an alert; a client that offers none is served. A
    // client that speaks HTTP/1.0 (curl --http1.0) may offer only that.
    unsafe SSL_CTX_set_alpn_select_cb(
      handle,
      { _, selected, selectedLength, offered, offeredLength, _ in
        for protocolName: StaticString in ["http/1.1", "http/1.0"] {
          var rest = unsafe UnsafeBufferPointer(start: offered, count: Int(offeredLength))[...]
          while let length = unsafe rest.first, unsafe rest.count > Int(length) {
            let name = unsafe rest.dropFirst().prefix(Int(length))
            if unsafe name.elementsEqual(protocolName.description.utf8) {
              unsafe selected?.pointee = UnsafeBufferPointer(rebasing: name).baseAddress
              unsafe selectedLength?.pointee = length
              return SSL_TLSEXT_ERR_OK
            }
            unsafe rest = rest.dropFirst(1 + Int(length))
          }
        }
        return SSL_TLSEXT_ERR_ALERT_FATAL
      }, nil)
  }

  /// Sets up sessions, which live only in tickets, so that an idle or absent client costs no memory here. If a
  /// certificate is required, `ClientVerifier` gives a ticket to the clients that have shown theirs.
  private func setSessions() throws(TLSError) {
    _ = unsafe copenssl_set_session_cache_mode(handle, CLong(SSL_SESS_CACHE_OFF))
    let isRequired = configuration.clientAuthentication == .require
    try check(unsafe SSL_CTX_set_num_tickets(handle, isRequired ? 0 : Self.ticketCount))
    // Each value of `clientAuthentication` has its own id. Otherwise a session without a certificate could be resumed
    // where one is required.
    let identity = Array("footage/\(configuration.clientAuthentication.rawValue)".utf8)
    try check(unsafe SSL_CTX_set_session_id_context(handle, identity, UInt32(identity.count)))
    unsafe try ticketKeys.install(in: handle)
    try installTicketCheck()
  }

  private func admits(likewise other: TLSServerConfiguration) -> Bool {
    configuration.clientAuthentication == other.clientAuthentication
      && configuration.clientAuthorityPEM == other.clientAuthorityPEM
      && configuration.revocationListPEM == other.revocationListPEM
  }

  /// Installs the check of tickets. OpenSSL does not verify the certificate in a ticket again, so a ticket would
  /// outlive the revocation or expiry of its client. The check ignores such a ticket, and the full handshake that
  /// follows rejects the client.
  private func installTicketCheck() throws(TLSError) {
    try check(
      unsafe SSL_CTX_set_session_ticket_cb(
        handle, { _, _ in 1 },
        { ssl, session, _, _, status, _ in
          guard let ssl = unsafe ssl, status == SSL_TICKET_SUCCESS || status == SSL_TICKET_SUCCESS_RENEW else {
            return SSL_TICKET_RETURN_IGNORE_RENEW
          }
          guard let check = unsafe ClientVerifier.of(ssl) else { return SSL_TICKET_RETURN_USE_RENEW }
          let peer = unsafe SSL_SESSION_get0_peer(session)
          let isAccepted = SessionDecoding.withKeys { unsafe check.accepts(ticketOf: peer, on: ssl) }
          return isAccepted ? SSL_TICKET_RETURN_USE_RENEW : SSL_TICKET_RETURN_IGNORE_RENEW
        }, nil))
  }

  private func check(_ result: CInt) throws(TLSError) {
    guard result == 1 else { throw .configuration(ErrorQueue.drain()) }
  }
}
