/// A certificate that is known by its bytes, or by their digest.

internal import FootageBase

/// One certificate, for ``TrustPin/certificate(_:)-swift.enum.case``: known by its bytes or by their SHA-256.
public struct PinnedCertificate: Hashable, Sendable, CustomStringConvertible {
  enum Form: Hashable, Sendable {
    /// DER (X.690 §10).
    case whole([UInt8])
    /// SHA-256 of the DER, 32 bytes.
    case digest([UInt8])
  }

  let form: Form

  /// SHA-256 of its DER, where that is how it is known.
  package var digest: [UInt8]? { if case .digest(let digest) = form { digest } else { nil } }
  /// X.690 §10, where it is known whole.
  package var der: [UInt8]? { if case .whole(let der) = form { der } else { nil } }

  /// Whether this is the certificate.
  func matches(_ certificate: PresentedCertificate) -> Bool {
    switch form {
    case .whole(let der): der == certificate.der
    case .digest(let digest): digest == certificate.digest
    }
  }

  /// For people; the bytes of a whole certificate would tell them nothing.
  public var description: String {
    switch form {
    case .whole(let der): "certificate of \(der.count) bytes"
    case .digest(let digest): "certificate sha256/\(Base64.encode(digest))"
    }
  }
}
