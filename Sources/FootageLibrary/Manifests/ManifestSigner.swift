/// The key that signs manifests. It is read for each manifest, because the operator may replace the key while the
/// server runs.
package struct ManifestSigner: Sendable {
  /// The SubjectPublicKeyInfo (RFC 5280 §4.1.2.7) in DER.
  package let key: [UInt8]
  /// A function that returns the DER of an ECDSA signature with SHA-256 over the bytes.
  package let sign: @Sendable ([UInt8]) throws(ManifestSigningFailure) -> [UInt8]

  package init(key: [UInt8], sign: @escaping @Sendable ([UInt8]) throws(ManifestSigningFailure) -> [UInt8]) {
    self.key = key
    self.sign = sign
  }
}

/// The reason why the robot's key cannot sign, with the remedy.
package struct ManifestSigningFailure: Error, Hashable, Sendable, CustomStringConvertible {
  package let description: String

  package init(_ description: String) { self.description = description }
}
