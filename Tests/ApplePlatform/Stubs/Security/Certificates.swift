internal import CFootageOpenSSL
public import Foundation

// SecCertificate.h, SecIdentity.h, SecTrust.h, SecPolicy.h.

/// Never changed once it was made.
public final class SecCertificate: NSObject, @unchecked Sendable {
  let handle: OpaquePointer

  /// Takes over the reference.
  package init(owning handle: OpaquePointer) { self.handle = handle }

  deinit { X509_free(handle) }

  /// For whoever speaks OpenSSL.
  package func retained() -> OpaquePointer {
    X509_up_ref(handle)
    return handle
  }
}

public func SecCertificateCreateWithData(_ allocator: CFTypeRef?, _ data: CFData) -> SecCertificate? {
  let bytes = [UInt8](data as Data)
  let handle = bytes.withUnsafeBufferPointer { buffer in
    var position = buffer.baseAddress
    return d2i_X509(nil, &position, buffer.count)
  }
  ERR_clear_error()
  return handle.map { SecCertificate(owning: $0) }
}

public func SecCertificateCopyData(_ certificate: SecCertificate) -> CFData {
  var bytes: UnsafeMutablePointer<UInt8>?
  let count = i2d_X509(certificate.handle, &bytes)
  defer { CRYPTO_free(bytes, #file, #line) }
  return Data(UnsafeBufferPointer(start: bytes, count: Int(max(0, count)))) as CFData
}

/// The last one of its subject (RFC 5280 §4.1.2.6).
public func SecCertificateCopyCommonName(
  _ certificate: SecCertificate, _ commonName: UnsafeMutablePointer<CFString?>
) -> OSStatus {
  var text = [CChar](repeating: 0, count: 256)
  let count = X509_NAME_get_text_by_NID(
    X509_get_subject_name(certificate.handle), NID_commonName, &text, Int32(text.count))
  commonName.pointee = count < 0 ? nil : String(cString: text) as CFString
  return errSecSuccess
}

public final class SecIdentity: NSObject, @unchecked Sendable {
  let certificate: SecCertificate
  private let key: OpaquePointer

  /// Takes over the key's reference.
  package init(_ certificate: SecCertificate, key: OpaquePointer) {
    self.certificate = certificate
    self.key = key
  }

  deinit { EVP_PKEY_free(key) }

  /// Shows it in a handshake.
  package func present(on ssl: OpaquePointer?, with chain: [SecCertificate]) -> Bool {
    guard SSL_use_certificate(ssl, certificate.handle) == 1, SSL_use_PrivateKey(ssl, key) == 1 else { return false }
    for certificate in chain {
      // `SSL_add1_chain_cert`, a macro, takes a reference of its own.
      guard SSL_ctrl(ssl, SSL_CTRL_CHAIN_CERT, 1, UnsafeMutableRawPointer(certificate.handle)) == 1 else {
        return false
      }
    }
    return true
  }
}

public func SecIdentityGetTypeID() -> CFTypeID { 7 }

public func SecIdentityCopyCertificate(
  _ identity: SecIdentity, _ certificate: UnsafeMutablePointer<SecCertificate?>
) -> OSStatus {
  certificate.pointee = identity.certificate
  return errSecSuccess
}

// MARK: Trust

public final class SecPolicy: NSObject, @unchecked Sendable {
  let host: String?

  init(host: String?) { self.host = host }
}

public func SecPolicyCreateSSL(_ server: Bool, _ hostname: CFString?) -> SecPolicy {
  SecPolicy(host: hostname.map { $0 as String })
}

/// Belongs to whoever made it.
public final class SecTrust: NSObject, @unchecked Sendable {
  fileprivate let chain: [SecCertificate]
  fileprivate let policy: SecPolicy
  fileprivate var anchors: [SecCertificate] = []
  fileprivate var moment: Date?

  package init(_ chain: [SecCertificate], _ policy: SecPolicy) {
    self.chain = chain
    self.policy = policy
  }
}

public func SecTrustCreateWithCertificates(
  _ certificates: CFTypeRef, _ policies: CFTypeRef?, _ trust: UnsafeMutablePointer<SecTrust?>
) -> OSStatus {
  guard let chain = (certificates as? CFArray) as? [SecCertificate], let policy = policies as? SecPolicy else {
    return errSecParam
  }
  trust.pointee = SecTrust(chain, policy)
  return errSecSuccess
}

public func SecTrustCopyCertificateChain(_ trust: SecTrust) -> CFArray? { trust.chain as CFArray }

public func SecTrustSetAnchorCertificates(_ trust: SecTrust, _ anchors: CFArray?) -> OSStatus {
  trust.anchors = anchors as? [SecCertificate] ?? []
  return errSecSuccess
}

/// The system's own anchors are nobody's here: others than those that were set are never trusted.
public func SecTrustSetAnchorCertificatesOnly(_ trust: SecTrust, _ only: Bool) -> OSStatus { errSecSuccess }

public func SecTrustSetNetworkFetchAllowed(_ trust: SecTrust, _ allowed: Bool) -> OSStatus { errSecSuccess }

public func SecTrustSetVerifyDate(_ trust: SecTrust, _ date: CFDate) -> OSStatus {
  trust.moment = date as Date
  return errSecSuccess
}

/// Path validation (RFC 5280 §6), as strict as Apple's about keys and digests.
public func SecTrustEvaluateWithError(_ trust: SecTrust, _ error: UnsafeMutablePointer<CFError?>?) -> Bool {
  let words = fault(of: trust)
  if let words {
    error?.pointee = NSError(
      domain: "NSOSStatusErrorDomain", code: -67_843, userInfo: [NSLocalizedDescriptionKey: words])
  }
  return words == nil
}

private func fault(of trust: SecTrust) -> String? {
  guard let leaf = trust.chain.first else { return "no certificate" }
  let store = X509_STORE_new()
  let context = X509_STORE_CTX_new()
  let others = copenssl_certificates_new()
  defer {
    X509_STORE_CTX_free(context)
    X509_STORE_free(store)
    copenssl_certificates_free(others)
    ERR_clear_error()
  }
  for anchor in trust.anchors { X509_STORE_add_cert(store, anchor.handle) }
  for other in trust.chain.dropFirst() { _ = copenssl_certificates_push(others, other.retained()) }
  guard X509_STORE_CTX_init(context, store, leaf.handle, others) == 1,
    X509_STORE_CTX_set_default(context, "ssl_server") == 1
  else { return "no memory" }
  let parameters = X509_STORE_CTX_get0_param(context)
  X509_VERIFY_PARAM_set_auth_level(parameters, 2)
  X509_STORE_CTX_set_flags(context, UInt(X509_V_FLAG_PARTIAL_CHAIN))
  X509_STORE_CTX_set_time(context, 0, Int((trust.moment ?? Date()).timeIntervalSince1970))
  if let host = trust.policy.host {
    let octets = a2i_IPADDRESS(host)
    ASN1_OCTET_STRING_free(octets)
    _ =
      octets == nil
      ? X509_VERIFY_PARAM_set1_host(parameters, host, 0) : X509_VERIFY_PARAM_set1_ip_asc(parameters, host)
  }
  guard X509_verify_cert(context) != 1 else { return nil }
  return String(cString: X509_verify_cert_error_string(Int(X509_STORE_CTX_get_error(context))))
}
