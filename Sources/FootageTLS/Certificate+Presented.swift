internal import CFootageOpenSSL
package import FootageAPI

/// A certificate as the values that trust is decided by.
extension Certificate {
  /// Takes a reference of its own.
  convenience init(sharing handle: OpaquePointer) {
    unsafe X509_up_ref(handle)
    unsafe self.init(owning: handle)
  }

  /// Reads DER (X.690 §10); nil where it is no certificate.
  package static func der(_ bytes: [UInt8]) -> Certificate? {
    ErrorQueue.clear()
    defer { ErrorQueue.clear() }
    // Safe because d2i reads at most as many bytes as are said to be there.
    let handle = unsafe bytes.withUnsafeBufferPointer { buffer in
      var position = buffer.baseAddress
      return unsafe d2i_X509(nil, &position, buffer.count)
    }
    guard let handle = unsafe handle else { return nil }
    return unsafe Certificate(owning: handle)
  }

  /// X.690 §10; empty where no memory is left.
  var der: [UInt8] {
    // Safe because i2d allocates `bytes`, which is freed here, and says how many they are.
    var bytes: UnsafeMutablePointer<UInt8>?
    let length = unsafe i2d_X509(handle, &bytes)
    defer { unsafe CRYPTO_free(bytes, #file, #line) }
    return unsafe length > 0 ? Array(UnsafeBufferPointer(start: bytes, count: Int(length))) : []
  }

  /// Read by our own reader, which sees the same on each platform; nil where it finds no certificate in it.
  package var presented: PresentedCertificate? { PresentedCertificate(der: der, sha256: Self.sha256) }

  /// 32 bytes; none where OpenSSL has no SHA-256.
  private static func sha256(_ bytes: [UInt8]) -> [UInt8] {
    var digest = [UInt8](repeating: 0, count: 32)
    return unsafe EVP_Digest(bytes, bytes.count, &digest, nil, EVP_sha256(), nil) == 1 ? digest : []
  }

  /// Whether it vouches for itself, as an authority's own does.
  var isSelfIssued: Bool {
    unsafe X509_NAME_cmp(X509_get_subject_name(handle), X509_get_issuer_name(handle)) == 0
  }
}
