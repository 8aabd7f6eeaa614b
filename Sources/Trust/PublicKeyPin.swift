/// The name of a public key: SHA-256 of its SubjectPublicKeyInfo (RFC 7469 §2.4, without the header around it).

internal import Formats

/// The pin of a public key: SHA-256 of its SubjectPublicKeyInfo. It goes where its certificate goes: it is no secret.
public struct PublicKeyPin: Hashable, Sendable, CustomStringConvertible {
  /// 32 bytes.
  public let digest: [UInt8]

  /// - Returns: nil unless there are 32 bytes.
  public init?(digest: [UInt8]) {
    guard digest.count == 32 else { return nil }
    self.digest = digest
  }

  /// Reads `sha256/` and 44 characters of base64, with or without blanks and a newline around them.
  public init?(_ text: String) {
    let isBlank: (UInt8) -> Bool = { $0 == 0x20 || (0x09...0x0D).contains($0) }
    let trimmed = text.utf8.drop(while: isBlank).reversed().drop(while: isBlank).reversed()
    let prefix = Array("sha256/".utf8)
    guard trimmed.starts(with: prefix),
      let digest = Base64.decode(String(decoding: Array(trimmed.dropFirst(prefix.count)), as: UTF8.self))
    else { return nil }
    self.init(digest: digest)
  }

  /// `sha256/` and base64.
  public var description: String { "sha256/\(Base64.encode(digest))" }
}
