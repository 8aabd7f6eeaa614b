internal import CFootageOpenSSL
internal import FootageAPI

/// A reader of identities as PEM texts (RFC 7468).
enum PEMIdentity {
  /// The passphrase, as the object that OpenSSL's callback gets, and a flag that is set when OpenSSL asks for it.
  private final class Passphrase {
    let secret: Secret?
    var wasAsked = false

    init(_ secret: Secret?) { self.secret = secret }
  }

  static func identity(
    in secret: Secret, passphrase: Secret?, now: Int64, _ limits: IdentityLimits
  ) throws(IdentityFailure) -> Identity {
    var text = unsafe secret.withBytes { unsafe Array($0) }
    // Safe because the array belongs to this call, and no other code holds it when the call ends.
    defer { unsafe text.withUnsafeMutableBytes { unsafe OPENSSL_cleanse($0.baseAddress, $0.count) } }
    try expectPEM(text)
    var chain: [Certificate]
    do throws(TLSError) { chain = try Certificate.all(inPEM: text, what: "identity") } catch { throw .noCertificate }
    try checkKeys(in: text, limits)
    let key = try key(in: text, Passphrase(passphrase))
    // Some programs write the authority's certificate first.
    guard let own = chain.firstIndex(where: { key.belongs(to: $0) }) else { throw .keyDoesNotBelong }
    let certificate = chain.remove(at: own)
    return try Identity(certificate, key, intermediates: chain, now: now)
  }

  /// Throws an error that says what the text is if it has no PEM block.
  private static func expectPEM(_ text: [UInt8]) throws(IdentityFailure) {
    let mark = Array("-----BEGIN ".utf8)
    guard !text.indices.contains(where: { text[$0] == mark[0] && text[$0...].starts(with: mark) }) else { return }
    let letters = text.filter { $0 > 0x20 }
    guard !letters.isEmpty else { throw .unreadable("it is empty: copy it again") }
    // DER begins with a SEQUENCE and its length (RFC 7292 §4), which is `MI` in base64.
    if letters.starts(with: "MI".utf8), letters.allSatisfy(isBase64) {
      throw .unreadable("it is PKCS#12 in base64: decode it first (base64 -d FILE >FILE.p12)")
    }
    throw .unreadable("it is neither PKCS#12 nor PEM: export it again as PKCS#12 (.p12)")
  }

  private static func isBase64(_ letter: UInt8) -> Bool {
    switch letter {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "="):
      true
    default: false
    }
  }

  /// Checks the cost of unlocking the keys in the text, since OpenSSL tries them one after another.
  private static func checkKeys(in text: [UInt8], _ limits: IdentityLimits) throws(IdentityFailure) {
    var budget = DerivationBudget(limits)
    var failure: IdentityFailure?
    do throws(TLSError) {
      unsafe try PEM.all(in: text, what: "identity") { bio in
        do throws(IdentityFailure) { return unsafe try checkNext(bio, &budget) } catch {
          failure = error
          return false
        }
      }
    } catch {
      // The description of the thrown error already says that the identity cannot be read.
      if case .unreadable(_, let reason) = error { throw .unreadable(reason) }
      throw .unreadable(error.description)
    }
    if let failure { throw failure }
  }

  /// - Returns: true if there was another block in the text.
  private static func checkNext(_ bio: OpaquePointer, _ budget: inout DerivationBudget) throws(IdentityFailure) -> Bool
  {
    var name: UnsafeMutablePointer<CChar>?
    var header: UnsafeMutablePointer<CChar>?
    var bytes: UnsafeMutablePointer<UInt8>?
    var length: CLong = 0
    // Safe because OpenSSL allocates the three, which are wiped and freed here, and returns the number of bytes.
    guard unsafe PEM_read_bio(bio, &name, &header, &bytes, &length) == 1 else { return false }
    defer {
      unsafe CRYPTO_free(name, #file, #line)
      unsafe CRYPTO_free(header, #file, #line)
      unsafe CRYPTO_clear_free(bytes, Int(length), #file, #line)
    }
    // A key that is locked twice: once the outer lock is opened, nothing would check the cost of the inner one.
    if let name = unsafe name, let header = unsafe header, unsafe String(cString: name) == "ENCRYPTED PRIVATE KEY",
      unsafe header.pointee != 0
    {
      throw .unreadable("its key is encrypted twice")
    }
    // A locked key (RFC 5958 §3) is recognized by its form, whatever the block is called.
    var position = unsafe UnsafePointer(bytes)
    guard let key = unsafe d2i_X509_SIG(nil, &position, length) else { return true }
    defer { unsafe X509_SIG_free(key) }
    var algorithm: UnsafePointer<X509_ALGOR>?
    unsafe X509_SIG_get0(key, &algorithm, nil)
    unsafe try budget.spend(algorithm)
    return true
  }

  private static func key(in text: [UInt8], _ passphrase: Passphrase) throws(IdentityFailure) -> PrivateKey {
    var key: PrivateKey?
    var words = ""
    // Safe because the callback runs only during the call, and the passphrase is held for that long.
    let argument = unsafe Unmanaged.passUnretained(passphrase).toOpaque()
    do throws(TLSError) {
      unsafe try PEM.one(in: text) { bio in
        if let handle = unsafe PEM_read_bio_PrivateKey(bio, nil, answer, argument) {
          key = unsafe PrivateKey(owning: handle)
        } else {
          words = ErrorQueue.drain()
        }
      }
    } catch { throw .unreadable(error.description) }
    if let key { return key }
    if passphrase.wasAsked { throw .wrongPassphrase }
    // OpenSSL reports "unsupported" for a text without a key.
    let mark = Array("PRIVATE KEY-----".utf8)
    guard text.indices.contains(where: { text[$0...].starts(with: mark) }) else { throw .noKey }
    throw .unreadable(words)
  }

  private static let answer:
    @convention(c) (UnsafeMutablePointer<CChar>?, CInt, CInt, UnsafeMutableRawPointer?) -> CInt = {
      buffer, room, _, argument in
      guard let argument = unsafe argument, let buffer = unsafe buffer else { return -1 }
      let passphrase = unsafe Unmanaged<Passphrase>.fromOpaque(argument).takeUnretainedValue()
      passphrase.wasAsked = true
      guard let secret = passphrase.secret, !secret.isEmpty, secret.count <= Int(room) else { return -1 }
      // Safe because the room was checked just above.
      unsafe secret.withBytes { bytes in
        for index in 0..<bytes.count { unsafe buffer[index] = CChar(bitPattern: bytes[index]) }
      }
      return CInt(secret.count)
    }
}
