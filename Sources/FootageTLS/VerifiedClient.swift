/// A client whose certificate was accepted, and the data needed to judge it again.

internal import CFootageOpenSSL
package import FootageAPI

/// A client whose certificate was accepted: one object for each certificate, shared by all of its connections. It never
/// changes after its creation, and OpenSSL counts the references of its certificates atomically. That makes
/// `@unchecked Sendable` true.
@safe
package final class VerifiedClient: @unchecked Sendable {
  /// The subject's common name, as the authority wrote it and cut to 64 characters; otherwise its serial number.
  package let name: String
  /// The time in which all certificates of its chain are valid, in seconds since 1970.
  package let validity: ClosedRange<Int64>
  /// The SHA-256 of the certificate.
  package let digest: [UInt8]
  /// The pin of its key; nil if the key cannot be read.
  package let key: PublicKeyPin?
  let certificate: Certificate
  /// The certificates between it and its authority. None of them is trusted when the client is judged again, since the
  /// client may have sent them.
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
