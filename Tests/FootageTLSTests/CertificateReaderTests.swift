/// Footage's own certificate reader, compared with OpenSSL's.
import CFootageOpenSSL
import Foundation
import LinuxTestSupport
import Testing
import FootageAPI

@testable import FootageTLS

@Suite struct CertificateReaderTests {
  static func sha256(_ bytes: [UInt8]) -> [UInt8] {
    var digest = [UInt8](repeating: 0, count: 32)
    EVP_Digest(bytes, bytes.count, &digest, nil, EVP_sha256(), nil)
    return digest
  }

  static func read(_ der: [UInt8]) -> PresentedCertificate? { PresentedCertificate(der: der, sha256: sha256) }

  /// Returns the certificate as OpenSSL reads it; nil if OpenSSL reads none.
  static func openSSL(_ der: [UInt8]) -> PresentedCertificate? {
    guard let certificate = Certificate.der(der), let pin = certificate.publicKeyPin else { return nil }
    var digest = [UInt8](repeating: 0, count: 32)
    X509_digest(certificate.handle, EVP_sha256(), &digest, nil)
    let key = X509_get0_pubkey(certificate.handle)
    return PresentedCertificate(
      der: der, digest: digest, publicKey: pin, securityBits: key == nil ? 0 : Int(EVP_PKEY_get_security_bits(key)),
      notBefore: certificate.notBefore, notAfter: certificate.notAfter)
  }

  /// Returns true if OpenSSL writes the key exactly as it is in the certificate. If an algorithm's parameters are
  /// damaged, OpenSSL writes different ones and hashes those. The reader under test hashes the bytes in the
  /// certificate, which match no robot's pin.
  private static func isKeyWrittenAsItStands(_ der: [UInt8]) -> Bool {
    guard let certificate = Certificate.der(der) else { return false }
    var written: UnsafeMutablePointer<UInt8>?
    let count = i2d_X509_PUBKEY(X509_get_X509_PUBKEY(certificate.handle), &written)
    guard count > 0, let written else { return false }
    defer { CRYPTO_free(written, nil, 0) }
    return der.contains(Array(UnsafeBufferPointer(start: written, count: Int(count))))
  }

  private static let keys: [MintedKey] =
    [
      NID_X9_62_prime256v1, NID_secp384r1, NID_secp521r1, NID_secp224r1, NID_X9_62_prime192v1, NID_secp256k1,
    ].map { .elliptic($0) } + [.edwards(EVP_PKEY_ED25519), .edwards(EVP_PKEY_ED448), .rsa(2048, EVP_PKEY_RSA_PSS)]
    + [512, 1023, 1024, 1536, 2047, 2048, 2049, 2560, 3072].map { .rsa($0) }

