internal import FootageBase

/// Why a manifest is none, or proves nothing.
package enum ManifestError: Error, Hashable, Sendable, CustomStringConvertible {
  /// It is longer than any manifest: in bytes.
  case tooLong(limit: Int)
  /// It is not two lines, each with its line feed, of which the second is base64.
  case malformed(String)
  /// A member is missing, of another kind, or contradicts another one.
  case badMember(String, reason: String)
  /// It has a format that a later program writes.
  case unsupportedFormat(Int)
  /// It is signed by a key that is not among those that are expected.
  case otherKey(PublicKeyPin)
  /// Its key is on no curve that manifests are signed with.
  case unsupportedKey
  /// It was signed by somebody else, or changed since.
  case badSignature

  package var description: String {
    switch self {
    case .tooLong(let limit): "it has more than \(limit) bytes, which no manifest has"
    case .malformed(let reason): "it is no manifest: \(reason)"
    case .badMember(let name, let reason): "its member \(name) \(reason)"
    case .unsupportedFormat(let number): "it has format \(number), which a later footage writes: update this one"
    case .otherKey(let pin):
      "it is signed by the key \(pin), which is none of those that are expected: another robot, or an earlier key"
    case .unsupportedKey: "its key is on neither P-256 nor P-384"
    case .badSignature: "its signature is not of these bytes: it was changed, or signed by somebody else"
    }
  }
}
