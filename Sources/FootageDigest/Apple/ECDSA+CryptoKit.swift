internal import CryptoKit

extension ECDSA {
  /// - Parameters:
  ///   - signature: in DER (RFC 3279 §2.2.3).
  ///   - message: all the bytes that were signed.
  ///   - key: a SubjectPublicKeyInfo (RFC 5480 §2) in DER, with nothing after it. All three may be untrusted input.
  package static func verify(_ signature: [UInt8], of message: [UInt8], by key: [UInt8]) -> Verdict {
    var state = CryptoKit.SHA256()
    unsafe message.withUnsafeBytes { unsafe state.update(bufferPointer: $0) }
    // CryptoKit would hash with SHA-384 for a P-384 key if it were given the message instead of the digest.
    let digest = state.finalize()
    if let key = try? P256.Signing.PublicKey(derRepresentation: key) {
      guard let signature = try? P256.Signing.ECDSASignature(derRepresentation: signature) else { return .invalid }
      return key.isValidSignature(signature, for: digest) ? .valid : .invalid
    }
    guard let key = try? P384.Signing.PublicKey(derRepresentation: key) else { return .unsupportedKey }
    guard let signature = try? P384.Signing.ECDSASignature(derRepresentation: signature) else { return .invalid }
    return key.isValidSignature(signature, for: digest) ? .valid : .invalid
  }
}
