/// Who may come in: the client authority, its revocation lists, and the time by which both are judged.

internal import COpenSSL
internal import Glibc
internal import Synchronization
internal import Trust

/// The store is filled in `make` and only read afterwards, by any thread (OpenSSL locks inside): that makes
/// `@unchecked Sendable` true.
@safe
final class PeerVerification: @unchecked Sendable {
  private let store: OpaquePointer
  private let authorities: [Certificate]
  private let earliestNow: Int64
  private(set) var revocationListExpiry: Int64?
  private let isOptional: Bool
  private let memory = Mutex<[[UInt8]: Validity]>([:])

  /// From when to when a chain that was verified once holds, in seconds since 1970.
  private struct Validity {
    var notBefore: Int64
    var notAfter: Int64
  }

  /// Certificates that are remembered; what is beyond is verified anew.
  private static let memoryLimit = 4096

  private init(store: OpaquePointer, authorities: [Certificate], earliestNow: Int64, isOptional: Bool) {
    unsafe self.store = store
    self.authorities = authorities
    self.earliestNow = earliestNow
    self.isOptional = isOptional
  }

  deinit { unsafe X509_STORE_free(store) }

  static func make(
    _ configuration: TLSServerConfiguration, _ server: Certificate
  ) throws(TLSError) -> PeerVerification {
    guard let pem = configuration.clientAuthorityPEM else {
      throw .unreadable(what: "client authority", reason: "client certificates are asked for, but there is none")
    }
    let authorities = try Certificate.all(inPEM: pem, what: "client authority")
    ErrorQueue.clear()
    guard let store = unsafe X509_STORE_new() else { throw .configuration(ErrorQueue.drain()) }
    let verification = unsafe PeerVerification(
      store: store, authorities: authorities, earliestNow: max(configuration.earliestNow, server.notBefore),
      isOptional: configuration.clientAuthentication == .optional)
    for authority in authorities {
      guard unsafe X509_STORE_add_cert(store, authority.handle) == 1 else { throw .configuration(ErrorQueue.drain()) }
    }
    if let lists = configuration.revocationListPEM { try verification.add(revocationLists: lists) }
    unsafe X509_STORE_set_verify_cb(store, acceptExpiredLists)
    return verification
  }

  private func add(revocationLists pem: [UInt8]) throws(TLSError) {
    var count = 0
    var added = true
    unsafe try PEM.forEach(in: pem) { bio in
      guard let list = unsafe PEM_read_bio_X509_CRL(bio, nil, nil, nil) else { return false }
      count += 1
      added = unsafe X509_STORE_add_crl(store, list) == 1 && added
      if let next = unsafe X509_CRL_get0_nextUpdate(list) {
        revocationListExpiry = unsafe min(revocationListExpiry ?? .max, ASN1Time.seconds(next))
      }
      unsafe X509_CRL_free(list)
      return true
    }
    guard count > 0, added else {
      throw .unreadable(what: "revocation list", reason: "there is no list in it (-----BEGIN X509 CRL-----)")
    }
    unsafe X509_STORE_set_flags(store, UInt(X509_V_FLAG_CRL_CHECK))
  }

  /// An old list is better than none: it warns at start, and what it revokes stays revoked. With a clock that stands in
  /// 1970 a list can also seem to come from the future.
  private static let acceptExpiredLists: @convention(c) (CInt, OpaquePointer?) -> CInt = { isGood, context in
    switch unsafe X509_STORE_CTX_get_error(context) {
    case X509_V_ERR_CRL_HAS_EXPIRED, X509_V_ERR_CRL_NOT_YET_VALID:
      unsafe X509_STORE_CTX_set_error(context, X509_V_OK)
      return 1
    default: return isGood
    }
  }

  /// Seconds since 1970, never before the build or the server's own certificate.
  var now: Int64 { max(Int64(time(nil)), earliestNow) }

