internal import CryptoKit

extension ECDSA {
  /// - Parameters:
  ///   - signature: DER (RFC 3279 §2.2.3).
  ///   - message: the bytes that were signed, whole.
  ///   - key: a SubjectPublicKeyInfo (RFC 5480 §2), DER, and nothing behind it. Anybody may have written the three.
  package static func verify(_ signature: [UInt8], of message: [UInt8], by key: [UInt8]) -> Verdict {
    var state = CryptoKit.SHA256()
    unsafe message.withUnsafeBytes { unsafe state.update(bufferPointer: $0) }
    // Of a P-384 key CryptoKit would take SHA-384, unless it is handed the digest.
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
