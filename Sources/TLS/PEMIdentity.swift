internal import COpenSSL
internal import Trust

/// Identities as PEM texts (RFC 7468).
enum PEMIdentity {
  /// What the passphrase callback gets at.
  private final class Passphrase {
    let secret: Secret?
    var wasAsked = false

    init(_ secret: Secret?) { self.secret = secret }
  }

  static func identity(
    in secret: Secret, passphrase: Secret?, now: Int64, _ limits: IdentityLimits
  ) throws(IdentityFailure) -> Identity {
    var text = unsafe secret.withBytes { unsafe Array($0) }
    // Safe because the array is this call's own, and nobody else holds it when it ends.
    defer { unsafe text.withUnsafeMutableBytes { unsafe OPENSSL_cleanse($0.baseAddress, $0.count) } }
    let chain: [Certificate]
    do throws(TLSError) { chain = try Certificate.all(inPEM: text, what: "identity") } catch { throw .noCertificate }
    try checkKeys(in: text, limits)
    let key = try key(in: text, Passphrase(passphrase))
    return try Identity(chain[0], key, intermediates: Array(chain.dropFirst()), now: now)
  }

  /// Looks at what unlocking the keys in the text takes: OpenSSL tries them in turn.
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
    } catch { throw .unreadable(error.description) }
    if let failure { throw failure }
  }

  /// - Returns: whether there was one more block in the text.
  private static func checkNext(_ bio: OpaquePointer, _ budget: inout DerivationBudget) throws(IdentityFailure) -> Bool
  {
    var name: UnsafeMutablePointer<CChar>?
    var header: UnsafeMutablePointer<CChar>?
    var bytes: UnsafeMutablePointer<UInt8>?
    var length: CLong = 0
    // Safe because OpenSSL allocates the three, which are wiped and freed here, and says how many bytes there are.
    guard unsafe PEM_read_bio(bio, &name, &header, &bytes, &length) == 1 else { return false }
    defer {
      unsafe CRYPTO_free(name, #file, #line)
      unsafe CRYPTO_free(header, #file, #line)
      unsafe CRYPTO_clear_free(bytes, Int(length), #file, #line)
    }
    // A key that is locked twice over: once the outer lock is opened, nobody would look at what the inner one costs.
    if let name = unsafe name, let header = unsafe header, unsafe String(cString: name) == "ENCRYPTED PRIVATE KEY",
      unsafe header.pointee != 0
    {
      throw .unreadable("its key is locked twice over")
    }
    // Whatever the block is called: a locked key (RFC 5958 §3) is one by its form.
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
    // Safe because the callback runs during the call alone, for which the passphrase is held.
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
    // OpenSSL says "unsupported" of a text that has none.
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
