/// The forms in which a pin can be given.
import Testing

@testable import FootageAPI

@Suite struct TrustPinTests {
  static let digest = [UInt8](0..<32)
  static let base64 = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
  static let hexadecimal = "000102030405060708090A0B0C0D0E0F101112131415161718191a1b1c1d1e1f"
  /// A SEQUENCE of three bytes. A pin examines nothing else of a certificate.
  static let der: [UInt8] = [0x30, 0x03, 0x02, 0x01, 0x07]
  static let pem = "text before\n-----BEGIN CERTIFICATE-----\nMAMC\nAQc=\n-----END CERTIFICATE-----\n"

  @Test func `a key's pin is read as the server prints it`() throws {
    #expect(try TrustPin.spki(" sha256/\(Self.base64)\n").description == "sha256/\(Self.base64)")
  }

  @Test(arguments: ["", "sha256/", "sha256/AAAA", "sha1/\(base64)", "sha256/\(base64)A", String(base64.dropLast(2))])
  func `what is no pin of a key is refused with what it has to be`(text: String) {
    #expect {
      try TrustPin.spki(text)
    } throws: {
      "\($0)" == "'\(text)' is not a valid pin of a public key: use sha256/ and 44 characters of base64"
    }
  }

  @Test(
    arguments: [
      "sha256/\(base64)", hexadecimal, hexadecimal.lowercased(),
      stride(from: 0, to: 64, by: 2).map { String(hexadecimal.dropFirst($0).prefix(2)) }.joined(separator: ":"),
    ])
  func `a certificate's digest is read in the forms in which tools print it`(text: String) throws {
    #expect(try TrustPin.certificate(digest: text) == .certificate(PinnedCertificate(form: .digest(Self.digest))))
  }

  @Test(arguments: ["", "00", hexadecimal + "00", "zz" + hexadecimal.dropFirst(2), String(hexadecimal.dropLast())])
  func `what is no digest is refused`(text: String) {
    #expect(throws: MalformedPin.self) { try TrustPin.certificate(digest: text) }
  }

  @Test func `a certificate is the same from PEM and from DER`() throws {
    #expect(try TrustPin.certificate(Self.der) == .certificate(PinnedCertificate(form: .whole(Self.der))))
    #expect(try TrustPin.certificate(Self.pem.utf8) == .certificate(PinnedCertificate(form: .whole(Self.der))))
    #expect(try TrustPin.authority(Self.pem.utf8) == .authority(PinnedAuthority(der: Self.der)))
  }

  @Test(
    arguments: [
      "", "garbage", pem + pem, "-----BEGIN CERTIFICATE-----\nMAMC\n",
      "-----BEGIN CERTIFICATE-----\nMA!C\n-----END CERTIFICATE-----",
      "-----BEGIN CERTIFICATE-----\nMAMCAQ==\n-----END CERTIFICATE-----",
    ])
  func `a file that is not exactly one certificate is refused`(text: String) {
    #expect(throws: MalformedPin.self) { try TrustPin.certificate(text.utf8) }
    #expect(throws: MalformedPin.self) { try TrustPin.authority(text.utf8) }
  }

  @Test(
    arguments: [
      [0x30], [0x31, 0x00], [0x30, 0x03, 0x02], [0x30, 0x80, 0x00], [0x30, 0x85, 0, 0, 0, 0, 0],
      [0x30, 0x03, 0x02, 0x01, 0x07, 0x00], [0x30, 0x82, 0x01],
    ] as [[UInt8]])
  func `DER that is cut off, or has more behind it, is refused`(bytes: [UInt8]) {
    #expect(throws: MalformedPin.self) { try TrustPin.certificate(bytes) }
  }
}
