/// The rules for admitting clients: the client authority, its revocation lists, and the time by which both are judged.

internal import CFootageOpenSSL
internal import Synchronization
internal import FootageSystem
internal import FootageAPI

/// The rules by which clients are verified. The store is filled in `make`, and afterwards threads only read it (OpenSSL
/// locks inside). That makes `@unchecked Sendable` true.
@safe
final class ClientVerificationRules: @unchecked Sendable {
  private let store: OpaquePointer
  private let authorities: [Certificate]
  private let clock: Clock
  private let earliestNow: Int64
  private(set) var revocationListExpiry: Int64?
  /// True if at least one revocation list was issued by a client authority itself, and not by an intermediate one.
  private(set) var hasListOfAuthority = false
  /// True if clients without a certificate are rejected.
  let isRequired: Bool
  private let memory = Mutex<[[UInt8]: VerifiedClient]>([:])

  /// The largest number of certificates to remember; all others are verified each time.
  private static let memoryLimit = 4096

  private init(
    store: OpaquePointer, authorities: [Certificate], clock: Clock, earliestNow: Int64, isRequired: Bool
  ) {
    unsafe self.store = store
    self.authorities = authorities
    self.clock = clock
    self.earliestNow = earliestNow
    self.isRequired = isRequired
  }

  deinit { unsafe X509_STORE_free(store) }

  static func make(
    _ configuration: TLSServerConfiguration, _ server: Certificate
  ) throws(TLSError) -> ClientVerificationRules {
    guard let pem = configuration.clientAuthorityPEM else {
      throw .unreadable(
        what: "client authority", reason: "client certificates are requested, but no authority is given")
    }
    let authorities = try Certificate.all(inPEM: pem, what: "client authority")
    ErrorQueue.clear()
    guard let store = unsafe X509_STORE_new() else { throw .configuration(ErrorQueue.drain()) }
    let verification = unsafe ClientVerificationRules(
      store: store, authorities: authorities, clock: configuration.clock,
      earliestNow: max(configuration.earliestNow, server.notBefore),
      isRequired: configuration.clientAuthentication == .require)
    try verification.addAuthorities()
    if let lists = configuration.revocationListPEM { try verification.add(revocationLists: lists) }
    unsafe X509_STORE_set_verify_cb(store, acceptExpiredLists)
    return verification
  }

  /// Adopts the accepted clients of earlier rules, which must have the same authorities and lists.
  func inherit(from predecessor: ClientVerificationRules) {
    let known = predecessor.memory.withLock { $0 }
    memory.withLock { $0 = known }
  }

  // MARK: Authorities and lists

  /// Adds the client authorities. An authority is a trust anchor if its issuer is not among them. If its issuer is, the
  /// chain has to continue up to the issuer; otherwise the issuer's revocation of the lower authority would go
  /// unnoticed. That is why the anchors are trusted one by one, and not all by `X509_V_FLAG_PARTIAL_CHAIN`.
  private func addAuthorities() throws(TLSError) {
    for authority in authorities {
      if !authorities.contains(where: { unsafe X509_check_issued($0.handle, authority.handle) == X509_V_OK }) {
        guard unsafe X509_add1_trust_object(authority.handle, OBJ_nid2obj(NID_client_auth)) == 1 else {
          throw .configuration(ErrorQueue.drain())
        }
      }
      guard unsafe X509_STORE_add_cert(store, authority.handle) == 1 else { throw .configuration(ErrorQueue.drain()) }
    }
  }

