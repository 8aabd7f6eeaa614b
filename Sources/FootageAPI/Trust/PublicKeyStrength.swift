/// The difficulty of finding the private key of a public key, as the exponent of a power of two (NIST SP 800-57 part
/// 1).
enum PublicKeyStrength {
  /// Returns the strength of a key.
  ///
  /// - Parameters:
  ///   - algorithm: the AlgorithmIdentifier of a SubjectPublicKeyInfo (RFC 5280 §4.1.1.2).
  ///   - key: the bytes of the key itself (`subjectPublicKey`).
  /// - Returns: 0 for a key of a kind that no robot has.
  static func bits(_ algorithm: DERReader.Element, _ key: ArraySlice<UInt8>) -> Int {
    var parts = algorithm.inside
    guard let kind = parts.next(DERReader.Tag.objectIdentifier) else { return 0 }
    switch Array(kind.contents) {
    case rsaEncryption, rsaPSS: return rsa(key)
    case ecPublicKey:
      // A curve without a name could have parameters that an attacker has chosen.
      guard let curve = parts.next(DERReader.Tag.objectIdentifier) else { return 0 }
      return curves.first { $0.identifier.elementsEqual(curve.contents) }?.bits ?? 0
    case ed25519: return 128
    case ed448: return 224
    default: return 0
    }
  }

  // RFC 3279 §2.3.1 and §2.3.5, RFC 4055 §1.2, RFC 8410 §3.
  private static let rsaEncryption: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01]
  private static let rsaPSS: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x0A]
  private static let ecPublicKey: [UInt8] = [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01]
  private static let ed25519: [UInt8] = [0x2B, 0x65, 0x70]
  private static let ed448: [UInt8] = [0x2B, 0x65, 0x71]

  /// The curves (RFC 5480 §2.1.1.1 and SEC 2 §A.2), each with its strength: half the number of bits of its order, as in
  /// OpenSSL.
  private static let curves: [(identifier: [UInt8], bits: Int)] = [
    ([0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07], 128),  // P-256
    ([0x2B, 0x81, 0x04, 0x00, 0x22], 192),  // P-384
    ([0x2B, 0x81, 0x04, 0x00, 0x23], 256),  // P-521
    ([0x2B, 0x81, 0x04, 0x00, 0x21], 112),  // P-224
    ([0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x01], 80),  // P-192
    ([0x2B, 0x81, 0x04, 0x00, 0x0A], 128),  // secp256k1
  ]

  /// Returns the strength of an RSA key. The modulus is the first number in the key (RFC 8017 §A.1.1).
  private static func rsa(_ key: ArraySlice<UInt8>) -> Int {
    var outer = DERReader(key)
    guard let numbers = outer.next(DERReader.Tag.sequence) else { return 0 }
    var inside = numbers.inside
    guard let modulus = inside.next(DERReader.Tag.integer) else { return 0 }
    let digits = modulus.contents.drop { $0 == 0 }
    guard let first = digits.first, modulus.contents.first.map({ $0 < 0x80 }) == true else { return 0 }
    let length = digits.count * 8 - first.leadingZeroBitCount
    return moduli.last { length >= $0.length }?.bits ?? 0
  }

  /// The least length of a modulus in bits for each strength: NIST SP 800-56B rev. 2, appendix D, rounded to a multiple
  /// of eight as OpenSSL does.
  private static let moduli: [(length: Int, bits: Int)] = [
    (16, 8), (41, 16), (81, 24), (138, 32), (213, 40), (308, 48), (425, 56), (566, 64), (729, 72), (920, 80),
    (1137, 88), (1383, 96), (1657, 104), (1963, 112), (2301, 120), (2671, 128), (3076, 136), (3514, 144), (3991, 152),
    (4502, 160), (5054, 168), (5642, 176), (6274, 184), (6947, 192), (7681, 200), (8418, 208), (9216, 216),
    (10064, 224), (10953, 232), (11893, 240), (12877, 248), (13914, 256), (15361, 264), (16132, 272),
  ]
}
