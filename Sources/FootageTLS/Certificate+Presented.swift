internal import CFootageOpenSSL
package import FootageAPI

/// Conversions between a certificate and the values on which trust is decided.
extension Certificate {
  /// Creates a certificate that adds a reference to OpenSSL's object, which its other owners keep.
  convenience init(sharing handle: OpaquePointer) {
    unsafe X509_up_ref(handle)
    unsafe self.init(owning: handle)
  }

  /// Reads DER (X.690 §10); nil if it is not a certificate.
  package static func der(_ bytes: [UInt8]) -> Certificate? {
    ErrorQueue.clear()
    defer { ErrorQueue.clear() }
    // Safe because d2i reads at most the given number of bytes.
    let handle = unsafe bytes.withUnsafeBufferPointer { buffer in
      var position = buffer.baseAddress
      return unsafe d2i_X509(nil, &position, buffer.count)
    }
    guard let handle = unsafe handle else { return nil }
    return unsafe Certificate(owning: handle)
  }

  /// The certificate as DER (X.690 §10); empty if no memory is left.
  var der: [UInt8] {
    // Safe because i2d allocates `bytes`, which are freed here, and returns their number.
    var bytes: UnsafeMutablePointer<UInt8>?
    let length = unsafe i2d_X509(handle, &bytes)
    defer { unsafe CRYPTO_free(bytes, #file, #line) }
    return unsafe length > 0 ? Array(UnsafeBufferPointer(start: bytes, count: Int(length))) : []
  }

  /// The certificate as read by Footage's own parser, which behaves the same on each platform; nil if it finds no
  /// certificate.
  package var presented: PresentedCertificate? { PresentedCertificate(der: der, sha256: Self.sha256) }

  /// Returns the SHA-256, 32 bytes; empty if OpenSSL has no SHA-256.
  private static func sha256(_ bytes: [UInt8]) -> [UInt8] {
    var digest = [UInt8](repeating: 0, count: 32)
    return unsafe EVP_Digest(bytes, bytes.count, &digest, nil, EVP_sha256(), nil) == 1 ? digest : []
  }

  /// True if it names itself as its issuer, as an authority's own certificate does.
  var isSelfIssued: Bool {
    unsafe X509_NAME_cmp(X509_get_subject_name(handle), X509_get_issuer_name(handle)) == 0
  }
}
