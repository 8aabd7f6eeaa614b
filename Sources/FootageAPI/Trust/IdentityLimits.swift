/// What opening an identity may cost: who wrote the file has chosen, and it need not be a friend.
package struct IdentityLimits: Sendable {
  /// Rounds of one key derivation; ten times what is in use. A million takes half a second or so.
  package var iterations: UInt64 = 1_000_000
  /// Rounds of all derivations that opening one identity takes.
  package var iterationsInAll: UInt64 = 4_000_000
  /// N · r · p of scrypt (RFC 7914 §2), each of which mixes 128 bytes; eight times what `openssl pkcs8 -scrypt` takes.
  package var scryptSteps: UInt64 = 1 << 20
  /// Memory that scrypt may take, in bytes; as OpenSSL limits it.
  package var scryptByteCount: UInt64 = 32 << 20

  package init() {}
}
