/// The certificate that a server presents, reduced to what trust depends on.
package struct PresentedCertificate: Hashable, Sendable {
  /// The certificate as DER (X.690 §10).
  package let der: [UInt8]
  /// The SHA-256 of the DER, 32 bytes.
  package let digest: [UInt8]
  package let publicKey: PublicKeyPin
  /// The difficulty of finding the private key, as the exponent of a power of two (NIST SP 800-57 part 1, table 2). RSA
  /// with 2048 bits has 112, P-256 has 128.
  package let securityBits: Int
  /// The first moment of validity, in seconds since 1970.
  package let notBefore: Int64
  /// The last moment of validity, in seconds since 1970.
  package let notAfter: Int64

  package init(
    der: [UInt8], digest: [UInt8], publicKey: PublicKeyPin, securityBits: Int, notBefore: Int64, notAfter: Int64
  ) {
    self.der = der
    self.digest = digest
    self.publicKey = publicKey
    self.securityBits = securityBits
    self.notBefore = notBefore
    self.notAfter = notAfter
  }
}

/// The result of path validation under one authority (RFC 5280 §6, and RFC 9525 §6 for the name).
package enum AuthorityFinding: Hashable, Sendable {
  /// The path is valid. The warnings are about dates that are wrong but tolerated.
  case valid([TrustWarning])
  case otherHostName
  case outOfDate(TrustWarning)
  /// A key or a signature on the path can be forged. The text is OpenSSL's description.
  case weak(String)
  /// The certificate was not issued by this authority, or is not for a server. The text is OpenSSL's description.
  case invalid(String)
}

/// The authority at the end of the path from a server's certificate.
package enum TrustAnchor: Hashable, Sendable {
  /// The path ends at this authority (DER).
  case certificate([UInt8])
  /// The path ends at one of the system's public authorities.
  case system
}

/// A problem that was tolerated.
public enum TrustWarning: Hashable, Sendable, CustomStringConvertible {
  /// The certificate has expired. The moment is in seconds since 1970.
  case expired(since: Int64)
  /// The certificate is not valid yet. The moment is in seconds since 1970.
  case notYetValid(until: Int64)

  public var description: String {
    switch self {
    case .expired(let moment): "the robot's certificate expired on \(TrustFailure.day(moment))"
    case .notYetValid(let moment):
      "the robot's certificate is not valid before \(TrustFailure.day(moment)): this clock, or the robot's, is wrong"
    }
  }
}
