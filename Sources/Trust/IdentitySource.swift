/// Who the app is, as it comes: a private key with its certificate, still locked.

/// The app's own private key and certificate, as a file holds them. Prints without its contents, which are secret.
///
/// It is opened, and its passphrase tried, where it is used. What is secret in it is overwritten in memory when the
/// last copy of this value goes; the text and the bytes that it was made from stay their owner's.
public struct IdentitySource: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
  package enum Contents: Hashable, Sendable {
    /// RFC 7292.
    case pkcs12([UInt8], passphrase: Secret)
    /// The certificate, those between it and its authority, and the key, in any order; the key may be locked.
    case pem(Secret, passphrase: Secret?)
  }

  package let contents: Contents

  /// A PKCS#12 file (RFC 7292), `clients/NAME.p12` say; `Data` or an array of its bytes.
  public static func pkcs12(_ file: some Sequence<UInt8>, passphrase: String) -> IdentitySource {
    IdentitySource(contents: .pkcs12(Array(file), passphrase: Secret(passphrase)))
  }

  /// A PEM text (RFC 7468) with the certificate first, then those between it and its authority; the key is anywhere.
  ///
  /// - Parameter passphrase: needed where the key is locked.
  public static func pem(_ text: some Collection<UInt8>, passphrase: String? = nil) -> IdentitySource {
    IdentitySource(contents: .pem(Secret(text), passphrase: passphrase.map { Secret($0) }))
  }

  public var description: String {
    switch contents {
    case .pkcs12: "an identity as PKCS#12"
    case .pem: "an identity as PEM"
    }
  }

  public var customMirror: Mirror { Mirror(self, children: []) }
}
