/// What a server shows of itself, as far as trust depends on it.
package struct PresentedCertificate: Hashable, Sendable {
  /// X.690 §10.
  package let der: [UInt8]
  /// SHA-256 of the DER, 32 bytes.
  package let digest: [UInt8]
  package let publicKey: PublicKeyPin
  /// How hard it is to find the private key, as the exponent of a power of two (NIST SP 800-57 part 1, table 2): RSA
  /// with 2048 bits has 112, P-256 has 128.
  package let securityBits: Int
  /// First moment of validity, in seconds since 1970.
  package let notBefore: Int64
  /// Last moment of validity, in seconds since 1970.
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

/// What path validation under one authority came to (RFC 5280 §6, RFC 9525 §6 for the name).
package enum AuthorityFinding: Hashable, Sendable {
  /// Good; the warnings are about dates, where those only warn.
  case valid([TrustWarning])
  case otherHostName
  case outOfDate(TrustWarning)
  /// A key or a signature on the path can be forged; in OpenSSL's words.
  case weak(String)
  /// Not issued by this authority, or not for a server; in OpenSSL's words.
  case invalid(String)
}

/// Where the path from a server's certificate has to end.
package enum TrustAnchor: Hashable, Sendable {
  /// At this authority (DER).
  case certificate([UInt8])
  /// At one of those that the system has for everybody.
  case system
}

/// What is not right and was let pass.
public enum TrustWarning: Hashable, Sendable, CustomStringConvertible {
  /// Seconds since 1970.
  case expired(since: Int64)
  /// Seconds since 1970.
  case notYetValid(until: Int64)

  public var description: String {
    switch self {
    case .expired(let moment): "the robot's certificate expired on \(TrustFailure.day(moment))"
    case .notYetValid(let moment):
      "the robot's certificate is not valid before \(TrustFailure.day(moment)): this clock, or the robot's, is wrong"
    }
  }
}
