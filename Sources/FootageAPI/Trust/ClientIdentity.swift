/// The identity of a client whose certificate was verified in the handshake.
package struct ClientIdentity: Hashable, Sendable {
  /// The subject's common name as the authority wrote it, cut to 64 characters; the serial number if there is none.
  package let name: String
  /// The SHA-256 of the certificate.
  package let certificateDigest: [UInt8]
  /// The pin of the certificate's key; nil if the key cannot be read.
  package let key: PublicKeyPin?

  package init(name: String, certificateDigest: [UInt8], key: PublicKeyPin? = nil) {
    self.name = name
    self.certificateDigest = certificateDigest
    self.key = key
  }
}
