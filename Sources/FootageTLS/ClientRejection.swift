/// The reason why a client may not connect, or may not stay connected.

internal import CFootageOpenSSL

/// A rejection of a client. Its `description` is for a log. The name in it is the client's own claim until its
/// authority is known.
package struct ClientRejection: Error, Hashable, Sendable, CustomStringConvertible {
  package enum Reason: Hashable, Sendable {
    /// A certificate is required, but none was shown.
    case noCertificate
    case revoked
    /// An authority between the certificate and the trusted authority was revoked.
    case authorityRevoked
    case expired
    case notYetValid
    /// No trusted authority issued the certificate.
    case unknownAuthority
    /// The certificate is not for clients; it may be a server's.
    case notForClients
    /// The authority's revocation list is missing, so it is unknown which clients it has revoked.
    case noRevocationList
    /// Another reason, in OpenSSL's words.
    case other(String)
  }

  package let reason: Reason
  /// The certificate as `serial 1F, CN alice`; nil if there was none.
  package let certificate: String?
  /// Advice for the operator, if more is known than the reason.
  package let hint: String?

  init(_ reason: Reason, _ certificate: Certificate?, hint: String? = nil) {
    self.reason = reason
    self.hint = hint
    self.certificate = certificate.map { certificate in
      "serial \(certificate.serialNumber)" + (certificate.commonName.map { ", CN \($0)" } ?? "")
    }
  }

  /// Creates the rejection for a failed verification. Its `certificate` is always the client's own, even if the fault
  /// is in another certificate of the chain.
  init(_ verification: OpaquePointer) {
    let error = unsafe X509_STORE_CTX_get_error(verification)
    let isLeaf = unsafe X509_STORE_CTX_get_error_depth(verification) == 0
    let reason: Reason =
      switch error {
      case X509_V_ERR_CERT_REVOKED: isLeaf ? .revoked : .authorityRevoked
      case X509_V_ERR_CERT_HAS_EXPIRED: .expired
      case X509_V_ERR_CERT_NOT_YET_VALID: .notYetValid
      case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT, X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY,
        X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE, X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT,
        X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN, X509_V_ERR_CERT_SIGNATURE_FAILURE, X509_V_ERR_CERT_UNTRUSTED:
        .unknownAuthority
      case X509_V_ERR_INVALID_PURPOSE: .notForClients
      case X509_V_ERR_UNABLE_TO_GET_CRL: .noRevocationList
      // Safe because the words are constants of the library.
      default: .other(unsafe String(cString: X509_verify_cert_error_string(Int(error))))
      }
    self.init(
      reason, unsafe X509_STORE_CTX_get0_cert(verification).map { unsafe Certificate(sharing: $0) },
      hint: unsafe Self.hint(verification, error))
  }

  /// Returns advice for a chain that ends below a known authority. Some clients send the intermediate certificate, and
  /// others do not.
  private static func hint(_ verification: OpaquePointer, _ error: CInt) -> String? {
    switch error {
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT, X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY,
      X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
      break
    default: return nil
    }
    let last = unsafe X509_STORE_CTX_get_current_cert(verification).map { unsafe Certificate(sharing: $0) }
    let issuer = last?.issuerCommonName.map { ", CN \($0)," } ?? ""
    return """
      the certificate of its issuing authority\(issuer) was not sent, and is not in client-ca.pem; if that authority \
      is yours, add its certificate to the client's .p12 or to client-ca.pem
      """
  }

  package var description: String {
    let words =
      switch reason {
      case .noCertificate: "no certificate"
      case .revoked: "revoked"
      case .authorityRevoked: "its authority was revoked"
      case .expired: "expired"
      case .notYetValid: "not yet valid"
      case .unknownAuthority: "unknown authority"
      case .notForClients: "not a certificate for clients"
      case .noRevocationList: "client-ca.crl has no list from its authority"
      case .other(let words): words
      }
    return (certificate.map { "\(words) (\($0))" } ?? words) + (hint.map { ": \($0)" } ?? "")
  }
}
