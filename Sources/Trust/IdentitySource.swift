/// Who the app is, as it comes: a private key with its certificate, still locked.

/// The app's own private key and certificate, as a file holds them. Prints without its contents, which are secret.
///
/// It is opened, and its passphrase tried, where it is used.
public struct IdentitySource: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
  package enum Form: Hashable, Sendable {
    /// RFC 7292.
    case pkcs12([UInt8], passphrase: String)
    /// The certificate, those between it and its authority, and the key, in any order; the key may be locked.
    case pem([UInt8], passphrase: String?)
  }

  package let form: Form

  /// A PKCS#12 file (RFC 7292), `clients/NAME.p12` say; `Data` or an array of its bytes.
  public static func pkcs12(_ file: some Sequence<UInt8>, passphrase: String) -> IdentitySource {
    IdentitySource(form: .pkcs12(Array(file), passphrase: passphrase))
  }

  /// A PEM text (RFC 7468) with the certificate first, then those between it and its authority; the key is anywhere.
  ///
  /// - Parameter passphrase: needed where the key is locked.
  public static func pem(_ text: some Sequence<UInt8>, passphrase: String? = nil) -> IdentitySource {
    IdentitySource(form: .pem(Array(text), passphrase: passphrase))
  }

  public var description: String {
    switch form {
    case .pkcs12: "an identity as PKCS#12"
    case .pem: "an identity as PEM"
    }
  }

  public var customMirror: Mirror { Mirror(self, children: []) }
}
