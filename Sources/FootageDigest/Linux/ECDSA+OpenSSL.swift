internal import CFootageOpenSSL

extension ECDSA {
  /// - Parameters:
  ///   - signature: in DER (RFC 3279 §2.2.3).
  ///   - message: all the bytes that were signed.
  ///   - key: a SubjectPublicKeyInfo (RFC 5480 §2) in DER, with nothing after it. All three may be untrusted input.
  package static func verify(_ signature: [UInt8], of message: [UInt8], by key: [UInt8]) -> Verdict {
    defer { ERR_clear_error() }
    // Safe because OpenSSL reads the array only within the closure, and allocates the key, which is freed here.
    var end = 0
    let parsed = unsafe key.withUnsafeBufferPointer { bytes in
      var position = bytes.baseAddress
      let handle = unsafe d2i_PUBKEY(nil, &position, CLong(bytes.count))
      if let start = bytes.baseAddress, let position = unsafe position { end = unsafe position - start }
      return unsafe handle
    }
    guard let handle = unsafe parsed else { return .unsupportedKey }
    defer { unsafe EVP_PKEY_free(handle) }
    guard end == key.count else { return .unsupportedKey }
    guard unsafe isOnKnownCurve(handle) else { return .unsupportedKey }
    let context = unsafe EVP_MD_CTX_new()
    defer { unsafe EVP_MD_CTX_free(context) }
    guard unsafe EVP_DigestVerifyInit(context, nil, EVP_sha256(), nil, handle) == 1 else { return .unsupportedKey }
    let result = unsafe EVP_DigestVerify(context, signature, signature.count, message, message.count)
    return result == 1 ? .valid : .invalid
  }

  private static func isOnKnownCurve(_ key: OpaquePointer) -> Bool {
    guard unsafe EVP_PKEY_get_base_id(key) == EVP_PKEY_EC else { return false }
    var name = [CChar](repeating: 0, count: 64)
    var length = 0
    guard unsafe EVP_PKEY_get_group_name(key, &name, name.count, &length) == 1 else { return false }
    let curve = String(decoding: name.prefix(length).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    return curve == "prime256v1" || curve == "secp384r1"
  }
}
