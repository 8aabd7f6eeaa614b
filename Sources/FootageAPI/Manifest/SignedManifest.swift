internal import FootageDigest
internal import FootageBase

/// A manifest with its signature, byte for byte as it is served and kept: two lines, a JSON object and the base64 of
/// the signature (ECDSA with SHA-256, DER) over the first line without its line feed.
package struct SignedManifest: Hashable, Sendable {
  /// Both lines, with their line feeds.
  package let bytes: [UInt8]
  package let manifest: Manifest
  /// How many of the bytes are signed, from the first one on.
  private let signedCount: Int
  private let signature: [UInt8]

  /// Reads one, which anybody may have written. That it can be read says nothing of who signed it.
  ///
  /// - Throws: `ManifestError`: `.tooLong`, `.malformed`, `.badMember`, `.unsupportedFormat`, `.unsupportedKey`.
  package init(_ bytes: [UInt8]) throws(ManifestError) {
    guard bytes.count <= ManifestLimits.bytes else { throw .tooLong(limit: ManifestLimits.bytes) }
    let feed = UInt8(ascii: "\n")
    guard bytes.last == feed, let end = bytes.firstIndex(of: feed), end < bytes.count - 1 else {
      throw .malformed("it is not two lines")
    }
    let text = bytes[(end + 1)..<(bytes.count - 1)]
    guard text.count <= ManifestLimits.signature, !text.contains(feed),
      let signature = Base64.decode(String(decoding: text, as: UTF8.self)), !signature.isEmpty
    else { throw .malformed("its second line is not the base64 of a signature, and the last one") }
    manifest = try Manifest(json: Array(bytes[..<end]))
    self.bytes = bytes
    signedCount = end
    self.signature = signature
  }

  /// Signs one.
  ///
  /// - Parameter sign: gives the DER of a signature over these bytes, by the manifest's key.
  /// - Returns: both lines, which are to be read and verified before anybody gets them: a value that no reader would
  ///   take must not be kept.
  package static func bytes<Failure: Error>(
    of manifest: Manifest, signedBy sign: ([UInt8]) throws(Failure) -> [UInt8]
  ) throws(Failure) -> [UInt8] {
    let line = manifest.json
    let signature = try sign(line)
    return line + Array("\n\(Base64.encode(signature))\n".utf8)
  }

  /// Whether somebody with one of these keys has signed it. The key is compared before anything is done with it.
  ///
  /// - Returns: the one that has.
  /// - Throws: `ManifestError`: `.otherKey`, `.unsupportedKey`, `.badSignature`.
  @discardableResult
  package func verify(by pins: some Sequence<PublicKeyPin>) throws(ManifestError) -> PublicKeyPin {
    let pin = try manifest.pin
    guard pins.contains(pin) else { throw .otherKey(pin) }
    switch ECDSA.verify(signature, of: Array(bytes[..<signedCount]), by: manifest.key) {
    case .valid: return pin
    case .invalid: throw .badSignature
    case .unsupportedKey: throw .unsupportedKey
    }
  }
}
