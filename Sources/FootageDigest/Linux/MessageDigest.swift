internal import CFootageOpenSSL
internal import CFootageOpenSSLStart

/// A digest in progress, computed by OpenSSL.
@safe
struct MessageDigest: ~Copyable {
  enum Algorithm {
    case sha256, md5

    /// The length of the digest in bytes.
    var byteCount: Int { self == .sha256 ? 32 : 16 }

    var name: StaticString { self == .sha256 ? "SHA-256" : "MD5" }
  }

  private let algorithm: Algorithm
  private let context: OpaquePointer
  private var isIntact: Bool

  init(_ algorithm: Algorithm) {
    self.algorithm = algorithm
    // Safe because OpenSSL itself aborts the process only if no memory is left; a null context fails in `finish`.
    unsafe context = EVP_MD_CTX_new()
    isIntact = unsafe EVP_DigestInit_ex(context, algorithm == .sha256 ? EVP_sha256() : EVP_md5(), nil) == 1
  }

  deinit { unsafe EVP_MD_CTX_free(context) }

  mutating func update(_ bytes: UnsafeRawBufferPointer) {
    isIntact = unsafe EVP_DigestUpdate(context, bytes.baseAddress, bytes.count) == 1 && isIntact
  }

  consuming func finish() -> [UInt8] {
    var digest = [UInt8](repeating: 0, count: algorithm.byteCount)
    let finished = unsafe EVP_DigestFinal_ex(context, &digest, nil) == 1
    precondition(finished && isIntact, "libcrypto has no \(algorithm.name): the OpenSSL installation is broken")
    return digest
  }
}
