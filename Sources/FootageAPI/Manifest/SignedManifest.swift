internal import FootageDigest
internal import FootageBase

/// A manifest with its signature, byte for byte as it is served and stored. It has two lines: a JSON object, and the
/// base64 of the signature (ECDSA with SHA-256, DER) of the first line without its line feed.
package struct SignedManifest: Hashable, Sendable {
  /// The bytes of the manifest file's two lines, with their line feeds.
  package let bytes: [UInt8]
  package let manifest: Manifest
  /// The number of signed bytes, counted from the first one.
  private let signedCount: Int
  private let signature: [UInt8]

  /// Reads a manifest, which may come from anyone. A readable manifest is not verified yet: that is what `verify` does.
  ///
  /// - Throws: `ManifestError`: `.tooLong`, `.malformed`, `.badMember`, `.unsupportedFormat`, `.unsupportedKey`.
  package init(_ bytes: [UInt8]) throws(ManifestError) {
    guard bytes.count <= ManifestLimits.bytes else { throw .tooLong(limit: ManifestLimits.bytes) }
    let feed = UInt8(ascii: "\n")
    guard bytes.last == feed, let end = bytes.firstIndex(of: feed), end < bytes.count - 1 else {
      throw .malformed("it does not have two lines")
    }
    let text = bytes[(end + 1)..<(bytes.count - 1)]
    guard text.count <= ManifestLimits.signature, !text.contains(feed),
      let signature = Base64.decode(String(decoding: text, as: UTF8.self)), !signature.isEmpty
    else { throw .malformed("its second line is not a signature in base64, or not the last line") }
    manifest = try Manifest(json: Array(bytes[..<end]))
    self.bytes = bytes
    signedCount = end
    self.signature = signature
  }

  /// Signs a manifest.
  ///
  /// - Parameter sign: returns the DER of a signature of these bytes by the manifest's key.
  /// - Returns: both lines. Read and verify them before any other program gets them: a value that readers would reject
  ///   must not be stored.
  package static func bytes<Failure: Error>(
    of manifest: Manifest, signedBy sign: ([UInt8]) throws(Failure) -> [UInt8]
  ) throws(Failure) -> [UInt8] {
    let line = manifest.json
    let signature = try sign(line)
    return line + Array("\n\(Base64.encode(signature))\n".utf8)
  }

  /// Checks that the manifest is signed by one of these keys. The key is compared before anything is computed with it.
  ///
  /// - Returns: the pin of the key that signed the manifest.
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
