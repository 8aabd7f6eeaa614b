/// ECDSA verification with SHA-256 (FIPS 186-5 §6) on the curves P-256 and P-384.
package enum ECDSA {
  /// The result of a verification.
  package enum Verdict: Hashable, Sendable {
    case valid
    /// The signature belongs to other bytes or to another key, or is not a signature.
    case invalid
    /// The key is not a point on one of the two curves, or is not written as a SubjectPublicKeyInfo.
    case unsupportedKey
  }
}
