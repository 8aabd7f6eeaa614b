/// The identity of a client whose certificate was verified in the handshake.
package struct ClientIdentity: Hashable, Sendable {
  /// The subject's common name, as the authority wrote it and cut to 64 characters; else the serial number.
  package let name: String
  /// SHA-256 of the certificate.
  package let certificateDigest: [UInt8]
  /// The pin of its key; nil where the key cannot be read.
  package let key: PublicKeyPin?

  package init(name: String, certificateDigest: [UInt8], key: PublicKeyPin? = nil) {
    self.name = name
    self.certificateDigest = certificateDigest
    self.key = key
  }
}
