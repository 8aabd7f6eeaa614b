internal import FootageBase

/// Reads certificates from files: PEM (RFC 7468) or DER.
enum CertificateText {
  private static let begin = Array("-----BEGIN CERTIFICATE-----".utf8)
  private static let end = Array("-----END CERTIFICATE-----".utf8)

  /// Returns the DER of the only certificate in the bytes; nil if there is none or more than one, or if the text is
  /// malformed.
  static func onlyCertificate(in bytes: [UInt8]) -> [UInt8]? {
    if isSequence(bytes) { return bytes }
    var rest = bytes[...]
    guard let first = next(&rest), next(&rest) == nil, isSequence(first) else { return nil }
    return first
  }

  /// Returns the DER of the first certificates in the bytes, up to the limit; an empty array if the text is malformed.
  static func certificates(in bytes: [UInt8], upTo limit: Int) -> [[UInt8]] {
    if isSequence(bytes) { return [bytes] }
    var rest = bytes[...]
    var certificates: [[UInt8]] = []
    while certificates.count < limit, position(of: begin, in: rest) != nil {
      guard let certificate = next(&rest), isSequence(certificate) else { return [] }
      certificates.append(certificate)
    }
    return certificates
  }

  /// Removes the next certificate from a PEM text and returns its DER.
  private static func next(_ rest: inout ArraySlice<UInt8>) -> [UInt8]? {
    guard let start = position(of: begin, in: rest) else { return nil }
    let body = rest[(start + begin.count)...]
    guard let stop = position(of: end, in: body) else { return nil }
    rest = body[(stop + end.count)...]
    let digits = body[..<stop].filter { $0 > 0x20 }
    return Base64.decode(String(decoding: digits, as: UTF8.self))
  }

  private static func position(of mark: [UInt8], in bytes: ArraySlice<UInt8>) -> Int? {
    guard bytes.count >= mark.count else { return nil }
    return (bytes.startIndex...(bytes.endIndex - mark.count)).first { bytes[$0...].starts(with: mark) }
  }

  /// Returns true if the bytes are exactly one DER SEQUENCE (X.690 §8.1.3), as every certificate is.
  private static func isSequence(_ bytes: [UInt8]) -> Bool {
    guard bytes.count >= 2, bytes[0] == 0x30 else { return false }
    guard bytes[1] >= 0x80 else { return bytes.count == 2 + Int(bytes[1]) }
    let lengthCount = Int(bytes[1] & 0x7F)
    guard (1...4).contains(lengthCount), bytes.count >= 2 + lengthCount else { return false }
    let length = bytes[2..<(2 + lengthCount)].reduce(0) { $0 << 8 | Int($1) }
    return bytes.count == 2 + lengthCount + length
  }
}
