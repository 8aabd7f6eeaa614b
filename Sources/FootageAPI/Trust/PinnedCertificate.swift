/// A certificate that is identified by its bytes, or by their digest.

internal import FootageBase

/// One certificate, for ``TrustPin/certificate(_:)-swift.enum.case``, identified by its bytes or by their SHA-256.
public struct PinnedCertificate: Hashable, Sendable, CustomStringConvertible {
  enum Form: Hashable, Sendable {
    /// The certificate as DER (X.690 §10).
    case whole([UInt8])
    /// The SHA-256 of the DER, 32 bytes.
    case digest([UInt8])
  }

  let form: Form

  /// The SHA-256 of the certificate's DER; nil if the certificate is identified by its bytes.
  package var digest: [UInt8]? { if case .digest(let digest) = form { digest } else { nil } }
  /// The certificate as DER (X.690 §10); nil if the certificate is identified by its digest.
  package var der: [UInt8]? { if case .whole(let der) = form { der } else { nil } }

  /// Returns true if this is the certificate.
  func matches(_ certificate: PresentedCertificate) -> Bool {
    switch form {
    case .whole(let der): der == certificate.der
    case .digest(let digest): digest == certificate.digest
    }
  }

  /// A text for people. It omits the bytes of a whole certificate, which would not help them.
  public var description: String {
    switch form {
    case .whole(let der): "certificate of \(der.count) bytes"
    case .digest(let digest): "certificate sha256/\(Base64.encode(digest))"
    }
  }
}
