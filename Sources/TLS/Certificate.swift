/// An X.509 certificate (RFC 5280).

internal import COpenSSL
package import Trust

@safe
package final class Certificate {
  let handle: OpaquePointer

  /// Takes over the reference.
  init(owning handle: OpaquePointer) { unsafe self.handle = handle }

  deinit { unsafe X509_free(handle) }

  /// Every certificate in a PEM text, in order.
  ///
  /// - Throws: `TLSError.unreadable` where there is none, or one is broken.
  package static func all(inPEM pem: [UInt8], what: String) throws(TLSError) -> [Certificate] {
    var certificates: [Certificate] = []
    unsafe try PEM.forEach(in: pem) { bio in
      guard let handle = unsafe PEM_read_bio_X509(bio, nil, nil, nil) else { return false }
      certificates.append(unsafe Certificate(owning: handle))
      return true
    }
    guard !certificates.isEmpty else {
      throw .unreadable(what: what, reason: "there is no certificate in it (-----BEGIN CERTIFICATE-----)")
    }
    return certificates
  }

  /// First moment of validity, in seconds since 1970.
  package var notBefore: Int64 { unsafe ASN1Time.seconds(X509_get0_notBefore(handle)) }

  /// Last moment of validity, in seconds since 1970.
  package var notAfter: Int64 { unsafe ASN1Time.seconds(X509_get0_notAfter(handle)) }

  /// The pin of its public key.
  package var publicKeyPin: PublicKeyPin? {
    // Safe because i2d allocates `der`, which is freed here, and says how long it is.
    var der: UnsafeMutablePointer<UInt8>?
    let length = unsafe i2d_X509_PUBKEY(X509_get_X509_PUBKEY(handle), &der)
    defer { unsafe CRYPTO_free(der, #file, #line) }
    guard length > 0 else { return nil }
    var digest = [UInt8](repeating: 0, count: 32)
    guard unsafe EVP_Digest(der, Int(length), &digest, nil, EVP_sha256(), nil) == 1 else { return nil }
    return PublicKeyPin(digest: digest)
  }
}
