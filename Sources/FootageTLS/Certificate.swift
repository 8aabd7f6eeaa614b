internal import CFootageOpenSSL
package import FootageAPI

/// An X.509 certificate (RFC 5280).
@safe
package final class Certificate {
  let handle: OpaquePointer

  /// Creates a certificate that takes over the reference.
  init(owning handle: OpaquePointer) { unsafe self.handle = handle }

  deinit { unsafe X509_free(handle) }

  /// Returns every certificate in a PEM text, in order.
  ///
  /// - Throws: `TLSError.unreadable` if there is none, or one is damaged.
  package static func all(inPEM pem: [UInt8], what: String) throws(TLSError) -> [Certificate] {
    var certificates: [Certificate] = []
    unsafe try PEM.all(in: pem, what: what) { bio in
      guard let handle = unsafe PEM_read_bio_X509(bio, nil, nil, nil) else { return false }
      certificates.append(unsafe Certificate(owning: handle))
      return true
    }
    guard !certificates.isEmpty else {
      throw .unreadable(what: what, reason: "there is no certificate in it (-----BEGIN CERTIFICATE-----)")
    }
    return certificates
  }

  /// The first moment of validity, in seconds since 1970.
  package var notBefore: Int64 { unsafe ASN1Time.seconds(X509_get0_notBefore(handle)) }

  /// The last moment of validity, in seconds since 1970.
  package var notAfter: Int64 { unsafe ASN1Time.seconds(X509_get0_notAfter(handle)) }

  /// The serial number in hexadecimal, without leading zeros and cut to 40 digits, the longest that RFC 5280 §4.1.2.2
  /// allows.
  package var serialNumber: String {
    // Safe because the number and its digits are freed here.
    let number = unsafe ASN1_INTEGER_to_BN(X509_get0_serialNumber(handle), nil)
    defer { unsafe BN_free(number) }
    guard let digits = unsafe BN_bn2hex(number) else { return "?" }
    defer { unsafe CRYPTO_free(digits, #file, #line) }
    return unsafe String(String(cString: digits).prefix(40))
  }

  /// The subject's last common name, cut to the 64 characters that X.520 allows; nil if it has none.
  package var commonName: String? { unsafe Self.commonName(X509_get_subject_name(handle)) }

  /// The issuer's last common name, cut to 64 characters; nil if it has none.
  var issuerCommonName: String? { unsafe Self.commonName(X509_get_issuer_name(handle)) }

  private static func commonName(_ subject: OpaquePointer?) -> String? {
    var index: CInt = -1
    while true {
      let next = unsafe X509_NAME_get_index_by_NID(subject, NID_commonName, index)
      guard next >= 0 else { break }
      index = next
    }
    guard index >= 0 else { return nil }
    // Safe because the call allocates the text and returns its length, and the text is freed here.
    var text: UnsafeMutablePointer<UInt8>?
    let count = unsafe ASN1_STRING_to_UTF8(&text, X509_NAME_ENTRY_get_data(X509_NAME_get_entry(subject, index)))
    defer { unsafe CRYPTO_free(text, #file, #line) }
    guard count > 0 else { return nil }
    let bytes = unsafe UnsafeBufferPointer(start: text, count: Int(min(count, 256)))
    var name = ""
    name.unicodeScalars.append(contentsOf: unsafe String(decoding: bytes, as: UTF8.self).unicodeScalars.prefix(64))
    return name
  }

  /// The pin of its public key; nil if it cannot be computed.
  package var publicKeyPin: PublicKeyPin? {
    guard let der = publicKeyInfo else { return nil }
    var digest = [UInt8](repeating: 0, count: 32)
    guard unsafe EVP_Digest(der, der.count, &digest, nil, EVP_sha256(), nil) == 1 else { return nil }
    return PublicKeyPin(digest: digest)
  }

  /// Its SubjectPublicKeyInfo (RFC 5280 §4.1.2.7) as DER; nil if it cannot be written.
  package var publicKeyInfo: [UInt8]? {
    // Safe because i2d allocates `der`, which is freed here, and returns its length.
    var der: UnsafeMutablePointer<UInt8>?
    let length = unsafe i2d_X509_PUBKEY(X509_get_X509_PUBKEY(handle), &der)
    defer { unsafe CRYPTO_free(der, #file, #line) }
    guard length > 0 else { return nil }
    return unsafe Array(UnsafeBufferPointer(start: der, count: Int(length)))
  }
}
