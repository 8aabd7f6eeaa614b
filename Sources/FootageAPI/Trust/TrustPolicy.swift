/// The rule that decides which server is the robot: one that has a pinned key, and no other.

/// The rule that decides which server is accepted as the robot. No policy trusts every server, and a policy without
/// pins trusts no robot.
public struct TrustPolicy: Hashable, Sendable {
  /// The treatment of a certificate outside its dates.
  public enum Dates: Hashable, Sendable {
    /// The certificate is accepted with a warning, because a robot without a clock battery makes certificates dated
    /// 1970.
    case warn
    /// The certificate is not trusted.
    case enforce
  }

  /// The pins, each of which is sufficient. Several pins are usually the present key and the next one.
  public let pins: [TrustPin]
  /// The treatment of dates. Nil means `warn` for a pinned key or certificate and `enforce` under an authority.
  public let dates: Dates?
  /// True if the policy also trusts the system's authorities. It is false in every policy for a robot.
  package let trustsSystemAuthorities: Bool

  private init(pins: [TrustPin], dates: Dates?, trustsSystemAuthorities: Bool = false) {
    self.pins = pins
    self.dates = dates
    self.trustsSystemAuthorities = trustsSystemAuthorities
  }

  /// The least strength of a key, that of OpenSSL's security level 2. With less, an attacker could have computed the
  /// private key. RSA with 2048 bits has just this strength.
  package static let leastSecurityBits = 112

  /// Returns a policy that trusts a server with any of these pins.
  ///
  /// - Parameters:
  ///   - pins: the pins, each of which is sufficient. Put the present key first and the next one after it.
  ///   - dates: nil means `warn` for a pinned key or certificate and `enforce` under an authority.
  public static func pinned(_ pins: [TrustPin], dates: Dates? = nil) -> TrustPolicy {
    TrustPolicy(pins: pins, dates: dates)
  }

  /// Returns a policy that trusts a server with any of these keys, such as those that a pairing remembers.
  public static func pinned(keys: [PublicKeyPin], dates: Dates? = nil) -> TrustPolicy {
    pinned(keys.map(TrustPin.publicKey), dates: dates)
  }

  /// The policy that trusts a server if an authority of the system vouches for the requested host name, with dates
  /// enforced. It is for public servers, not for robots.
  package static let systemAuthorities = TrustPolicy(pins: [], dates: .enforce, trustsSystemAuthorities: true)

  /// Judges the certificate that a server presents. The host name counts only under an authority: a pinned key belongs
  /// to the robot alone.
  ///
  /// - Parameters:
  ///   - host: the robot's address as it was requested, for the text of a failure.
  ///   - now: the time in seconds since 1970.
  ///   - authorityFinding: validates the path to an authority.
  /// - Returns: the problems that were tolerated.
  package func judge(
    _ certificate: PresentedCertificate, host: String, now: Int64,
    authorityFinding: (TrustAnchor, Dates) -> AuthorityFinding
  ) throws(TrustFailure) -> [TrustWarning] {
    func failure(_ reason: TrustFailure.Reason) -> TrustFailure {
      TrustFailure(reason, host: host, seen: certificate.publicKey, expected: pins)
    }
    guard !pins.isEmpty || trustsSystemAuthorities else { throw failure(.nobodyIsTrusted) }
    if pins.contains(where: { $0.names(certificate) }) {
      // The signature on a pinned certificate does not matter: whoever has its key is the robot.
      guard certificate.securityBits >= Self.leastSecurityBits else {
        throw failure(.weak("its key has a strength of \(certificate.securityBits) bits"))
      }
      guard let warning = Self.warning(certificate, now: now) else { return [] }
      guard dates == .enforce else { return [warning] }
      throw failure(.outOfDate(warning))
    }
    var reason = TrustFailure.Reason.otherKey
    for anchor in anchors {
      switch authorityFinding(anchor, dates ?? .enforce) {
      case .valid(let warnings): return warnings
      case .otherHostName: reason = .otherHostName
      case .outOfDate(let warning): reason = .outOfDate(warning)
      case .weak(let words): reason = .weak(words)
      case .invalid(let words): if reason == .otherKey { reason = .notFromAuthority(words) }
      }
    }
    throw failure(reason)
  }

  private var anchors: [TrustAnchor] {
    pins.compactMap { if case .authority(let authority) = $0 { .certificate(authority.der) } else { nil } }
      + (trustsSystemAuthorities ? [.system] : [])
  }

  private static func warning(_ certificate: PresentedCertificate, now: Int64) -> TrustWarning? {
    if now > certificate.notAfter { return .expired(since: certificate.notAfter) }
    return now < certificate.notBefore ? .notYetValid(until: certificate.notBefore) : nil
  }
}

extension TrustPin {
  /// Returns true if the pin is exactly this key or certificate; false for an authority.
  fileprivate func names(_ certificate: PresentedCertificate) -> Bool {
    switch self {
    case .publicKey(let pin): pin == certificate.publicKey
    case .certificate(let pinned): pinned.matches(certificate)
    case .authority: false
    }
  }
}
