internal import CFootageOpenSSL
internal import CFootageOpenSSLStart

/// The OpenSSL that runs in this process. The system may have updated it since the build.
package enum OpenSSLLibrary {
  /// The version, for example `3.0.19`.
  package static var version: String {
    // Safe because OpenSSL returns a string literal.
    unsafe OpenSSL_version(OPENSSL_VERSION_STRING).map { unsafe String(cString: $0) } ?? "unknown"
  }
}
