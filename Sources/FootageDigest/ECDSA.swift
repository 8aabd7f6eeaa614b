/// ECDSA with SHA-256 (FIPS 186-5 §6) on the curves P-256 and P-384: whether a signature is true.
package enum ECDSA {
  /// What has come of a verification.
  package enum Verdict: Hashable, Sendable {
    case valid
    /// The signature is of other bytes, or by another key, or none at all.
    case invalid
    /// The key is no point of one of the two curves, or not written as a SubjectPublicKeyInfo.
    case unsupportedKey
  }
}
