internal import Foundation
internal import Security
internal import FootageAPI

/// Path validation of a server's certificate under one pinned authority, or under the system's authorities (RFC 5280
/// §6).
enum AuthorityTrust {
  /// Returns the result of validating a path under a pinned authority.
  ///
  /// - Parameters:
  ///   - chain: the certificates that the server sent, its own first. None of them is trusted by itself.
  ///   - leaf: the server's own certificate.
  ///   - now: the time in seconds since 1970.
  static func finding(
    _ chain: [SecCertificate], _ leaf: PresentedCertificate, under anchor: TrustAnchor, _ dates: TrustPolicy.Dates,
    host: String, now: Int64
  ) -> AuthorityFinding {
    var pinned: SecCertificate?
    if case .certificate(let der) = anchor {
      pinned = SecCertificateCreateWithData(nil, Data(der) as CFData)
      guard pinned != nil else { return .invalid("the pinned authority cannot be read") }
    }
    guard leaf.securityBits >= TrustPolicy.leastSecurityBits else {
      return .weak("its key has a strength of \(leaf.securityBits) bits")
    }
    let warning: TrustWarning? =
      if now > leaf.notAfter { .expired(since: leaf.notAfter) } else if now < leaf.notBefore {
        .notYetValid(until: leaf.notBefore)
      } else { nil }
    if let warning, dates == .enforce { return .outOfDate(warning) }
    // If dates only warn, the path is checked as of a moment at which the certificate was valid.
    let moment = warning == nil ? now : leaf.notBefore
    if let words = fault(in: chain, under: pinned, for: host, at: moment) {
      return fault(in: chain, under: pinned, for: nil, at: moment) == nil ? .otherHostName : .invalid(words)
    }
    return .valid(warning.map { [$0] } ?? [])
  }

  /// Validates the path once.
  ///
  /// - Parameters:
  ///   - anchor: the authority in which the path must end; nil for the authorities of the system.
  ///   - host: the name for which the certificate must be issued; nil for any host.
  /// - Returns: the fault of the path in Security's words; nil if the path is valid.
  private static func fault(
    in chain: [SecCertificate], under anchor: SecCertificate?, for host: String?, at moment: Int64
  ) -> String? {
    var trust: SecTrust?
    let policy = SecPolicyCreateSSL(true, host.map { $0 as CFString })
    // Safe because the trust is this call's own.
    let status = unsafe SecTrustCreateWithCertificates(chain as CFArray, policy, &trust)
    guard status == errSecSuccess, let trust else { return SecurityText.of(status) }
    var settings = [
      SecTrustSetNetworkFetchAllowed(trust, false),
      SecTrustSetVerifyDate(trust, Date(timeIntervalSince1970: TimeInterval(moment)) as CFDate),
    ]
    if let anchor {
      settings += [
        SecTrustSetAnchorCertificates(trust, [anchor] as CFArray), SecTrustSetAnchorCertificatesOnly(trust, true),
      ]
    }
    for status in settings where status != errSecSuccess { return SecurityText.of(status) }
    var error: CFError?
    // Safe because the error is this call's own.
    guard unsafe !SecTrustEvaluateWithError(trust, &error) else { return nil }
    return error.map { CFErrorCopyDescription($0) as String } ?? "it is not trusted"
  }
}