  /// Asks clients of this context for a certificate.
  func install(in context: OpaquePointer, mode: ClientAuthentication) {
    unsafe SSL_CTX_set1_verify_store(context)
    unsafe SSL_CTX_set_verify(
      context, SSL_VERIFY_PEER | (mode == .require ? SSL_VERIFY_FAIL_IF_NO_PEER_CERT : 0), nil)
    // Safe because every TLSStream holds the context, and that this object, until its SSL is freed.
    unsafe SSL_CTX_set_cert_verify_callback(
      context,
      { verification, argument in
        guard let verification = unsafe verification, let argument = unsafe argument else { return 0 }
        let rules = unsafe Unmanaged<PeerVerification>.fromOpaque(argument).takeUnretainedValue()
        return UnreadKeys.suspended { unsafe rules.verify(verification) } ? 1 : 0
      }, Unmanaged.passUnretained(self).toOpaque())
    // The names tell a browser or an app which of its certificates to show.
    let names = unsafe copenssl_names_new()
    for authority in authorities {
      if let name = unsafe X509_NAME_dup(X509_get_subject_name(authority.handle)) {
        _ = unsafe copenssl_names_push(names, name)
      }
    }
    unsafe SSL_CTX_set_client_CA_list(context, names)
  }

  private func SSL_CTX_set1_verify_store(_ context: OpaquePointer) {
    unsafe X509_STORE_up_ref(store)
    unsafe SSL_CTX_set_cert_store(context, store)
  }

  /// Whether a certificate that was good once still is; nil where there was none. It may come with its key unread.
  func stillAccepts(_ peer: OpaquePointer?) -> Bool {
    guard let peer = unsafe peer else { return isOptional }
    if let digest = unsafe digest(of: peer), remembers(digest) { return true }
    ErrorQueue.clear()
    defer { ErrorQueue.clear() }
    guard let peer = unsafe Certificate.der(Certificate(sharing: peer).der),
      let context = unsafe X509_STORE_CTX_new()
    else { return false }
    defer { unsafe X509_STORE_CTX_free(context) }
    guard unsafe X509_STORE_CTX_init(context, store, peer.handle, nil) == 1,
      unsafe X509_STORE_CTX_set_default(context, "ssl_client") == 1
    else { return false }
    unsafe X509_STORE_CTX_set_time(context, 0, time_t(now))
    return unsafe verify(context)
  }

  /// Verifies, unless this very certificate was found good before and its dates still hold.
  ///
  /// Building and checking a chain costs more than the rest of a handshake, and the same few clients come again and
  /// again. Authorities and revocation lists cannot have changed meanwhile: with others there is another object.
  private func verify(_ context: OpaquePointer) -> Bool {
    guard let digest = unsafe digest(of: X509_STORE_CTX_get0_cert(context)) else { return false }
    guard !remembers(digest) else {
      unsafe X509_STORE_CTX_set_error(context, X509_V_OK)
      return true
    }
    guard unsafe X509_verify_cert(context) == 1 else { return false }
    let validity = unsafe validity(of: context)
    memory.withLock { memory in
      if memory.count < Self.memoryLimit { memory[digest] = validity }
    }
    return true
  }

  private func remembers(_ digest: [UInt8]) -> Bool {
    let now = now
    guard let known = memory.withLock({ $0[digest] }) else { return false }
    return known.notBefore <= now && now <= known.notAfter
  }

  /// SHA-256 of a certificate; nil where it cannot be taken.
  private func digest(of certificate: OpaquePointer?) -> [UInt8]? {
    var digest = [UInt8](repeating: 0, count: 32)
    return unsafe X509_digest(certificate, EVP_sha256(), &digest, nil) == 1 ? digest : nil
  }

  /// When all certificates of the chain that was just built hold.
  private func validity(of context: OpaquePointer) -> Validity {
    var validity = Validity(notBefore: .min, notAfter: .max)
    let chain = unsafe X509_STORE_CTX_get0_chain(context)
    for index in 0..<(unsafe copenssl_certificates_count(chain)) {
      let certificate = unsafe copenssl_certificates_at(chain, index)
      validity.notBefore = unsafe max(validity.notBefore, ASN1Time.seconds(X509_get0_notBefore(certificate)))
      validity.notAfter = unsafe min(validity.notAfter, ASN1Time.seconds(X509_get0_notAfter(certificate)))
    }
    return validity
  }
}
