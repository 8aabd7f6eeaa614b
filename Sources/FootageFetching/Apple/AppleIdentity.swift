internal import FootageDigest
internal import Foundation
internal import Security
package import FootageAPI

/// The app's own private key and certificate, opened.
///
/// Its parts never change, and Security may be called with them on any thread. That makes `@unchecked Sendable` true.
package final class AppleIdentity: @unchecked Sendable {
  let identity: SecIdentity
  /// The intermediate certificates, between the app's certificate and that of its authority.
  let intermediates: [SecCertificate]

  private init(_ identity: SecIdentity, intermediates: [SecCertificate]) {
    self.identity = identity
    self.intermediates = intermediates
  }

  /// Opens an identity. Blocks: for PKCS#12, during the key derivation, whose duration the creator of the file chose;
  /// for the keychain, until it answers.
  ///
  /// - Parameter now: the time in seconds since 1970.
  package static func open(_ source: IdentitySource, now: Int64) throws(IdentityFailure) -> AppleIdentity {
    let opened: AppleIdentity
    switch source.contents {
    case .pkcs12(let file, let passphrase): opened = try imported(file, passphrase)
    case .pem: throw .pemNotSupported
    case .keychain(let item): opened = try found(item)
    }
    guard let certificate = certificate(of: opened.identity) else { throw .noCertificate }
    guard let presented = RobotCheck.presented(certificate) else {
      throw .unreadable("its certificate is invalid: export it again")
    }
    guard now <= presented.notAfter else { throw .expired(since: presented.notAfter) }
    return opened
  }

  private static func certificate(of identity: SecIdentity) -> SecCertificate? {
    var certificate: SecCertificate?
    // Safe because the variable is this call's own.
    return unsafe SecIdentityCopyCertificate(identity, &certificate) == errSecSuccess ? certificate : nil
  }

  /// Returns the identity in the form that one handshake needs.
  func forHandshake() -> sec_identity_t? {
    intermediates.isEmpty
      ? sec_identity_create(identity) : sec_identity_create_with_certificates(identity, intermediates as CFArray)
  }

  // MARK: PKCS#12

  private static func imported(_ file: [UInt8], _ passphrase: Secret) throws(IdentityFailure) -> AppleIdentity {
    // Security accepts whatever number of rounds a file demands.
    try PKCS12Derivations.check(file)
    let words = unsafe passphrase.withBytes { unsafe String(decoding: $0, as: UTF8.self) }
    // Imported into memory alone: a Mac would put it into the user's keychain.
    let options: [String: Any] = [
      kSecImportExportPassphrase as String: words, kSecImportToMemoryOnly as String: true,
    ]
    var items: CFArray?
    // Safe because the variable is this call's own.
    let status = unsafe SecPKCS12Import(Data(file) as CFData, options as CFDictionary, &items)
    switch status {
    case errSecSuccess: break
    case errSecAuthFailed, errSecPkcs12VerifyFailure: throw .wrongPassphrase
    default: throw .unreadable(SecurityText.of(status))
    }
    for item in items as? [[String: Any]] ?? [] {
      guard let value = item[kSecImportItemIdentity as String], let identity = identity(value as CFTypeRef) else {
        continue
      }
      let chain = item[kSecImportItemCertChain as String] as? [SecCertificate] ?? []
      return AppleIdentity(identity, intermediates: Array(chain.dropFirst()))
    }
    throw .noKey
  }

  // MARK: The keychain

  private static func found(_ item: IdentitySource.KeychainItem) throws(IdentityFailure) -> AppleIdentity {
    let found: SecIdentity?
    switch item {
    case .label(let label): found = try labelled(label)
    case .persistentReference(let reference):
      found = try matches([
        kSecValuePersistentRef as String: Data(reference), kSecMatchLimit as String: kSecMatchLimitOne,
        kSecReturnRef as String: true,
      ]).flatMap(identity)
    }
    guard let found else { throw .notInKeychain }
    return AppleIdentity(found, intermediates: [])
  }

  /// Returns the identity with a label, or else one whose certificate has this name. It asks the keychain for every
  /// identity that the app may use. A Mac's keychain ignores the label in a query, because an identity has no label but
  /// its certificate's or its key's, and would return any identity.
  private static func labelled(_ label: String) throws(IdentityFailure) -> SecIdentity? {
    let result = try matches([
      kSecMatchLimit as String: kSecMatchLimitAll, kSecReturnRef as String: true,
      kSecReturnAttributes as String: true,
    ])
    let items = (result as? [[String: Any]] ?? []).compactMap { item -> (label: String?, identity: SecIdentity)? in
      guard let value = item[kSecValueRef as String], let identity = identity(value as CFTypeRef) else { return nil }
      return (item[kSecAttrLabel as String] as? String, identity)
    }
    return items.first { $0.label == label }?.identity ?? items.first { commonName(of: $0.identity) == label }?.identity
  }

  /// - Returns: nil if no identity matches.
  private static func matches(_ query: [String: Any]) throws(IdentityFailure) -> CFTypeRef? {
    let query = query.merging([kSecClass as String: kSecClassIdentity]) { own, _ in own }
    var result: CFTypeRef?
    // Safe because the variable is this call's own.
    let status = unsafe SecItemCopyMatching(query as CFDictionary, &result)
    switch status {
    case errSecSuccess: return result
    case errSecItemNotFound: return nil
    default: throw .keychainRefused(SecurityText.of(status))
    }
  }

  /// Returns the common name in an identity's certificate.
  private static func commonName(of identity: SecIdentity) -> String? {
    guard let certificate = certificate(of: identity) else { return nil }
    var name: CFString?
    // Safe because the variable is this call's own.
    return unsafe SecCertificateCopyCommonName(certificate, &name) == errSecSuccess ? name.map { $0 as String } : nil
  }

  /// Returns the value as an identity; nil if it is something else.
  private static func identity(_ value: CFTypeRef) -> SecIdentity? {
    guard CFGetTypeID(value) == SecIdentityGetTypeID() else { return nil }
    // Safe because the type was checked.
    return unsafe unsafeDowncast(value, to: SecIdentity.self)
  }
}
