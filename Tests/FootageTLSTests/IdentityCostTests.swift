/// The work that a file demands to be opened is checked against limits before any of it is done.
import CFootageOpenSSL
import Foundation
import FootageSystem
import LinuxTestSupport
import Testing
import FootageAPI

@testable import FootageTLS

@Suite(.offThePool, .timeLimit(.minutes(1))) struct IdentityCostTests {
  /// A number of rounds that no tool uses by itself, so that it can be found in the file.
  private static let rounds = 4321
  private static let roundsContent: [UInt8] = [0x10, 0xE1]

  private static let made: Result<TemporaryFolder, any Error> = Result {
    let folder = try TemporaryFolder()
    for name in ["alice.key", "alice.pem"] {
      try Data(try Material.file(name)).write(to: URL(fileURLWithPath: folder.path(name)))
    }
    let export = "openssl pkcs12 -export -inkey alice.key -in alice.pem -passout pass:open -iter \(rounds)"
    let lock = "openssl pkcs8 -topk8 -in alice.key -passout pass:open"
    for command in [
      "\(export) -out modern.p12",
      "\(export) -certpbe PBE-SHA1-3DES -keypbe PBE-SHA1-3DES -macalg sha1 -out apple.p12",
      "\(lock) -iter \(rounds) -outform DER -out locked.der", "\(lock) -iter \(rounds) -out locked.key",
      "\(lock) -v1 PBE-SHA1-3DES -iter \(rounds) -outform DER -out locked-v1.der",
      "\(lock) -scrypt -scrypt_N 1024 -scrypt_r 8 -scrypt_p 2 -out scrypt.key",
    ] {
      _ = try Command("sh", "-c", "cd \(folder.location) && \(command)").successfulOutput()
    }
    return folder
  }

  private static func file(_ name: String) throws -> [UInt8] {
    Array(try Data(contentsOf: URL(fileURLWithPath: try made.get().path(name))))
  }

  private static func failure(
    _ source: IdentitySource, _ change: (inout IdentityLimits) -> Void = { _ in }
  ) throws -> IdentityFailure? {
    var limits = IdentityLimits()
    change(&limits)
    do throws(IdentityFailure) {
      _ = try Identity.make(source, now: Clock.system.unixSeconds, limits: limits)
      return nil
    } catch { return error }
  }

  private static func p12(_ bytes: [UInt8], _ passphrase: String = "open") -> IdentitySource {
    .pkcs12(bytes, passphrase: passphrase)
  }

  /// Returns DER as PEM, together with the certificate.
  private static func pem(_ der: [UInt8], as label: String) throws -> IdentitySource {
    let text = Data(der).base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
    let block = "-----BEGIN \(label)-----\n\(text)\n-----END \(label)-----\n"
    return .pem(try file("alice.pem") + Array(block.utf8), passphrase: "open")
  }

  /// Contents of an INTEGER, and the numbers that are reported for them.
  private static let outrageous: [(content: [UInt8], shown: UInt64)] = [
    ([0x0F, 0x42, 0x41], 1_000_001), ([0x7F, 0xFF, 0xFF, 0xFF], 0x7FFF_FFFF),
    ([0x00, 0xFF, 0xFF, 0xFF, 0xFF], 0xFFFF_FFFF), ([0x01, 0x00, 0x00, 0x00, 0x01], 0x1_0000_0001),
    ([0x00] + [UInt8](repeating: 0xFF, count: 8), .max), ([0x01] + [UInt8](repeating: 0, count: 20), .max),
    ([0xFF], .max),
  ]

  @Test(arguments: ["modern.p12", "apple.p12"])
  func `no rounds of a PKCS#12, be it those of a part, of the key or of the digest, are made where they are too many`(
    name: String
  ) throws {
    let bytes = try Self.file(name)
    #expect(try Self.failure(Self.p12(bytes)) == nil)
    let tree = required(DERTree(bytes))
    #expect(tree.bytes == bytes)
    for (content, shown) in Self.outrageous {
      for number in 0..<3 {
        var changed = tree
        #expect(changed.replaceInteger(Self.roundsContent, number: number, by: content) == 3)
        // The error also does not reveal if the passphrase is right.
        for passphrase in ["open", "wrong"] {
          #expect(
            try Self.failure(Self.p12(changed.bytes, passphrase)) == .tooManyIterations(shown, limit: 1_000_000),
            "\(number)")
        }
      }
    }
  }

  private static func seen(_ file: [UInt8], _ change: (inout IdentityLimits) -> Void = { _ in }) -> IdentityFailure? {
    var limits = IdentityLimits()
    change(&limits)
    do throws(IdentityFailure) { try PKCS12Derivations.check(file, limits) } catch { return error }
    return nil
  }

  /// The check for systems that open PKCS#12 themselves.
  @Test(arguments: ["modern.p12", "apple.p12"])
  func `the rounds of a PKCS#12 are seen before anybody opens it`(name: String) throws {
    let bytes = try Self.file(name)
    let rounds = UInt64(Self.rounds)
    #expect(Self.seen(bytes) == nil)
    #expect(Self.seen(bytes) { $0.iterations = rounds - 1 } == .tooManyIterations(rounds, limit: rounds - 1))
    #expect(Self.seen(bytes) { $0.iterationsInAll = 3 * rounds } == nil)
    #expect(
      Self.seen(bytes) { $0.iterationsInAll = 3 * rounds - 1 }
        == .tooManyIterations(3 * rounds, limit: 3 * rounds - 1))
    let tree = required(DERTree(bytes))
    for (content, shown) in Self.outrageous {
      for number in 0..<3 {
        var changed = tree
        changed.replaceInteger(Self.roundsContent, number: number, by: content)
        #expect(Self.seen(changed.bytes) == .tooManyIterations(shown, limit: 1_000_000), "\(number)")
      }
    }
    for length in 0..<bytes.count {
      // The elements' lengths extend beyond the end.
      if length > 0 { #expect(Self.seen(Array(bytes.prefix(length))) != nil, "\(length)") }
    }
  }

  @Test func `rounds are seen in whatever form of BER they are written`() {
    let parameters: [UInt8] = [0x04, 2, 7, 7, 0x02, 4, 0x7F, 0xFF, 0xFF, 0xFF]
    let failure = IdentityFailure.tooManyIterations(0x7FFF_FFFF, limit: 1_000_000)
    let forms: [[UInt8]] = [
      [0x30, 10] + parameters, [0x30, 0x81, 10] + parameters, [0x30, 0x84, 0, 0, 0, 10] + parameters,
      [0x30, 0x80] + parameters + [0, 0], [0x30, 0x80, 0x30, 0x80] + parameters + [0, 0, 0, 0],
      // In an OCTET STRING, and in one made of parts.
      [0x04, 12, 0x30, 10] + parameters,
      [0x24, 0x80, 0x04, 4, 0x30, 10, 0x04, 2, 0x04, 8] + parameters.dropFirst(2) + [0, 0],
      // With anything after it there, and in parts of parts.
      [0x04, 13, 0x30, 10] + parameters + [7],
      [0x24, 0x80, 0x24, 0x80, 0x04, 12, 0x30, 10] + parameters + [0, 0, 0, 0],
      // A salt made of parts.
      [0x30, 0x80, 0x24, 0x80, 0x04, 1, 7, 0x04, 1, 7, 0, 0] + parameters.dropFirst(4) + [0, 0],
    ]
    for form in forms { #expect(Self.seen(form) == failure, "\(form)") }
    // Without an end; nested too deeply; with a tag of two bytes.
    let malformed: [[UInt8]] = [
      [0x30, 0x80] + parameters, Array([[UInt8]](repeating: [0x30, 0x80], count: 100_000).joined()), [0x3F, 0x81, 0],
    ]
    for form in malformed { #expect(Self.seen(form) == .unreadable("it is not PKCS#12"), "\(form.prefix(8))") }
  }

  @Test func `as many rounds as are allowed are made`() throws {
    let tree = required(DERTree(try Self.file("modern.p12")))
    for (number, failure) in [(0, IdentityFailure?.none), (2, .wrongPassphrase)] {
      var changed = tree
      changed.replaceInteger(Self.roundsContent, number: number, by: [0x0F, 0x42, 0x40])
      let found = try Self.failure(Self.p12(changed.bytes))
      // The digest covers the parts.
      #expect(found == (number == 0 ? .wrongPassphrase : failure))
    }
    let rounds = UInt64(Self.rounds)
    #expect(try Self.failure(Self.p12(try Self.file("modern.p12"))) { $0.iterations = rounds } == nil)
    #expect(
      try Self.failure(Self.p12(try Self.file("modern.p12"))) { $0.iterations = rounds - 1 }
        == .tooManyIterations(rounds, limit: rounds - 1))
  }

  @Test(arguments: ["modern.p12", "apple.p12"])
  func `many derivations that are allowed one by one are too many together`(name: String) throws {
    let bytes = try Self.file(name)
    let rounds = UInt64(Self.rounds)
    #expect(try Self.failure(Self.p12(bytes)) { $0.iterationsInAll = 3 * rounds } == nil)
    #expect(
      try Self.failure(Self.p12(bytes)) { $0.iterationsInAll = 3 * rounds - 1 }
        == .tooManyIterations(3 * rounds, limit: 3 * rounds - 1))
  }

  /// `openssl pkcs12 -export` leaves the key's bag unencrypted.
  @Test func `a key inside of a part that is locked as a whole is looked at before it is unlocked`() throws {
    let nested = try Self.nested(rounds: 60_000)
    #expect(try Self.failure(Self.p12(nested)) == .noCertificate)
    #expect(
      try Self.failure(Self.p12(nested)) { $0.iterations = 59_999 } == .tooManyIterations(60_000, limit: 59_999))
  }

  /// Returns a PKCS#12 with only a key that is encrypted twice, the inner time with the given number of rounds.
  private static func nested(rounds: Int32) throws -> [UInt8] {
    let text = try Material.file("alice.key")
    let bio = BIO_new_mem_buf(text, Int32(text.count))
    defer { BIO_free(bio) }
    let key = PEM_read_bio_PrivateKey(bio, nil, nil, nil)
    defer { EVP_PKEY_free(key) }
    var bags: OpaquePointer?
    var parts: OpaquePointer?
    #expect(PKCS12_add_key(&bags, key, 0, rounds, NID_aes_256_cbc, "open") != nil)
    #expect(PKCS12_add_safe(&parts, bags, NID_aes_256_cbc, 1, "open") == 1)
    defer {
      copenssl_bags_free(bags)
      copenssl_parts_free(parts)
    }
    let file = PKCS12_add_safes(parts, 0)
    defer { PKCS12_free(file) }
    #expect(PKCS12_set_mac(file, "open", -1, nil, 0, 1, EVP_sha256()) == 1)
    var bytes: UnsafeMutablePointer<UInt8>?
    let length = i2d_PKCS12(file, &bytes)
    defer { CRYPTO_free(bytes, #file, #line) }
    return Array(UnsafeBufferPointer(start: bytes, count: Int(length)))
  }

  @Test(arguments: ["locked.der", "locked-v1.der"])
  func `a locked key in PEM is looked at before it is unlocked, whatever its block is called`(name: String) throws {
    let tree = required(DERTree(try Self.file(name)))
    #expect(try Self.failure(try Self.pem(tree.bytes, as: "ENCRYPTED PRIVATE KEY")) == nil)
    for (content, shown) in Self.outrageous {
      var changed = tree
      #expect(changed.replaceInteger(Self.roundsContent, number: 0, by: content) == 1)
      for label in ["ENCRYPTED PRIVATE KEY", "PRIVATE KEY", "ANYTHING"] {
        #expect(
          try Self.failure(try Self.pem(changed.bytes, as: label)) == .tooManyIterations(shown, limit: 1_000_000))
      }
    }
  }

  @Test func `scrypt gets neither more memory nor more time than it may have`() throws {
    let source = IdentitySource.pem(try Self.file("alice.pem") + Self.file("scrypt.key"), passphrase: "open")
    #expect(try Self.failure(source) == nil)
    #expect(
      try Self.failure(source) { $0.scryptSteps = 16_383 } == .tooManyIterations(16_384, limit: 16_383))
    let byteCount: UInt64 = 128 * 8 * (1024 + 2)
    #expect(try Self.failure(source) { $0.scryptByteCount = byteCount } == nil)
    #expect(
      try Self.failure(source) { $0.scryptByteCount = byteCount - 1 }
        == .tooMuchMemory(byteCount, limit: byteCount - 1))
  }
}
