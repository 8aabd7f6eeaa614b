/// SHA-256 (FIPS 180-4), computed by OpenSSL.
package struct SHA256: ~Copyable {
  private var state = MessageDigest(.sha256)

  package init() {}

  package mutating func update(_ bytes: borrowing [UInt8]) {
    unsafe bytes.withUnsafeBytes { unsafe update($0) }
  }

  package mutating func update(_ bytes: UnsafeRawBufferPointer) { unsafe state.update(bytes) }

  /// Returns the digest, 32 bytes.
  package consuming func finish() -> [UInt8] { state.finish() }

  /// Returns the digest of the bytes, 32 bytes.
  package static func hash(_ bytes: [UInt8]) -> [UInt8] {
    var digest = SHA256()
    digest.update(bytes)
    return digest.finish()
  }
}