  private func add(revocationLists pem: [UInt8]) throws(TLSError) {
    var count = 0
    var added = true
    var isForged = false
    unsafe try PEM.all(in: pem, what: "revocation list") { bio in
      guard let list = unsafe PEM_read_bio_X509_CRL(bio, nil, nil, nil) else { return false }
      defer { unsafe X509_CRL_free(list) }
      count += 1
      let issuers = authorities.filter { authority in
        unsafe X509_NAME_cmp(X509_get_subject_name(authority.handle), X509_CRL_get_issuer(list)) == 0
      }
      if !issuers.isEmpty {
        hasListOfAuthority = true
        let isSigned = issuers.contains { unsafe X509_CRL_verify(list, X509_get0_pubkey($0.handle)) == 1 }
        if !isSigned { isForged = true }
      }
      added = unsafe X509_STORE_add_crl(store, list) == 1 && added
      if let next = unsafe X509_CRL_get0_nextUpdate(list) {
        revocationListExpiry = unsafe min(revocationListExpiry ?? .max, ASN1Time.seconds(next))
      }
      return true
    }
    guard count > 0, added else {
      throw .unreadable(what: "revocation list", reason: "there is no list in it (-----BEGIN X509 CRL-----)")
    }
    // With such a list, every client would be rejected.
    guard !isForged else {
      throw .unreadable(
        what: "revocation list", reason: "it is not signed by the client authority: copy both from the same folder")
    }
    unsafe X509_STORE_set_flags(store, UInt(X509_V_FLAG_CRL_CHECK | X509_V_FLAG_CRL_CHECK_ALL))
  }

  /// Accepts expired lists, because an old list is better than none: the server warns about it at start, and it still
  /// revokes the same certificates. If the clock is stuck in 1970, a list can also seem to come from the future. Only
  /// the client's own authority must have a list; the lists of higher authorities are used if they exist.
  private static let acceptExpiredLists: @convention(c) (CInt, OpaquePointer?) -> CInt = { isGood, context in
    switch unsafe X509_STORE_CTX_get_error(context) {
    case X509_V_ERR_CRL_HAS_EXPIRED, X509_V_ERR_CRL_NOT_YET_VALID: break
    case X509_V_ERR_UNABLE_TO_GET_CRL where unsafe X509_STORE_CTX_get_error_depth(context) > 0: break
    default: return isGood
    }
    unsafe X509_STORE_CTX_set_error(context, X509_V_OK)
    return 1
  }

  /// The seconds since 1970, never before the build or the server's own certificate.
  var now: Int64 { max(clock.unixSeconds, earliestNow) }

  // MARK: Clients

