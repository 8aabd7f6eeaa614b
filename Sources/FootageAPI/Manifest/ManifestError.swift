internal import FootageBase

/// The reason why a manifest is invalid, or proves nothing.
package enum ManifestError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The manifest has more bytes than any valid one.
  case tooLong(limit: Int)
  /// The manifest is not two lines, each with its line feed, of which the first is a JSON object and the second is
  /// base64.
  case malformed(String)
  /// A member is missing, has the wrong type, or contradicts another one.
  case badMember(String, reason: String)
  /// The manifest has a format that a later program writes.
  case unsupportedFormat(Int)
  /// The manifest is signed by a key that is not among the expected ones.
  case otherKey(PublicKeyPin)
  /// The manifest's key is not on a curve that manifests are signed with.
  case unsupportedKey
  /// The signature is not by the manifest's key, or the manifest was changed after it was signed.
  case badSignature

  package var description: String {
    switch self {
    case .tooLong(let limit): "it has more than \(limit) bytes, the limit for a manifest"
    case .malformed(let reason): "it is not a valid manifest: \(reason)"
    case .badMember(let name, let reason): "its member \(name) \(reason)"
    case .unsupportedFormat(let number):
      "it has format \(number), which a newer version of footage writes: update this one"
    case .otherKey(let pin):
      "it is signed by the key \(pin), which is not an expected one: it is another robot's, or an earlier key"
    case .unsupportedKey: "its key is on neither P-256 nor P-384"
    case .badSignature: "its signature does not match its bytes: it was changed, or signed by someone else"
    }
  }
}
