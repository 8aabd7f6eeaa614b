/// The identity of this client: a private key, its certificate, and the certificates between that and its authority.

internal import CFootageOpenSSL
package import FootageAPI

/// An opened identity. It no longer needs its passphrase, so that no key derivation is repeated.
///
/// It never changes after its creation, and OpenSSL counts its references atomically. That makes `@unchecked Sendable`
/// true.
@safe
package final class Identity: @unchecked Sendable {
  let certificate: Certificate
  private let key: PrivateKey
  /// The intermediate certificates without self-issued ones, which the server already has or does not want.
  private let intermediates: [Certificate]

  init(_ certificate: Certificate, _ key: PrivateKey, intermediates: [Certificate], now: Int64) throws(IdentityFailure)
  {
    guard key.belongs(to: certificate) else { throw .keyDoesNotBelong }
    guard now <= certificate.notAfter else { throw .expired(since: certificate.notAfter) }
    self.certificate = certificate
    self.key = key
    self.intermediates = intermediates.filter { !$0.isSelfIssued }
  }

  /// Opens an identity. Blocks while its keys are derived, which `IdentityLimits` limits to a few seconds.
  ///
  /// - Parameter now: seconds since 1970. An expired identity is rejected here; otherwise it would be rejected later,
  ///   with a less helpful message.
  package static func make(
    _ source: IdentitySource, now: Int64, limits: IdentityLimits = IdentityLimits()
  ) throws(IdentityFailure) -> Identity {
    ErrorQueue.clear()
    defer { ErrorQueue.clear() }
    switch source.contents {
    case .pkcs12(let bytes, let passphrase):
      return try PKCS12.identity(in: bytes, passphrase: passphrase, now: now, limits)
    case .pem(let text, let passphrase):
      return try PEMIdentity.identity(in: text, passphrase: passphrase, now: now, limits)
    case .keychain: throw .keychainRefused("this system has no keychain")
    }
  }

  /// Hands the key and the certificates to one connection.
  func present(on ssl: OpaquePointer) -> Bool {
    guard let chain = unsafe copenssl_certificates_new() else { return false }
    defer { unsafe copenssl_certificates_free(chain) }
    for intermediate in intermediates {
      unsafe X509_up_ref(intermediate.handle)
      guard unsafe copenssl_certificates_push(chain, intermediate.handle) > 0 else {
        unsafe X509_free(intermediate.handle)
        return false
      }
    }
    return unsafe SSL_use_cert_and_key(ssl, certificate.handle, key.handle, chain, 1) == 1
  }
}