  /// Returns a time as `YYMMDDHHMMSSZ`, or with four digits of the year.
  private static func moment(_ random: inout SeededGenerator) -> String {
    let isShort = Bool.random(using: &random)
    let year = isShort ? Int.random(in: 1950...2049, using: &random) : Int.random(in: 1...9999, using: &random)
    let month = Int.random(in: 1...12, using: &random)
    let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    let days = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1]
    // Calendars differ in the last day of a month.
    let day = Bool.random(using: &random) ? days : Int.random(in: 1...days, using: &random)
    let rest = String(
      format: "%02d%02d%02d%02d%02dZ", month, day, Int.random(in: 0...23, using: &random),
      Int.random(in: 0...59, using: &random), Int.random(in: 0...59, using: &random))
    return isShort ? String(format: "%02d", year % 100) + rest : String(format: "%04d", year) + rest
  }

  @Test func `thousands of certificates are read as OpenSSL reads them`() throws {
    var random = SeededGenerator(seed: TestRun.seed(of: "certificates"))
    let signer = MintedKey.elliptic(NID_X9_62_prime256v1)
    for number in 0..<(TestRun.isSoaking ? 50_000 : 4_000) {
      let plan = MintedCertificate.Plan(
        version: Int.random(in: 0...2, using: &random), notBefore: Self.moment(&random),
        notAfter: Self.moment(&random), extensionCount: Int.random(in: 0...8, using: &random),
        nameCount: Int.random(in: 0...4, using: &random))
      let key = Self.keys[number % Self.keys.count]
      let der = MintedCertificate.der(of: key, signedBy: signer, plan, &random)
      let expected = try #require(Self.openSSL(der), "\(plan)")
      #expect(Self.read(der) == expected, "\(plan): \(der)")
    }
  }

  @Test func `the certificates of robots are read`() throws {
    for name in ["robot", "twin", "root", "middle", "issued", "alice"] {
      let certificate = try #require(try Certificate.all(inPEM: try Material.file("\(name).pem"), what: name).first)
      #expect(Self.read(certificate.der) == Self.openSSL(certificate.der))
      #expect(Self.read(certificate.der) != nil)
    }
  }

  /// Each byte of some certificates in turn is changed, removed or doubled.
  @Test func `what it reads in a damaged certificate is what OpenSSL reads in it`() throws {
    var random = SeededGenerator(seed: TestRun.seed(of: "damaged certificates"))
    let signer = MintedKey.elliptic(NID_X9_62_prime256v1)
    var readCount = 0
    for key in [Self.keys[0], Self.keys[6], Self.keys[14]] {
      let der = MintedCertificate.der(
        of: key, signedBy: signer, .init(notAfter: "20500101000000Z", extensionCount: 1, nameCount: 1), &random)
      for index in der.indices {
        var damaged = der
        switch Int.random(in: 0..<4, using: &random) {
        case 0: damaged.remove(at: index)
        case 1: damaged.insert(damaged[index], at: index)
        default: damaged[index] = UInt8.random(in: 0...255, using: &random)
        }
        guard let read = Self.read(damaged), let expected = Self.openSSL(damaged) else { continue }
        readCount += 1
        // OpenSSL checks that a key is possible; here, the peer must prove that it has the key.
        #expect(read.publicKey == expected.publicKey || !Self.isKeyWrittenAsItStands(damaged), "\(damaged)")
        #expect(read.digest == expected.digest, "\(damaged)")
        #expect(read.notBefore == expected.notBefore && read.notAfter == expected.notAfter, "\(damaged)")
      }
    }
    #expect(readCount > 100)
  }

  // MARK: Invalid certificates

  /// Returns a certificate of version 3 in which one element, at a path from the outermost one, is replaced.
  private static func certificate(
    _ path: [Int], _ change: ([DERTree], Int) -> [DERTree], version: Int = 2
  ) throws -> [UInt8] {
    var random = SeededGenerator(seed: 1)
    let key = MintedKey.elliptic(NID_X9_62_prime256v1)
    let der = MintedCertificate.der(of: key, signedBy: key, .init(version: version), &random)
    func changed(_ tree: DERTree, _ path: ArraySlice<Int>) -> DERTree {
      guard case .constructed(let tag, let children) = tree, let index = path.first else { return tree }
      guard path.count > 1 else { return .constructed(tag, change(children, index)) }
      var others = children
      others[index] = changed(children[index], path.dropFirst())
      return .constructed(tag, others)
    }
    return changed(try #require(DERTree(der)), path[...]).bytes
  }

  private static func replacing(_ other: DERTree) -> ([DERTree], Int) -> [DERTree] {
    { children, index in
      var children = children
      children[index] = other
      return children
    }
  }

  private static func time(_ text: String, _ tag: UInt8 = 0x17) -> ([DERTree], Int) -> [DERTree] {
    replacing(.primitive(tag, Array(text.utf8)))
  }

  @Test func `an untouched one is a certificate`() throws {
    #expect(Self.read(try Self.certificate([0, 0]) { children, _ in children }) != nil)
  }

  @Test(arguments: 0..<8) func `a certificate without one of its fields is none`(field: Int) throws {
    // Without its version it would be of version 1, which has no extensions.
    let der = try Self.certificate([0, field]) { children, index in
      Array(children[..<index]) + Array(children[(index + 1)...])
    }
    #expect((Self.read(der) == nil) == (field != 7))
  }

  @Test func `what stands behind the last field, the key or the dates makes it none`() throws {
    let more = DERTree.primitive(0x05, [])
    for path in [[0], [0, 0], [0, 4, 0], [0, 6, 0]] {
      #expect(Self.read(try Self.certificate(path) { children, _ in children + [more] }) == nil, "\(path)")
    }
    let whole = try Self.certificate([0]) { children, _ in children }
    #expect(Self.read(whole + [0]) == nil)
    #expect(Self.read(Array(whole.dropLast())) == nil)
  }

  @Test(arguments: [
    "2501010000Z", "250101000000", "250101000000+0100", "251301000000Z", "250229000000Z", "250101240000Z",
    "250101006000Z", "250101000060Z", "25010100000 Z", "250101000000z", "", "Z", "20250101000000Z",
  ])
  func `a date that is not as RFC 5280 has it makes it none`(text: String) throws {
    #expect(Self.read(try Self.certificate([0, 4, 0], Self.time(text))) == nil)
  }

  @Test(arguments: [
    "250101000000Z", "202501010000Z", "20250101000000.5Z", "20250101000000+0000", "00000101000000Z", "20250101000060Z",
  ])
  func `a long date that is not as RFC 5280 has it makes it none`(text: String) throws {
    #expect(Self.read(try Self.certificate([0, 4, 1], Self.time(text, 0x18))) == nil)
  }

  @Test func `a date is read to the second`() throws {
    let der = try Self.certificate([0, 4, 0], Self.time("700101000001Z"))
    #expect(Self.read(der)?.notBefore == 1)
    let long = try Self.certificate([0, 4, 1], Self.time("99991231235959Z", 0x18))
    #expect(Self.read(long)?.notAfter == 253_402_300_799)
  }

  @Test func `a version that nobody has defined makes it none`() throws {
    for version: [UInt8] in [[3], [0xFF], [0, 2], []] {
      #expect(Self.read(try Self.certificate([0, 0, 0], Self.replacing(.primitive(0x02, version)))) == nil)
    }
  }

  @Test func `lengths that DER does not have make it none`() throws {
    let der = try Self.certificate([0, 0]) { children, _ in children }
    // The outermost length has two bytes.
    #expect(der[1] == 0x82)
    #expect(Self.read([0x30, 0x83, 0] + der[2...]) == nil)
    #expect(Self.read([0x30, 0x80] + der[4...] + [0, 0]) == nil)
    #expect(Self.read([0x30, 0x85, 0, 0, 0] + der[2...]) == nil)
    #expect(Self.read([0x30, 0xFF] + der[2...]) == nil)
    #expect(Self.read([0x30, 0x84, 0xFF, 0xFF, 0xFF, 0xFF] + der[4...]) == nil)
    for bytes: [UInt8] in [[], [0x30], [0x30, 0x82], [0x30, 0x82, 1], [0x1F, 0x00], [0x30, 0x00]] {
      #expect(Self.read(bytes) == nil, "\(bytes)")
    }
  }

  @Test func `a certificate of more than 64 KiB is none`() throws {
    let long = DERTree.primitive(0x0C, [UInt8](repeating: 0x61, count: 70_000))
    #expect(Self.read(try Self.certificate([0, 5, 0], Self.replacing(long))) == nil)
    let shorter = DERTree.primitive(0x0C, [UInt8](repeating: 0x61, count: 60_000))
    #expect(Self.read(try Self.certificate([0, 5, 0], Self.replacing(shorter))) != nil)
  }

  @Test func `a key whose curve has no name is worth nothing`() throws {
    let der = try Self.certificate([0, 6, 0, 1], Self.replacing(.constructed(0x30, [.primitive(0x02, [1])])))
    #expect(Self.read(der)?.securityBits == 0)
  }
}
