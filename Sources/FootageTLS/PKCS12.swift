internal import CFootageOpenSSL
internal import FootageAPI

/// A reader of identities as PKCS#12 (RFC 7292): one file under one passphrase.
enum PKCS12 {
  static func identity(
    in bytes: [UInt8], passphrase: Secret, now: Int64, _ limits: IdentityLimits
  ) throws(IdentityFailure) -> Identity {
    guard !bytes.isEmpty else { throw .unreadable("it is empty: copy it again") }
    let mac: String?
    switch try opened(bytes, passphrase, limits) {
    case .contents(let contents): return try contents.identity(now: now)
    case .unknownMAC(let name): mac = name
    case .unknownCipher: mac = nil
    }
    let unlocked: Opened
    do throws(IdentityFailure) {
      unlocked = try LegacyProvider.with { () throws(IdentityFailure) in try opened(bytes, passphrase, limits) }
    } catch {
      guard error == .legacyCipher, let mac else { throw error }
      throw unreadable(mac: mac)
    }
    switch unlocked {
    case .contents(let contents): return try contents.identity(now: now)
    case .unknownMAC(let name): throw unreadable(mac: name)
    case .unknownCipher: throw .unreadable("its passphrase is right, but its cipher is not supported here")
    }
  }

  private static func unreadable(mac: String) -> IdentityFailure {
    .unreadable(
      """
      this OpenSSL (\(OpenSSLLibrary.version)) cannot check its digest (\(mac)), whatever the passphrase is: export it \
      again with SHA-256 (openssl pkcs12 -export -macalg sha256)
      """)
  }

  /// The result of opening a file.
  private enum Opened {
    case contents(Contents)
    /// The passphrase is right, but a cipher is missing.
    case unknownCipher
    /// It is unknown if the passphrase is right, because this OpenSSL does not know the kind of digest.
    case unknownMAC(String)
  }

  /// The contents of a file as DER, because objects from another library context must not outlive that context.
  private struct Contents {
    var key: Secret?
    var certificates: [[UInt8]] = []

    func identity(now: Int64) throws(IdentityFailure) -> Identity {
      guard let key = key.flatMap(PrivateKey.der) else { throw .noKey }
      var certificates = certificates.compactMap(Certificate.der)
      guard let own = certificates.firstIndex(where: { key.belongs(to: $0) }) else {
        throw certificates.isEmpty ? .noCertificate : .keyDoesNotBelong
      }
      let certificate = certificates.remove(at: own)
      return try Identity(certificate, key, intermediates: certificates, now: now)
    }
  }

  private static func opened(
    _ bytes: [UInt8], _ passphrase: Secret, _ limits: IdentityLimits
  ) throws(IdentityFailure) -> Opened {
    ErrorQueue.clear()
    // Safe because d2i reads at most the given number of bytes.
    let file = unsafe bytes.withUnsafeBufferPointer { buffer in
      var position = buffer.baseAddress
      return unsafe d2i_PKCS12(nil, &position, buffer.count)
    }
    guard let file = unsafe file else {
      throw .unreadable("it is not PKCS#12 (\(ErrorQueue.drain())): export it again as .p12")
    }
    defer { unsafe PKCS12_free(file) }
    guard unsafe PKCS12_mac_present(file) == 1 else {
      throw .unreadable("it has no digest that detects a wrong passphrase: export it again with one")
    }
    guard let parts = unsafe PKCS12_unpack_authsafes(file) else {
      throw .unreadable("it is not PKCS#12 with a passphrase (\(ErrorQueue.drain()))")
    }
    defer { unsafe copenssl_parts_free(parts) }
    var reader = Reader(budget: DerivationBudget(limits))
    unsafe try reader.check(parts)
    unsafe try reader.budget.spendMAC(of: file)
    guard let passphrase = unsafe form(of: passphrase, for: file) else {
      guard let mac = unsafe unknownMAC(of: file) else { throw .wrongPassphrase }
      return .unknownMAC(mac)
    }
    return unsafe try reader.read(parts, passphrase) ? .contents(reader.contents) : .unknownCipher
  }

  /// The first version of OpenSSL that checks PBMAC1 (RFC 9579): 3.4.
  private static let firstWithPBMAC1: UInt = 0x3040_0000

