/// The certificates in sessions, read without their public keys.

internal import CFootageOpenSSL

/// A way to read the certificates in sessions without their public keys. OpenSSL stores a client's certificate in its
/// session, and thus in each ticket, and parses it again whenever it writes or accepts a ticket. Most of that time goes
/// into the public key: OpenSSL 3.0 asks every decoder of every provider whether it knows the key, which costs more
/// than all the rest of a resumed handshake. No code needs that key: the full handshake proved its possession, and the
/// certificate in a ticket is compared as a whole.
///
/// A key that no decoder knows stays unread, which is not an error. While a handshake runs, a library context without
/// any decoder therefore replaces this thread's default library context. Only sessions are read in the replacement: an
/// `SSL_CTX` that names its own library context uses that for everything else.
enum SessionDecoding {
  /// A library context without any algorithm, which lives as long as the process. It is nil if there is no memory for
  /// it; sessions are then read with their public keys.
  ///
  /// Safe to share because OpenSSL locks inside, and nothing is added after the provider that offers nothing.
  private nonisolated(unsafe) static let emptyLibrary: OpaquePointer? = {
    guard let library = unsafe OSSL_LIB_CTX_new() else { return nil }
    // Without the null provider, the first request would load the default one.
    guard unsafe OSSL_PROVIDER_load(library, "null") != nil else {
      unsafe OSSL_LIB_CTX_free(library)
      return nil
    }
    return unsafe library
  }()

  /// Runs a step in which OpenSSL reads sessions, but not the public keys in them.
  static func withoutKeys<Result>(_ body: () -> Result) -> Result {
    let previous = unsafe OSSL_LIB_CTX_set0_default(emptyLibrary)
    defer { _ = unsafe OSSL_LIB_CTX_set0_default(previous) }
    return body()
  }

  /// Runs code that needs the whole library, such as a callback during a step of `withoutKeys`.
  static func withKeys<Result>(_ body: () -> Result) -> Result {
    let previous = unsafe OSSL_LIB_CTX_set0_default(OSSL_LIB_CTX_get0_global_default())
    defer { _ = unsafe OSSL_LIB_CTX_set0_default(previous) }
    return body()
  }
}
