internal import FootageBase

/// Reads and writes a SubjectPublicKeyInfo as PEM (RFC 7468 §13), in the form of `openssl x509 -pubkey`.
enum PublicKeyText {
  private static let begin = "-----BEGIN PUBLIC KEY-----\n"
  private static let end = "-----END PUBLIC KEY-----\n"
  /// The number of characters in a full line (RFC 7468 §2).
  private static let lineLength = 64

  static func pem(_ key: [UInt8]) -> String {
    var text = begin
    var rest = Base64.encode(key)[...]
    while !rest.isEmpty {
      text += rest.prefix(lineLength) + "\n"
      rest = rest.dropFirst(lineLength)
    }
    return text + end
  }

  /// - Returns: nil if the text differs from what `pem` writes for the same bytes.
  static func key(_ text: String) -> [UInt8]? {
    guard text.utf8.count <= 2 * ManifestLimits.key, text.hasPrefix(begin), text.hasSuffix(end) else { return nil }
    let digits = text.utf8.dropFirst(begin.utf8.count).dropLast(end.utf8.count).filter { $0 != UInt8(ascii: "\n") }
    guard let key = Base64.decode(String(decoding: digits, as: UTF8.self)), pem(key) == text else { return nil }
    return key
  }
}
