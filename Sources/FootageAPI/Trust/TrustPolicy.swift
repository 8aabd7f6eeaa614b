/// Which server is the robot: one that has a pinned key, and nobody else.

/// Which server is taken for the robot. There is no policy that trusts everybody; one without pins trusts nobody.
public struct TrustPolicy: Hashable, Sendable {
  /// What becomes of a certificate outside its dates.
  public enum Dates: Hashable, Sendable {
    /// It is let pass with a word: a robot without a clock battery makes certificates in 1970.
    case warn
    /// It is not trusted.
    case enforce
  }

  /// Each of them is enough; several are the key of now and the next one.
  public let pins: [TrustPin]
  /// Nil is `warn` for a pinned key or certificate and `enforce` under an authority.
  public let dates: Dates?
  /// Whether the system's authorities are enough, too: never for a robot.
  package let trustsSystemAuthorities: Bool

  private init(pins: [TrustPin], dates: Dates?, trustsSystemAuthorities: Bool = false) {
    self.pins = pins
    self.dates = dates
    self.trustsSystemAuthorities = trustsSystemAuthorities
  }

  /// What a key has to be worth at least, as OpenSSL's security level 2 has it: with less, somebody may have computed
  /// the private key. RSA with 2048 bits is as much.
  package static let leastSecurityBits = 112

  /// Trusts who has one of these.
  ///
  /// - Parameters:
  ///   - pins: each of them is enough. Put the present key first and the next one behind it.
  ///   - dates: nil is `warn` for a pinned key or certificate and `enforce` under an authority.
  public static func pinned(_ pins: [TrustPin], dates: Dates? = nil) -> TrustPolicy {
    TrustPolicy(pins: pins, dates: dates)
  }

  /// Trusts who has one of these keys: what a pairing remembers, say.
  public static func pinned(keys: [PublicKeyPin], dates: Dates? = nil) -> TrustPolicy {
    pinned(keys.map(TrustPin.publicKey), dates: dates)
  }

  /// Trusts whom an authority of the system vouches for under the host name that was asked for, with dates enforced: for
  /// public servers, which are no robots.
  package static let systemAuthorities = TrustPolicy(pins: [], dates: .enforce, trustsSystemAuthorities: true)

  /// Judges what a server shows. The host name counts under an authority alone: a pinned key is nobody else's.
  ///
  /// - Parameters:
  ///   - host: the robot as it was asked for, for the words of a failure.
  ///   - now: seconds since 1970.
  ///   - authorityFinding: validates the path to an authority.
  /// - Returns: what was let pass.
  package func judge(
    _ certificate: PresentedCertificate, host: String, now: Int64,
    authorityFinding: (TrustAnchor, Dates) -> AuthorityFinding
  ) throws(TrustFailure) -> [TrustWarning] {
    func failure(_ reason: TrustFailure.Reason) -> TrustFailure {
      TrustFailure(reason, host: host, seen: certificate.publicKey, expected: pins)
    }
    guard !pins.isEmpty || trustsSystemAuthorities else { throw failure(.nobodyIsTrusted) }
    if pins.contains(where: { $0.names(certificate) }) {
      // What signed a pinned certificate does not count; whoever has its key does.
      guard certificate.securityBits >= Self.leastSecurityBits else {
        throw failure(.weak("its key is worth \(certificate.securityBits) bits"))
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
  /// Whether the pin is this very key or certificate; an authority is not.
  fileprivate func names(_ certificate: PresentedCertificate) -> Bool {
    switch self {
    case .publicKey(let pin): pin == certificate.publicKey
    case .certificate(let pinned): pinned.matches(certificate)
    case .authority: false
    }
  }
}
