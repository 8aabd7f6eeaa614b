internal import CFootageOpenSSL

/// Signing with the key that the server proves to own in handshakes. A statement about a recording can thus be
/// attributed to the holder of that key.
extension TLSServerContext {
  /// The SubjectPublicKeyInfo of the server's key in DER, as in its certificate. Its SHA-256 is the pin.
  ///
  /// - Throws: `TLSError.unreadable`.
  package var publicKeyInfo: [UInt8] {
    get throws(TLSError) {
      guard let der = certificate.publicKeyInfo else {
        throw .unreadable(what: "server certificate", reason: "its key cannot be encoded as DER")
      }
      return der
    }
  }

  /// - Throws: `TLSError.keyDoesNotSign` if the key is not on P-256 or P-384.
  package func checkSigning() throws(TLSError) {
    guard privateKey.isOnSigningCurve else { throw .keyDoesNotSign(kind: privateKey.kind) }
  }

  /// Signs bytes with ECDSA and SHA-256. Several threads may call it at once; it takes as long as hashing the bytes.
  ///
  /// - Returns: the signature in DER (RFC 3279 §2.2.3), a different one each time.
  /// - Throws: `TLSError`: `.keyDoesNotSign`, or `.configuration` if OpenSSL returns no signature.
  package func sign(_ bytes: [UInt8]) throws(TLSError) -> [UInt8] {
    try checkSigning()
    ErrorQueue.clear()
    let context = unsafe EVP_MD_CTX_new()
    defer { unsafe EVP_MD_CTX_free(context) }
    guard unsafe EVP_DigestSignInit(context, nil, EVP_sha256(), nil, privateKey.handle) == 1 else {
      throw .configuration(ErrorQueue.drain())
    }
    var signature = [UInt8](repeating: 0, count: Int(unsafe EVP_PKEY_get_size(privateKey.handle)))
    var length = signature.count
    guard unsafe EVP_DigestSign(context, &signature, &length, bytes, bytes.count) == 1 else {
      throw .configuration(ErrorQueue.drain())
    }
    return Array(signature.prefix(length))
  }
}

extension PrivateKey {
  /// True if it signs with ECDSA on P-256 or P-384, which each platform can verify.
  var isOnSigningCurve: Bool {
    guard unsafe EVP_PKEY_get_base_id(handle) == EVP_PKEY_EC else { return false }
    return ["prime256v1", "secp384r1"].contains(curve)
  }

  /// The kind of key for messages: `RSA`, or the name of a curve.
  var kind: String {
    if unsafe EVP_PKEY_get_base_id(handle) == EVP_PKEY_EC { return curve }
    // Safe because the name is a constant string in the library.
    return unsafe EVP_PKEY_get0_type_name(handle).map { unsafe String(cString: $0) } ?? "unknown kind"
  }

  private var curve: String {
    var name = [CChar](repeating: 0, count: 64)
    var length = 0
    guard unsafe EVP_PKEY_get_group_name(handle, &name, name.count, &length) == 1 else { return "an unnamed curve" }
    return String(decoding: name.prefix(length).map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
