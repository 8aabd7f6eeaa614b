/// The name of a public key: the SHA-256 of its SubjectPublicKeyInfo (RFC 7469 §2.4, without the header around it).

internal import FootageBase

/// The pin of a public key: the SHA-256 of its SubjectPublicKeyInfo. Anyone who sees the certificate can compute it, so
/// it is not a secret.
public struct PublicKeyPin: Hashable, Sendable, CustomStringConvertible {
  /// The 32 bytes of the digest.
  public let digest: [UInt8]

  /// - Returns: nil unless the digest has 32 bytes.
  public init?(digest: [UInt8]) {
    guard digest.count == 32 else { return nil }
    self.digest = digest
  }

  /// Reads `sha256/` and 44 characters of base64, with or without whitespace around them.
  ///
  /// It also reads the forms that other programs use: `sha256//…` (curl), and base64 alone. The base64 may use the URL
  /// alphabet (RFC 4648 §5) and may lack its padding. A pin may also be 64 hexadecimal digits, with or without colons.
  public init?(_ text: String) {
    let isBlank: (UInt8) -> Bool = { $0 == 0x20 || (0x09...0x0D).contains($0) }
    let trimmed = Array(text.utf8.drop(while: isBlank).reversed().drop(while: isBlank).reversed())
    let prefix = Array("sha256/".utf8)
    guard trimmed.starts(with: prefix) else {
      guard let digest = Self.digest(trimmed[...]) else { return nil }
      self.init(digest: digest)
      return
    }
    let rest = trimmed.dropFirst(prefix.count)
    // A digest may itself begin with a slash, so that curl's second slash is tried last.
    let isInCurlForm = rest.first == UInt8(ascii: "/")
    guard let digest = Self.digest(rest) ?? (isInCurlForm ? Self.digest(rest.dropFirst()) : nil) else { return nil }
    self.init(digest: digest)
  }

  /// The length of a digest in bytes.
  private static let digestLength = 32

  private static func digest(_ text: ArraySlice<UInt8>) -> [UInt8]? {
    var letters = text.map { letter -> UInt8 in
      switch letter {
      case UInt8(ascii: "-"): UInt8(ascii: "+")
      case UInt8(ascii: "_"): UInt8(ascii: "/")
      default: letter
      }
    }
    // 43 letters hold 258 bits.
    if letters.count == 43 { letters.append(UInt8(ascii: "=")) }
    if let digest = Base64.decode(String(decoding: letters, as: UTF8.self)), digest.count == digestLength {
      return digest
    }
    let digits = text.filter { $0 != UInt8(ascii: ":") }.compactMap(Hexadecimal.value)
    guard digits.count == 2 * digestLength, text.count == digits.count || text.count == 3 * digestLength - 1 else {
      return nil
    }
    return (0..<digestLength).map { digits[2 * $0] << 4 | digits[2 * $0 + 1] }
  }

  /// The pin as `sha256/` and base64.
  public var description: String { "sha256/\(Base64.encode(digest))" }
}
