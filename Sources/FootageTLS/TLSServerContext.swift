internal import CFootageOpenSSL
package import FootageSystem
package import FootageAPI

/// What a TLS server presents and demands, as files hold it.
package struct TLSServerConfiguration: Sendable {
  /// The server's certificate and its intermediates, PEM.
  package var certificatePEM: [UInt8]
  package var privateKeyPEM: [UInt8]
  package var clientAuthentication: ClientAuthentication
  /// PEM of the authorities whose clients are let in; needed unless `clientAuthentication` is `none`.
  package var clientAuthorityPEM: [UInt8]?
  /// PEM of the authorities' revocation lists.
  package var revocationListPEM: [UInt8]?
  /// The earliest moment that can be now, in seconds since 1970: a robot without a clock battery boots in 1970.
  package var earliestNow: Int64
  /// By which certificates are judged and session tickets go.
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

/// What a TLS server presents and demands, ready to open connections: one `SSL_CTX`, never changed after it was made.
///
/// An `SSL_CTX` may be used by several threads at once as long as nobody changes it, and nothing here does after
/// `make`; that, and immutable properties, is what makes this `@unchecked Sendable` true.
@safe
package final class TLSServerContext: @unchecked Sendable {
  private let handle: OpaquePointer
  package let configuration: TLSServerConfiguration
  package let certificate: Certificate
  let privateKey: PrivateKey
  /// Of the list that expires first, in seconds since 1970; nil without a list.
  package let revocationListExpiry: Int64?
  /// Whether there are revocation lists, and none is of an authority whose clients are let in.
  package let lacksListOfAuthority: Bool
  /// How many contexts it came after, each taking over from the one before.
  package let generation: UInt64
  private let peerVerification: ClientVerificationRules?
  let ticketKeys: TicketKeys

  /// Session tickets that a connection is given.
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

  /// Reads and checks everything.
  ///
  /// - Parameter predecessor: the context that this one takes over from; its session tickets stay good unless who may
  ///   come in has changed.
  /// - Throws: `TLSError`; the key that is another certificate's has a case of its own.
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

  /// - Parameter ticketKeys: shared with others, or of a clock that is not the system's.
  static func make(
    _ configuration: TLSServerConfiguration, ticketKeys: TicketKeys, generation: UInt64 = 0
  ) throws(TLSError) -> TLSServerContext {
    let chain = try Certificate.all(inPEM: configuration.certificatePEM, what: "server certificate")
    let key = try PrivateKey.make(pem: configuration.privateKeyPEM)
    ErrorQueue.clear()
    // Named, so that it stays the library of handshakes in which another is the thread's default (`SessionDecoding`).
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
        reason: "the key's own certificate is not the first in the file: put it before those that issued it")
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

  /// A connection to somebody who has just been accepted.
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

  // MARK: Clients that are there

  /// When the certificate of a client that was let in holds, in seconds since 1970, as far as this context knows: the
  /// client was perhaps let in by one before it. Nil where only `judge` can tell.
  package func validity(of client: VerifiedClient) -> ClosedRange<Int64>? {
    guard let peerVerification else { return .min ... .max }
    return peerVerification.recall(client.digest)?.validity
  }

  /// Judges a client that was let in, perhaps by a context before this one, by this one's authorities, revocation lists
  /// and time. May take as long as a handshake does.
  ///
  /// - Returns: when its certificate holds.
  package func judge(again client: VerifiedClient) throws(ClientRejection) -> ClosedRange<Int64> {
    guard let peerVerification else { return .min ... .max }
    return try peerVerification.judge(again: client).validity
  }

  /// What clients' certificates are judged by, in seconds since 1970; nil where nobody is asked for one.
  package var clientTime: Int64? { peerVerification?.now }

  /// Wipes ticket keys that have had their time. To be called now and then.
  package func rotateTicketKeys() { ticketKeys.rotate() }

  /// TLS 1.2 with AEAD suites and 1.3; AES-128 first, which costs a robot's processor least, unless the client has no
  /// AES instructions and so prefers ChaCha20.
  /// Of a client's certificate message, in bytes.
  private static let longestCertificates = 32 * 1024

  private func setProtocol() throws(TLSError) {
    try check(unsafe copenssl_set_min_version(handle, TLS1_2_VERSION))
    try check(unsafe copenssl_set_max_version(handle, TLS1_3_VERSION))
    _ = unsafe SSL_CTX_set_options(handle, copenssl_server_options())
    _ = unsafe copenssl_set_mode(handle, CLong(SSL_MODE_RELEASE_BUFFERS))
    unsafe copenssl_set_read_ahead(handle, 1)
    // What a client sends as its certificates is kept until it is whole; some kilobytes are many.
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
    // RFC 7301 §3.2: a client that offers other protocols only is told so; one that offers none is served. What speaks
    // HTTP/1.0 (curl --http1.0) may offer that alone.
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

  /// Sessions live in tickets alone, so that an idle or absent client costs no memory here. Where a certificate is
  /// required, `ClientVerifier` gives one to those who have shown theirs.
  private func setSessions() throws(TLSError) {
    _ = unsafe copenssl_set_session_cache_mode(handle, CLong(SSL_SESS_CACHE_OFF))
    let isRequired = configuration.clientAuthentication == .require
    try check(unsafe SSL_CTX_set_num_tickets(handle, isRequired ? 0 : Self.ticketCount))
    // Without an id of its own per demand, a session got without a certificate could be shown where one is required.
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

  /// OpenSSL does not verify a certificate again that comes out of a ticket, so a client that was revoked or has
  /// expired would live on in its ticket. Such a ticket is ignored, and the full handshake that follows refuses the
  /// client.
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
