/// MD5 (RFC 1321), computed by OpenSSL. It detects bytes that were damaged in transit, never deliberate changes.
package struct MD5: ~Copyable {
  private var state = MessageDigest(.md5)

  package init() {}

  package mutating func update(_ bytes: borrowing [UInt8]) {
    unsafe bytes.withUnsafeBytes { unsafe update($0) }
  }

  package mutating func update(_ bytes: UnsafeRawBufferPointer) { unsafe state.update(bytes) }

  /// Returns the digest, 16 bytes.
  package consuming func finish() -> [UInt8] { state.finish() }

  /// Returns the digest of the bytes, 16 bytes.
  package static func hash(_ bytes: [UInt8]) -> [UInt8] {
    var digest = MD5()
    digest.update(bytes)
    return digest.finish()
  }
}
