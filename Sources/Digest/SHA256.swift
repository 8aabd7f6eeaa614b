#if !canImport(CryptoKit)
internal import COpenSSL

/// SHA-256 (FIPS 180-4), by OpenSSL.
@safe
package struct SHA256: ~Copyable {
  private let context: OpaquePointer
  private var isIntact: Bool

  package init() {
    // Safe because OpenSSL aborts the process itself only where no memory is left; a null context fails in `finish`.
    unsafe context = EVP_MD_CTX_new()
    isIntact = unsafe EVP_DigestInit_ex(context, EVP_sha256(), nil) == 1
  }

  deinit { unsafe EVP_MD_CTX_free(context) }

  package mutating func update(_ bytes: borrowing [UInt8]) {
    unsafe bytes.withUnsafeBytes { unsafe update($0) }
  }

  package mutating func update(_ bytes: UnsafeRawBufferPointer) {
    isIntact = unsafe EVP_DigestUpdate(context, bytes.baseAddress, bytes.count) == 1 && isIntact
  }

  /// The digest, 32 bytes.
  package consuming func finish() -> [UInt8] {
    var digest = [UInt8](repeating: 0, count: 32)
    let finished = unsafe EVP_DigestFinal_ex(context, &digest, nil) == 1
    precondition(finished && isIntact, "libcrypto has no SHA-256: the OpenSSL installation is broken")
    return digest
  }

  /// The digest of the bytes, 32 bytes.
  package static func hash(_ bytes: [UInt8]) -> [UInt8] {
    var digest = SHA256()
    digest.update(bytes)
    return digest.finish()
  }
}
#endif
