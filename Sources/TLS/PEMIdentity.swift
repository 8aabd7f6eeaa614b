/// Identities as PEM texts (RFC 7468).

internal import COpenSSL
internal import Trust

enum PEMIdentity {
  /// What the passphrase callback gets at.
  private final class Passphrase {
    let bytes: [UInt8]
    var wasAsked = false

    init(_ text: String?) { bytes = Array((text ?? "").utf8) }
  }

  static func identity(in text: [UInt8], passphrase: String?, now: Int64) throws(IdentityFailure) -> Identity {
    let chain: [Certificate]
    do throws(TLSError) { chain = try Certificate.all(inPEM: text, what: "identity") } catch { throw .noCertificate }
    let key = try key(in: text, Passphrase(passphrase))
    return try Identity(chain[0], key, intermediates: Array(chain.dropFirst()), now: now)
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
      guard !passphrase.bytes.isEmpty, passphrase.bytes.count <= Int(room) else { return -1 }
      // Safe because the room was checked just above.
      for (index, byte) in passphrase.bytes.enumerated() { unsafe buffer[index] = CChar(bitPattern: byte) }
      return CInt(passphrase.bytes.count)
    }
}
