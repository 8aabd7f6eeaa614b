internal import COpenSSL
package import Trust

/// A certificate as the values that trust is decided by.
extension Certificate {
  /// Takes a reference of its own.
  convenience init(sharing handle: OpaquePointer) {
    unsafe X509_up_ref(handle)
    unsafe self.init(owning: handle)
  }

  /// Reads DER (X.690 §10); nil where it is no certificate.
  static func der(_ bytes: [UInt8]) -> Certificate? {
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

  /// Nil where its key cannot be read.
  package var presented: PresentedCertificate? {
    let der = der
    var digest = [UInt8](repeating: 0, count: 32)
    guard let publicKey = publicKeyPin, !der.isEmpty,
      unsafe EVP_Digest(der, der.count, &digest, nil, EVP_sha256(), nil) == 1
    else { return nil }
    return PresentedCertificate(
      der: der, digest: digest, publicKey: publicKey, securityBits: securityBits, notBefore: notBefore,
      notAfter: notAfter)
  }

  /// What its key is worth (NIST SP 800-57 part 1, table 2); 0 where OpenSSL does not know the key.
  private var securityBits: Int {
    let key = unsafe X509_get0_pubkey(handle)
    guard unsafe key != nil else { return 0 }
    return unsafe Int(EVP_PKEY_get_security_bits(key))
  }

  /// Whether it vouches for itself, as an authority's own does.
  var isSelfIssued: Bool {
    unsafe X509_NAME_cmp(X509_get_subject_name(handle), X509_get_issuer_name(handle)) == 0
  }
}
