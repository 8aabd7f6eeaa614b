/// Certificates inside of sessions, read without their public keys.

internal import CFootageOpenSSL

/// OpenSSL keeps a client's certificate in its session, so in each ticket, and reads it anew whenever it writes or
/// takes one. Most of that goes into the certificate's public key: OpenSSL 3.0 asks every decoder of every provider
/// whether it knows the key, which costs more than all the rest of a resumed handshake. Nobody needs that key:
/// possession was proved in the full handshake, and what a ticket brings is compared as a whole.
///
/// A key that no decoder knows stays unread, and that is no error. So while a handshake runs, a library context without
/// any decoder stands in for the default one of this thread; sessions are all that is read in it, since an `SSL_CTX`
/// that names its library context uses that for everything else.
enum SessionDecoding {
  /// A library context in which nothing can be done; it lives as long as the process. Nil, and then nothing is spared,
  /// where there is no memory for it.
  ///
  /// Safe to share because OpenSSL locks inside, and the provider that offers nothing is the last thing it is given.
  private nonisolated(unsafe) static let emptyLibrary: OpaquePointer? = {
    guard let library = unsafe OSSL_LIB_CTX_new() else { return nil }
    // Without it the default provider would be loaded by the first who asks.
    guard unsafe OSSL_PROVIDER_load(library, "null") != nil else {
      unsafe OSSL_LIB_CTX_free(library)
      return nil
    }
    return unsafe library
  }()

  /// Runs a step of OpenSSL's in which sessions are read.
  static func withoutKeys<Result>(_ body: () -> Result) -> Result {
    let previous = unsafe OSSL_LIB_CTX_set0_default(emptyLibrary)
    defer { _ = unsafe OSSL_LIB_CTX_set0_default(previous) }
    return body()
  }

  /// Runs what OpenSSL calls back out of such a step, and what needs the whole library.
  static func withKeys<Result>(_ body: () -> Result) -> Result {
    let previous = unsafe OSSL_LIB_CTX_set0_default(OSSL_LIB_CTX_get0_global_default())
    defer { _ = unsafe OSSL_LIB_CTX_set0_default(previous) }
    return body()
  }
}
