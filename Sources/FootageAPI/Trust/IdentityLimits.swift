/// The limits of the work for opening an identity. Whoever wrote the file chose its parameters, and may be an attacker.
package struct IdentityLimits: Sendable {
  /// The most rounds of one key derivation, ten times the largest number in common use. A million rounds take about
  /// half a second.
  package var iterations: UInt64 = 1_000_000
  /// The most rounds of all derivations for opening one identity.
  package var iterationsInAll: UInt64 = 4_000_000
  /// The most steps of scrypt (N · r · p of RFC 7914 §2), each of which mixes 128 bytes; eight times what `openssl
  /// pkcs8 -scrypt` uses.
  package var scryptSteps: UInt64 = 1 << 20
  /// The most memory that scrypt may use, in bytes; this is OpenSSL's own limit.
  package var scryptByteCount: UInt64 = 32 << 20

  package init() {}
}
