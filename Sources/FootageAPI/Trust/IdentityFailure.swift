/// The reason why the app cannot prove its identity, or is refused.

/// A problem with the app's own certificate. Its `description` is a sentence for people, with what to do.
public enum IdentityFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// The passphrase does not open the file.
  case wrongPassphrase
  /// The identity has no private key. It may contain certificates.
  case noKey
  /// The identity has no certificate. It may contain a private key.
  case noCertificate
  /// The private key belongs to another certificate.
  case keyDoesNotBelong
  /// The certificate has expired. The moment is in seconds since 1970.
  case expired(since: Int64)
  /// The identity is neither PKCS#12 nor PEM, or is damaged. The text is the description by OpenSSL or Security.
  case unreadable(String)
  /// Opening the identity takes more rounds of key derivation than this program makes for a file. For scrypt (RFC 7914
  /// §2) the number is N · r · p.
  case tooManyIterations(UInt64, limit: UInt64)
  /// Opening the identity takes more memory than this program spends on a file, for scrypt (RFC 7914 §2). Both numbers
  /// are bytes.
  case tooMuchMemory(UInt64, limit: UInt64)
  /// The identity is encrypted with RC2-40, which this machine's OpenSSL can open only with its legacy provider.
  case legacyCipher
  /// The identity is PEM, which Apple's platforms do not open.
  case pemNotSupported
  /// The keychain has no identity with this name, or no longer has it.
  case notInKeychain
  /// The keychain does not hand out the identity, for example while the device is locked. The text is Security's
  /// description. Linux has no keychain.
  case keychainRefused(String)
  /// The robot refused the identity. The text is that of its alert (RFC 8446 §6.2).
  case refused(String)
  /// The robot refuses clients without a certificate.
  case needed

  public var description: String {
    switch self {
    case .wrongPassphrase: "the passphrase does not open the identity: use the one with which it was exported"
    case .noKey: "the identity has no private key: export it again together with its key"
    case .noCertificate: "the identity has no certificate: export it again together with its certificate"
    case .keyDoesNotBelong:
      "the identity's private key belongs to another certificate: export the pair that was made together"
    case .expired(let moment):
      """
      the identity expired on \(TrustFailure.day(moment)), by this device's clock: if that day is still to come, set \
      the clock; if not, have a new identity made where the robot's client authority is kept
      """
    case .unreadable(let reason): "the identity cannot be read: \(reason)"
    case .tooManyIterations(let count, let limit):
      """
      opening the identity takes \(count) rounds of key derivation, but at most \(limit) are allowed: export it again \
      with fewer
      """
    case .tooMuchMemory(let bytes, let limit):
      """
      opening the identity takes \(bytes) bytes of memory, but at most \(limit) are allowed: export it again with a key       derivation that needs less
      """
    case .legacyCipher:
      "the identity is encrypted with RC2-40, an old cipher that is not supported here: export it again with AES-256"
    case .pemNotSupported: "the identity is PEM, which cannot be opened on this system: export it as PKCS#12 (.p12)"
    case .notInKeychain: "the identity is not in the keychain: install it again"
    case .keychainRefused(let reason): "the keychain does not release the identity: \(reason)"
    case .refused(let alert): "the robot does not accept the identity (\(alert)): \(Self.remedy(for: alert))"
    case .needed:
      """
      the robot requires a client certificate: have one made where its client authority is kept, and use it
      """
    }
  }

  /// Returns what to do about an alert. The alert says what the robot found, as far as the robot reveals it (RFC 8446
  /// §6.2).
  private static func remedy(for alert: String) -> String {
    let again = "have a new one made where this robot's client authority is kept"
    return switch alert {
    case _ where alert.contains("unknown ca"):
      """
      another robot's authority issued it, or the identity lacks the certificate of the intermediate authority: export \
      it again with the whole chain, or \(again)
      """
    case _ where alert.contains("revoked"): "it was revoked: \(again)"
    case _ where alert.contains("expired"): "it has expired by the robot's clock: check that clock, or \(again)"
    default: "it was revoked, or another robot's authority issued it; \(again)"
    }
  }
}
