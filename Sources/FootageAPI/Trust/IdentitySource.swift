/// The identity of the app as it is supplied: a private key with its certificate, not yet unlocked.

/// The app's own private key and certificate, as a file or the keychain holds them. Its description does not contain
/// the contents, which are secret.
///
/// The identity is opened, and its passphrase tried, only when it is used. The secret parts are overwritten in memory
/// when the last copy of this value is released. The text and the bytes that it was made from remain the caller's
/// responsibility.
public struct IdentitySource: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
  package enum Contents: Hashable, Sendable {
    /// A PKCS#12 file (RFC 7292) with its passphrase.
    case pkcs12([UInt8], passphrase: Secret)
    /// A PEM text with the certificate, its intermediate certificates and the private key, in any order. The key may be
    /// encrypted.
    case pem(Secret, passphrase: Secret?)
    /// An identity in the keychain of Apple's platforms.
    case keychain(KeychainItem)
  }

  /// A reference to one of the keychain's identities.
  package enum KeychainItem: Hashable, Sendable {
    /// The label (`kSecAttrLabel`).
    case label(String)
    /// The persistent reference (`kSecValuePersistentRef`).
    case persistentReference([UInt8])
  }

  package let contents: Contents

  /// Returns the identity in a PKCS#12 file (RFC 7292), such as `clients/NAME.p12`. The file is `Data` or an array of
  /// its bytes.
  public static func pkcs12(_ file: some Sequence<UInt8>, passphrase: String) -> IdentitySource {
    IdentitySource(contents: .pkcs12(Array(file), passphrase: Secret(passphrase)))
  }

  /// Returns the identity with this label in the keychain of Apple's platforms. The label is that of its certificate,
  /// usually the certificate's common name. If there are several, the keychain chooses one.
  public static func keychain(label: String) -> IdentitySource {
    IdentitySource(contents: .keychain(.label(label)))
  }

  /// Returns the identity in the keychain of Apple's platforms that has this reference. The keychain returned the
  /// reference when the identity was added (`kSecReturnPersistentRef`); it is `Data` or an array of its bytes.
  public static func keychain(persistentReference: some Sequence<UInt8>) -> IdentitySource {
    IdentitySource(contents: .keychain(.persistentReference(Array(persistentReference))))
  }

  /// Returns the identity in a PEM text (RFC 7468) with the certificate, its intermediate certificates and the private
  /// key, in any order. Apple's platforms do not open PEM (``IdentityFailure/pemNotSupported``).
  ///
  /// - Parameter passphrase: the passphrase, which is needed if the key is encrypted.
  public static func pem(_ text: some Collection<UInt8>, passphrase: String? = nil) -> IdentitySource {
    IdentitySource(contents: .pem(Secret(text), passphrase: passphrase.map { Secret($0) }))
  }

  public var description: String {
    switch contents {
    case .pkcs12: "a PKCS#12 identity"
    case .pem: "a PEM identity"
    case .keychain: "a keychain identity"
    }
  }

  public var customMirror: Mirror { Mirror(self, children: []) }
}
