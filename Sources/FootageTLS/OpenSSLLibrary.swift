internal import CFootageOpenSSL
internal import CFootageOpenSSLStart

/// The OpenSSL that runs in this process, which the system may have brought up to date since the build.
package enum OpenSSLLibrary {
  /// Such as `3.0.19`.
  package static var version: String {
    // Safe because OpenSSL answers with a literal of its own.
    unsafe OpenSSL_version(OPENSSL_VERSION_STRING).map { unsafe String(cString: $0) } ?? "unknown"
  }
}
