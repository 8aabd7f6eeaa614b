internal import CFootageOpenSSL

/// A private key, read from PEM or PKCS#12.
@safe
final class PrivateKey {
  let handle: OpaquePointer

  /// Creates a key that takes over the reference.
  init(owning handle: OpaquePointer) { unsafe self.handle = handle }

  deinit { unsafe EVP_PKEY_free(handle) }

  /// Returns true if it is the private half of the certificate's key.
  func belongs(to certificate: Certificate) -> Bool {
    defer { ErrorQueue.clear() }
    return unsafe X509_check_private_key(certificate.handle, handle) == 1
  }

  /// - Throws: `TLSError.unreadable` if there is no key, it is damaged, or it needs a passphrase.
  static func make(pem: [UInt8]) throws(TLSError) -> PrivateKey {
    var key: PrivateKey?
    unsafe try PEM.one(in: pem) { bio in
      // A callback without a passphrase keeps OpenSSL from asking on the terminal.
      guard let handle = unsafe PEM_read_bio_PrivateKey(bio, nil, { _, _, _, _ in -1 }, nil) else { return }
      key = unsafe PrivateKey(owning: handle)
    }
    guard let key else {
      throw .unreadable(
        what: "server key", reason: "there is no private key in it, or the key is encrypted with a passphrase")
    }
    return key
  }
}
