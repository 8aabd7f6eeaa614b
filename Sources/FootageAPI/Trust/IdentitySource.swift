/// Who the app is, as it comes: a private key with its certificate, still locked.

/// The app's own private key and certificate, as a file or the keychain holds them. Prints without its contents, which
/// are secret.
///
/// It is opened, and its passphrase tried, where it is used. What is secret in it is overwritten in memory when the
/// last copy of this value goes; the text and the bytes that it was made from stay their owner's.
public struct IdentitySource: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
  package enum Contents: Hashable, Sendable {
    /// RFC 7292.
    case pkcs12([UInt8], passphrase: Secret)
    /// The certificate, those between it and its authority, and the key, in any order; the key may be locked.
    case pem(Secret, passphrase: Secret?)
    /// Of Apple's platforms.
    case keychain(KeychainItem)
  }

  /// Which of the keychain's identities.
  package enum KeychainItem: Hashable, Sendable {
    /// `kSecAttrLabel`.
    case label(String)
    /// `kSecValuePersistentRef`.
    case persistentReference([UInt8])
  }

  package let contents: Contents

  /// A PKCS#12 file (RFC 7292), `clients/NAME.p12` say; `Data` or an array of its bytes.
  public static func pkcs12(_ file: some Sequence<UInt8>, passphrase: String) -> IdentitySource {
    IdentitySource(contents: .pkcs12(Array(file), passphrase: Secret(passphrase)))
  }

  /// An identity that is in the keychain of Apple's platforms, by its label: that of its certificate, most often the
  /// certificate's common name. Where there are several, the keychain chooses one.
  public static func keychain(label: String) -> IdentitySource {
    IdentitySource(contents: .keychain(.label(label)))
  }

  /// An identity that is in the keychain of Apple's platforms, by the reference that was handed out when it was put
  /// there (`kSecReturnPersistentRef`); `Data` or an array of its bytes.
  public static func keychain(persistentReference: some Sequence<UInt8>) -> IdentitySource {
    IdentitySource(contents: .keychain(.persistentReference(Array(persistentReference))))
  }

  /// A PEM text (RFC 7468) with the certificate first, then those between it and its authority; the key is anywhere.
  /// Apple's platforms do not open it (``IdentityFailure/pemNotSupported``).
  ///
  /// - Parameter passphrase: needed where the key is locked.
  public static func pem(_ text: some Collection<UInt8>, passphrase: String? = nil) -> IdentitySource {
    IdentitySource(contents: .pem(Secret(text), passphrase: passphrase.map { Secret($0) }))
  }

  public var description: String {
    switch contents {
    case .pkcs12: "an identity as PKCS#12"
    case .pem: "an identity as PEM"
    case .keychain: "an identity of the keychain"
    }
  }

  public var customMirror: Mirror { Mirror(self, children: []) }
}
