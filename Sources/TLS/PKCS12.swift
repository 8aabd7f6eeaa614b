/// Identities as PKCS#12 (RFC 7292): one file under one passphrase.

internal import COpenSSL
internal import Trust

enum PKCS12 {
  static func identity(in bytes: [UInt8], passphrase: String, now: Int64) throws(IdentityFailure) -> Identity {
    if let contents = try contents(of: bytes, passphrase) { return try contents.identity(now: now) }
    let unlocked = try LegacyProvider.with { () throws(IdentityFailure) in try contents(of: bytes, passphrase) }
    guard let unlocked else {
      throw .unreadable("its passphrase is right, but the cipher that locks it is not known here")
    }
    return try unlocked.identity(now: now)
  }

  /// What was in a file, by its DER: what comes out of another library context must not outlive that.
  private struct Contents {
    var key: [UInt8]?
    var certificate: [UInt8]?
    var others: [[UInt8]] = []

    func identity(now: Int64) throws(IdentityFailure) -> Identity {
      guard let key = key.flatMap(PrivateKey.der) else { throw .noKey }
      guard let certificate = certificate.flatMap(Certificate.der) else { throw .noCertificate }
      return try Identity(certificate, key, intermediates: others.compactMap(Certificate.der), now: now)
    }
  }

  /// - Returns: nil where the passphrase is right and a cipher is missing.
  private static func contents(of bytes: [UInt8], _ passphrase: String) throws(IdentityFailure) -> Contents? {
    ErrorQueue.clear()
    // Safe because d2i reads at most as many bytes as are said to be there.
    let file = unsafe bytes.withUnsafeBufferPointer { buffer in
      var position = buffer.baseAddress
      return unsafe d2i_PKCS12(nil, &position, buffer.count)
    }
    guard let file = unsafe file else { throw .unreadable("it is not PKCS#12 (\(ErrorQueue.drain()))") }
    defer { unsafe PKCS12_free(file) }
    guard unsafe PKCS12_mac_present(file) == 1 else {
      throw .unreadable("it has no digest that tells a wrong passphrase: export it again with one")
    }
    guard unsafe opens(file, passphrase) else { throw .wrongPassphrase }
    var key: OpaquePointer?
    var certificate: OpaquePointer?
    var others: OpaquePointer?
    guard unsafe PKCS12_parse(file, passphrase, &key, &certificate, &others) == 1 else { return nil }
    defer {
      unsafe EVP_PKEY_free(key)
      unsafe X509_free(certificate)
      unsafe copenssl_certificates_free(others)
    }
    var contents = Contents()
    if let key = unsafe key { contents.key = unsafe PrivateKey.der(of: key) }
    if let certificate = unsafe certificate { contents.certificate = unsafe Certificate(sharing: certificate).der }
    for index in 0..<(unsafe copenssl_certificates_count(others)) {
      guard let other = unsafe copenssl_certificates_at(others, index) else { continue }
      contents.others.append(unsafe Certificate(sharing: other).der)
    }
    return contents
  }

  /// No passphrase comes in two forms: as an empty text, and as none at all.
  private static func opens(_ file: OpaquePointer, _ passphrase: String) -> Bool {
    if unsafe PKCS12_verify_mac(file, passphrase, -1) == 1 { return true }
    return unsafe passphrase.isEmpty && PKCS12_verify_mac(file, nil, 0) == 1
  }
}

/// Ciphers of the last century, among them RC2-40, in a library context of their own: loaded into the common one, the
/// provider would switch off the automatic load of the ordinary ones.
private enum LegacyProvider {
  /// Runs `body` on this thread with them.
  ///
  /// - Throws: `IdentityFailure.legacyCipher` where this OpenSSL comes without.
  static func with<Result>(_ body: () throws(IdentityFailure) -> Result) throws(IdentityFailure) -> Result {
    guard let library = unsafe OSSL_LIB_CTX_new() else { throw .unreadable("no memory") }
    defer { unsafe OSSL_LIB_CTX_free(library) }
    guard let ordinary = unsafe OSSL_PROVIDER_load(library, "default") else { throw .legacyCipher }
    defer { unsafe OSSL_PROVIDER_unload(ordinary) }
    guard let legacy = unsafe OSSL_PROVIDER_load(library, "legacy") else { throw .legacyCipher }
    defer { unsafe OSSL_PROVIDER_unload(legacy) }
    // Safe because the default is the thread's own, and is put back before anybody else runs on it.
    let previous = unsafe OSSL_LIB_CTX_set0_default(library)
    defer { unsafe OSSL_LIB_CTX_set0_default(previous) }
    return try body()
  }
}

extension PrivateKey {
  /// Reads a key from its DER, whatever its kind.
  fileprivate static func der(_ bytes: [UInt8]) -> PrivateKey? {
    // Safe because d2i reads at most as many bytes as are said to be there.
    let handle = unsafe bytes.withUnsafeBufferPointer { buffer in
      var position = buffer.baseAddress
      return unsafe d2i_AutoPrivateKey(nil, &position, buffer.count)
    }
    guard let handle = unsafe handle else { return nil }
    return unsafe PrivateKey(owning: handle)
  }

  /// The DER of a key; nil where it has none.
  fileprivate static func der(of key: OpaquePointer) -> [UInt8]? {
    // Safe because i2d allocates `bytes`, which are wiped and freed here, and says how many they are.
    var bytes: UnsafeMutablePointer<UInt8>?
    let length = unsafe i2d_PrivateKey(key, &bytes)
    guard length > 0 else { return nil }
    defer { unsafe CRYPTO_clear_free(bytes, Int(length), #file, #line) }
    return unsafe Array(UnsafeBufferPointer(start: bytes, count: Int(length)))
  }
}
