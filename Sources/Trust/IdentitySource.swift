/// Who the app is, as it comes: a private key with its certificate, still locked.

/// Prints without its contents, which are secret.
public struct IdentitySource: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
  package enum Form: Hashable, Sendable {
    /// RFC 7292.
    case pkcs12([UInt8], passphrase: String)
    /// The certificate, those between it and its authority, and the key, in any order; the key may be locked.
    case pem([UInt8], passphrase: String?)
  }

  package let form: Form

  /// A file such as `scripts/gen-certs.sh --client NAME` makes.
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
