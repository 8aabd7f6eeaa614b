/// A client that showed a certificate which was found good, and what is needed to judge it again.

internal import CFootageOpenSSL
package import FootageAPI

/// One for each certificate, shared by all of its connections. Never changed after it was made, and OpenSSL counts the
/// references of its certificates atomically: that makes `@unchecked Sendable` true.
@safe
package final class VerifiedClient: @unchecked Sendable {
  /// The subject's common name, as the authority wrote it and cut to 64 characters; else its serial number.
  package let name: String
  /// When all certificates of its chain hold, in seconds since 1970.
  package let validity: ClosedRange<Int64>
  /// SHA-256 of the certificate.
  package let digest: [UInt8]
  /// The pin of its key; nil where the key cannot be read.
  package let key: PublicKeyPin?
  let certificate: Certificate
  /// Those between it and its authority, of which nothing is trusted when it is judged again: a client may have sent
  /// them.
  let intermediates: [Certificate]

  init(_ certificate: Certificate, digest: [UInt8], intermediates: [Certificate], validity: ClosedRange<Int64>) {
    name = certificate.commonName ?? "serial \(certificate.serialNumber)"
    key = certificate.publicKeyPin
    self.certificate = certificate
    self.digest = digest
    self.intermediates = intermediates
    self.validity = validity
  }
}
