internal import CFootageOpenSSL
internal import FootageAPI

/// Path validation of a server's certificate under one pinned authority, or under those of the system (RFC 5280 §6).
enum AuthorityPath {
  /// The security level in OpenSSL's terms, which requires at least 112 bits of every key and signature.
  private static let securityLevel: CInt = 2

  /// - Parameters:
  ///   - chain: the certificates that the server sent along; none of them is trusted.
  ///   - anchor: the trusted authority. OpenSSL looks for the system's authorities at its built-in paths, or at those
  ///     in the environment variables `SSL_CERT_FILE` and `SSL_CERT_DIR`.
  ///   - now: seconds since 1970.
  static func finding(
    _ leaf: OpaquePointer, chain: OpaquePointer?, under anchor: TrustAnchor, _ dates: TrustPolicy.Dates, host: String,
    now: Int64
  ) -> AuthorityFinding {
    ErrorQueue.clear()
    defer { ErrorQueue.clear() }
    guard let store = unsafe X509_STORE_new() else { return .invalid("out of memory") }
    defer { unsafe X509_STORE_free(store) }
    guard let context = unsafe X509_STORE_CTX_new() else { return .invalid("out of memory") }
    defer { unsafe X509_STORE_CTX_free(context) }
    switch anchor {
    case .certificate(let der):
      guard let authority = Certificate.der(der) else { return .invalid("the pinned authority cannot be read") }
      guard unsafe X509_STORE_add_cert(store, authority.handle) == 1 else { return .invalid(ErrorQueue.drain()) }
    case .system:
      guard unsafe X509_STORE_set_default_paths(store) == 1 else { return .invalid(ErrorQueue.drain()) }
    }
    guard unsafe X509_STORE_CTX_init(context, store, leaf, chain) == 1,
      unsafe X509_STORE_CTX_set_default(context, "ssl_server") == 1, unsafe expect(host, context)
    else { return .invalid(ErrorQueue.drain()) }
    unsafe X509_STORE_CTX_set_time(context, 0, Int(now))
    // Otherwise a leaf signed with MD5, or an authority with a 1024-bit RSA key, would be accepted.
    unsafe X509_VERIFY_PARAM_set_auth_level(X509_STORE_CTX_get0_param(context), securityLevel)
    // A pinned authority is an anchor even if another authority issued it.
    if anchor != .system { unsafe X509_STORE_CTX_set_flags(context, UInt(X509_V_FLAG_PARTIAL_CHAIN)) }
    if dates == .warn { unsafe X509_STORE_CTX_set_verify_cb(context, acceptDates) }
    let isValid = unsafe X509_verify_cert(context) == 1
    let error = unsafe X509_STORE_CTX_get_error(context)
    let certificate = unsafe Certificate(sharing: leaf)
    switch error {
    case X509_V_ERR_HOSTNAME_MISMATCH, X509_V_ERR_IP_ADDRESS_MISMATCH: return .otherHostName
    case X509_V_ERR_CERT_HAS_EXPIRED: return .outOfDate(.expired(since: certificate.notAfter))
    case X509_V_ERR_CERT_NOT_YET_VALID: return .outOfDate(.notYetValid(until: certificate.notBefore))
    case X509_V_ERR_EE_KEY_TOO_SMALL, X509_V_ERR_CA_KEY_TOO_SMALL, X509_V_ERR_CA_MD_TOO_WEAK:
      return .weak(words(error))
    default: break
    }
    guard isValid else { return .invalid(words(error)) }
    if now > certificate.notAfter { return .valid([.expired(since: certificate.notAfter)]) }
    return .valid(now < certificate.notBefore ? [.notYetValid(until: certificate.notBefore)] : [])
  }

  private static func words(_ error: CInt) -> String {
    // Safe because the words are constants of the library.
    unsafe String(cString: X509_verify_cert_error_string(Int(error)))
  }

  /// Sets the expected host, which may be a name or an address (RFC 9525 §6).
  private static func expect(_ host: String, _ context: OpaquePointer) -> Bool {
    let parameters = unsafe X509_STORE_CTX_get0_param(context)
    if HostName.isAddress(host) { return unsafe X509_VERIFY_PARAM_set1_ip_asc(parameters, host) == 1 }
    return unsafe X509_VERIFY_PARAM_set1_host(parameters, host, 0) == 1
  }

  private static let acceptDates: @convention(c) (CInt, OpaquePointer?) -> CInt = { isGood, context in
    switch unsafe X509_STORE_CTX_get_error(context) {
    case X509_V_ERR_CERT_HAS_EXPIRED, X509_V_ERR_CERT_NOT_YET_VALID:
      unsafe X509_STORE_CTX_set_error(context, X509_V_OK)
      return 1
    default: return isGood
    }
  }
}

/// The name by which a host is addressed.
enum HostName {
  /// Returns true if this is an IPv4 or IPv6 address instead of a name.
  static func isAddress(_ host: String) -> Bool {
    // Safe because the octets, if any, are freed immediately.
    guard let octets = unsafe a2i_IPADDRESS(host) else { return false }
    unsafe ASN1_OCTET_STRING_free(octets)
    return true
  }
}
