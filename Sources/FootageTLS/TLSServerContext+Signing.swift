internal import CFootageOpenSSL

/// Signing with the key that the server proves to be its own in handshakes: what it says of a recording is said by
/// whoever is known by that key.
extension TLSServerContext {
  /// The SubjectPublicKeyInfo of the server's key, DER, as its certificate has it: its SHA-256 is the pin.
  ///
  /// - Throws: `TLSError.unreadable`.
  package var publicKeyInfo: [UInt8] {
    get throws(TLSError) {
      guard let der = certificate.publicKeyInfo else {
        throw .unreadable(what: "server certificate", reason: "its key cannot be written as DER")
      }
      return der
    }
  }

  /// - Throws: `TLSError.keyDoesNotSign` where the key is not on P-256 or P-384.
  package func checkSigning() throws(TLSError) {
    guard privateKey.isOnSigningCurve else { throw .keyDoesNotSign(kind: privateKey.kind) }
  }

  /// Signs bytes by ECDSA with SHA-256. May be called by several threads at once; takes as long as hashing them does.
  ///
  /// - Returns: DER (RFC 3279 §2.2.3), another one each time.
  /// - Throws: `TLSError`: `.keyDoesNotSign`, or `.configuration` where OpenSSL gives no signature.
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
  /// Whether it signs by ECDSA on P-256 or P-384, which each platform can verify.
  var isOnSigningCurve: Bool {
    guard unsafe EVP_PKEY_get_base_id(handle) == EVP_PKEY_EC else { return false }
    return ["prime256v1", "secp384r1"].contains(curve)
  }

  /// For words: `RSA`, or a curve's name.
  var kind: String {
    if unsafe EVP_PKEY_get_base_id(handle) == EVP_PKEY_EC { return curve }
    // Safe because the name is a constant string of the library.
    return unsafe EVP_PKEY_get0_type_name(handle).map { unsafe String(cString: $0) } ?? "another kind"
  }

  private var curve: String {
    var name = [CChar](repeating: 0, count: 64)
    var length = 0
    guard unsafe EVP_PKEY_get_group_name(handle, &name, name.count, &length) == 1 else { return "a curve without name" }
    return String(decoding: name.prefix(length).map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