  /// Makes a context ask its clients for a certificate. A client without one finishes the handshake even if a
  /// certificate is required, because only then can the server tell it what is missing.
  func install(in context: OpaquePointer) {
    unsafe X509_STORE_up_ref(store)
    unsafe SSL_CTX_set_cert_store(context, store)
    unsafe SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nil)
    unsafe SSL_CTX_set_cert_verify_callback(
      context,
      { verification, _ in
        guard let verification = unsafe verification else { return 0 }
        let data = unsafe X509_STORE_CTX_get_ex_data(verification, SSL_get_ex_data_X509_STORE_CTX_idx())
        guard let ssl = unsafe data.map({ OpaquePointer($0) }), let check = unsafe ClientVerifier.of(ssl) else {
          return 0
        }
        return SessionDecoding.withKeys { unsafe check.verify(verification, of: ssl) } ? 1 : 0
      }, nil)
    // The names tell a browser or an app which of its certificates to show.
    let names = unsafe copenssl_names_new()
    for authority in authorities {
      if let name = unsafe X509_NAME_dup(X509_get_subject_name(authority.handle)) {
        _ = unsafe copenssl_names_push(names, name)
      }
    }
    unsafe SSL_CTX_set_client_CA_list(context, names)
  }

  /// Returns the client with a certificate that was accepted earlier; nil if it is not accepted now. OpenSSL may have
  /// left the key of `peer` unread.
  func stillAccepts(_ peer: OpaquePointer) -> VerifiedClient? {
    if let digest = unsafe Self.digest(of: peer), let client = recall(digest) { return client }
    ErrorQueue.clear()
    defer { ErrorQueue.clear() }
    guard let peer = unsafe Certificate.der(Certificate(sharing: peer).der) else { return nil }
    return try? judge(peer, intermediates: [])
  }

  /// Judges again a client that was admitted earlier, perhaps by other rules. May take as long as a handshake.
  func judge(again client: VerifiedClient) throws(ClientRejection) -> VerifiedClient {
    if let known = recall(client.digest) { return known }
    ErrorQueue.clear()
    defer { ErrorQueue.clear() }
    return try judge(client.certificate, intermediates: client.intermediates)
  }

  private func judge(
    _ certificate: Certificate, intermediates: [Certificate]
  ) throws(ClientRejection) -> VerifiedClient {
    guard let chain = unsafe copenssl_certificates_new() else {
      throw ClientRejection(.other("out of memory"), certificate)
    }
    defer { unsafe copenssl_certificates_free(chain) }
    for intermediate in intermediates {
      unsafe X509_up_ref(intermediate.handle)
      if unsafe copenssl_certificates_push(chain, intermediate.handle) <= 0 { unsafe X509_free(intermediate.handle) }
    }
    guard let context = unsafe X509_STORE_CTX_new() else { throw ClientRejection(.other("out of memory"), certificate) }
    defer { unsafe X509_STORE_CTX_free(context) }
    guard unsafe X509_STORE_CTX_init(context, store, certificate.handle, chain) == 1,
      unsafe X509_STORE_CTX_set_default(context, "ssl_client") == 1
    else { throw ClientRejection(.other(ErrorQueue.drain()), certificate) }
    unsafe X509_STORE_CTX_set_time(context, 0, Int(now))
    return unsafe try verify(context)
  }

  /// Verifies a certificate, unless exactly this certificate was accepted earlier and is still within its dates.
  ///
  /// Building and checking a chain costs more than the rest of a handshake, and the same few clients connect again and
  /// again. The authorities and the revocation lists cannot have changed in the meantime, because changed ones get a
  /// new `ClientVerificationRules`.
  func verify(_ context: OpaquePointer) throws(ClientRejection) -> VerifiedClient {
    guard let certificate = unsafe X509_STORE_CTX_get0_cert(context),
      let digest = unsafe Self.digest(of: certificate)
    else { throw ClientRejection(.other("the certificate cannot be read"), nil) }
    if let known = recall(digest) {
      unsafe X509_STORE_CTX_set_error(context, X509_V_OK)
      return known
    }
    guard unsafe X509_verify_cert(context) == 1 else { throw unsafe ClientRejection(context) }
    let client = unsafe Self.client(of: context, digest: digest, Certificate(sharing: certificate))
    memory.withLock { memory in
      if memory.count < Self.memoryLimit || memory[digest] != nil { memory[digest] = client }
    }
    return client
  }

  /// Returns the client whose certificate has this digest, if it was accepted earlier and is still within its dates.
  func recall(_ digest: [UInt8]) -> VerifiedClient? {
    guard let known = memory.withLock({ $0[digest] }), known.validity.contains(now) else { return nil }
    return known
  }

  /// Returns the SHA-256 of a certificate; nil if it cannot be computed.
  static func digest(of certificate: OpaquePointer) -> [UInt8]? {
    var digest = [UInt8](repeating: 0, count: 32)
    return unsafe X509_digest(certificate, EVP_sha256(), &digest, nil) == 1 ? digest : nil
  }

  /// Returns the client at the end of the chain that was just built.
  private static func client(
    of context: OpaquePointer, digest: [UInt8], _ certificate: Certificate
  ) -> VerifiedClient {
    var (notBefore, notAfter) = (certificate.notBefore, certificate.notAfter)
    var intermediates: [Certificate] = []
    let chain = unsafe X509_STORE_CTX_get0_chain(context)
    for index in 1..<max(1, unsafe copenssl_certificates_count(chain)) {
      guard let handle = unsafe copenssl_certificates_at(chain, index) else { continue }
      let authority = unsafe Certificate(sharing: handle)
      notBefore = max(notBefore, authority.notBefore)
      notAfter = min(notAfter, authority.notAfter)
      if !authority.isSelfIssued { intermediates.append(authority) }
    }
    // Certificates that were never all valid at the same time are not accepted in the first place.
    return VerifiedClient(
      certificate, digest: digest, intermediates: intermediates, validity: notBefore...max(notBefore, notAfter))
  }
}