  /// Returns the name of the digest of a file's MAC if this OpenSSL does not know it; otherwise nil.
  private static func unknownMAC(of file: OpaquePointer) -> String? {
    var algorithm: UnsafePointer<X509_ALGOR>?
    // Safe because the pointer refers to a part of the file, which outlives this call.
    unsafe PKCS12_get0_mac(nil, &algorithm, nil, nil, file)
    guard let identifier = unsafe algorithm?.pointee.algorithm else { return nil }
    guard unsafe OBJ_obj2nid(identifier) != NID_pbmac1 else {
      return OpenSSL_version_num() < firstWithPBMAC1 ? "PBMAC1" : nil
    }
    var name = [CChar](repeating: 0, count: 80)
    // Safe because OpenSSL terminates the text within the given number of characters.
    guard unsafe OBJ_obj2txt(&name, CInt(name.count), identifier, 0) > 0 else { return nil }
    if let digest = unsafe EVP_MD_fetch(nil, name, nil) {
      unsafe EVP_MD_free(digest)
      return nil
    }
    ErrorQueue.clear()
    return String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// Returns the passphrase in the form that opens the file; nil if it does not. An empty passphrase has two forms: an
  /// empty text, and no text at all.
  private static func form(of passphrase: Secret, for file: OpaquePointer) -> Passphrase? {
    for form in [Passphrase(secret: passphrase)] + (passphrase.isEmpty ? [Passphrase(secret: nil)] : []) {
      if unsafe form.withText({ text, count in unsafe PKCS12_verify_mac(file, text, count) }) == 1 { return form }
    }
    return nil
  }

  private struct Passphrase {
    let secret: Secret?

    /// Calls the closure with the passphrase in the form that OpenSSL expects: a text and its length.
    func withText<Result>(_ body: (UnsafePointer<CChar>?, CInt) -> Result) -> Result {
      guard let secret else { return body(nil, 0) }
      return unsafe secret.withBytes { bytes in
        // Safe because a byte is as large as a character, and the length is passed along.
        unsafe bytes.withMemoryRebound(to: CChar.self) { text in
          unsafe body(text.baseAddress, CInt(clamping: text.count))
        }
      }
    }
  }

  /// A reader that takes from a file what an identity needs: the first key and all certificates, as `PKCS12_parse`
  /// does. Unlike `PKCS12_parse`, it limits the number of rounds.
  private struct Reader {
    var contents = Contents()
    var budget: DerivationBudget

    /// Checks every derivation that is visible before one is run.
    func check(_ parts: OpaquePointer) throws(IdentityFailure) {
      for index in 0..<(unsafe copenssl_parts_count(parts)) {
        guard let part = unsafe copenssl_parts_at(parts, index) else { continue }
        switch unsafe OBJ_obj2nid(part.pointee.type) {
        case NID_pkcs7_encrypted: unsafe try budget.check(PKCS12.algorithm(of: part))
        case NID_pkcs7_data:
          guard let bags = unsafe PKCS12_unpack_p7data(part) else { continue }
          defer { unsafe copenssl_bags_free(bags) }
          unsafe try checkKeys(in: bags)
        default: continue
        }
      }
    }

    private func checkKeys(in bags: OpaquePointer?) throws(IdentityFailure) {
      for index in 0..<(unsafe copenssl_bags_count(bags)) {
        guard let bag = unsafe copenssl_bags_at(bags, index) else { continue }
        switch unsafe PKCS12_SAFEBAG_get_nid(bag) {
        case NID_pkcs8ShroudedKeyBag: unsafe try budget.check(PKCS12.algorithm(ofKeyIn: bag))
        case NID_safeContentsBag: unsafe try checkKeys(in: PKCS12_SAFEBAG_get0_safes(bag))
        default: continue
        }
      }
    }

    /// - Returns: false if something cannot be decrypted or is damaged.
    mutating func read(_ parts: OpaquePointer, _ passphrase: Passphrase) throws(IdentityFailure) -> Bool {
      for index in 0..<(unsafe copenssl_parts_count(parts)) {
        guard let part = unsafe copenssl_parts_at(parts, index) else { continue }
        let bags: OpaquePointer?
        switch unsafe OBJ_obj2nid(part.pointee.type) {
        case NID_pkcs7_encrypted:
          unsafe try budget.spend(PKCS12.algorithm(of: part))
          unsafe bags = passphrase.withText { text, count in unsafe PKCS12_unpack_p7encdata(part, text, count) }
        case NID_pkcs7_data: unsafe bags = PKCS12_unpack_p7data(part)
        default: continue
        }
        guard let bags = unsafe bags else { return false }
        defer { unsafe copenssl_bags_free(bags) }
        guard unsafe try read(bags: bags, passphrase) else { return false }
      }
      return true
    }

    private mutating func read(bags: OpaquePointer?, _ passphrase: Passphrase) throws(IdentityFailure) -> Bool {
      for index in 0..<(unsafe copenssl_bags_count(bags)) {
        guard let bag = unsafe copenssl_bags_at(bags, index) else { continue }
        switch unsafe PKCS12_SAFEBAG_get_nid(bag) {
        case NID_keyBag where contents.key == nil:
          unsafe contents.key = PrivateKey.der(of: PKCS12_SAFEBAG_get0_p8inf(bag))
          guard contents.key != nil else { return false }
        case NID_pkcs8ShroudedKeyBag where contents.key == nil:
          unsafe try budget.spend(PKCS12.algorithm(ofKeyIn: bag))
          let key = unsafe passphrase.withText { text, count in unsafe PKCS12_decrypt_skey(bag, text, count) }
          defer { unsafe PKCS8_PRIV_KEY_INFO_free(key) }
          unsafe contents.key = PrivateKey.der(of: key)
          guard contents.key != nil else { return false }
        case NID_certBag where unsafe PKCS12_SAFEBAG_get_bag_nid(bag) == NID_x509Certificate:
          // Safe because `Certificate` takes over the reference.
          guard let certificate = unsafe PKCS12_SAFEBAG_get1_cert(bag) else { return false }
          contents.certificates.append(unsafe Certificate(owning: certificate).der)
        case NID_safeContentsBag:
          guard unsafe try read(bags: PKCS12_SAFEBAG_get0_safes(bag), passphrase) else { return false }
        default: continue
        }
      }
      return true
    }
  }

  /// Returns the algorithm that locks a part that is encrypted as a whole (RFC 7292 §4.1).
  private static func algorithm(of part: UnsafeMutablePointer<PKCS7>) -> UnsafePointer<X509_ALGOR>? {
    // Safe because the caller has checked which member of the union is there.
    guard let contents = unsafe part.pointee.d.encrypted?.pointee.enc_data else { return nil }
    return unsafe UnsafePointer(contents.pointee.algorithm)
  }

  /// Returns the algorithm that locks a key (RFC 7292 §4.2.2).
  private static func algorithm(ofKeyIn bag: OpaquePointer) -> UnsafePointer<X509_ALGOR>? {
    var algorithm: UnsafePointer<X509_ALGOR>?
    // Safe because the pointer refers to a part of the bag.
    guard let key = unsafe PKCS12_SAFEBAG_get0_pkcs8(bag) else { return nil }
    unsafe X509_SIG_get0(key, &algorithm, nil)
    return unsafe algorithm
  }
}

/// Ciphers of the last century, among them RC2-40, in a library context of their own. In the common context, loading
/// their provider would switch off the automatic loading of the ordinary ciphers.
private enum LegacyProvider {
  /// Runs `body` on this thread with these ciphers.
  ///
  /// - Throws: `IdentityFailure.legacyCipher` if this OpenSSL does not include them.
  static func with<Result>(_ body: () throws(IdentityFailure) -> Result) throws(IdentityFailure) -> Result {
    guard let library = unsafe OSSL_LIB_CTX_new() else { throw .unreadable("out of memory") }
    defer { unsafe OSSL_LIB_CTX_free(library) }
    guard let ordinary = unsafe OSSL_PROVIDER_load(library, "default") else { throw .legacyCipher }
    defer { unsafe OSSL_PROVIDER_unload(ordinary) }
    guard let legacy = unsafe OSSL_PROVIDER_load(library, "legacy") else { throw .legacyCipher }
    defer { unsafe OSSL_PROVIDER_unload(legacy) }
    // Safe because the default belongs to the thread, and is restored before any other code runs on it.
    let previous = unsafe OSSL_LIB_CTX_set0_default(library)
    defer { unsafe OSSL_LIB_CTX_set0_default(previous) }
    return try body()
  }
}

extension PrivateKey {
  /// Reads a key of any kind from its DER.
  fileprivate static func der(_ secret: Secret) -> PrivateKey? {
    // Safe because d2i reads at most the given number of bytes.
    let handle = unsafe secret.withBytes { bytes in
      var position = bytes.baseAddress
      return unsafe d2i_AutoPrivateKey(nil, &position, bytes.count)
    }
    guard let handle = unsafe handle else { return nil }
    return unsafe PrivateKey(owning: handle)
  }

  /// Returns the DER of a key; nil if there is no key, or its kind is unknown.
  fileprivate static func der(of information: OpaquePointer?) -> Secret? {
    guard let information = unsafe information, let key = unsafe EVP_PKCS82PKEY(information) else { return nil }
    defer { unsafe EVP_PKEY_free(key) }
    // Safe because i2d allocates `bytes`, which are wiped and freed here, and returns their number.
    var bytes: UnsafeMutablePointer<UInt8>?
    let length = unsafe i2d_PrivateKey(key, &bytes)
    guard length > 0 else { return nil }
    defer { unsafe CRYPTO_clear_free(bytes, Int(length), #file, #line) }
    return unsafe Secret(UnsafeBufferPointer(start: bytes, count: Int(length)))
  }
}
