internal import CFootageOpenSSL

/// HMAC (RFC 2104) with SHA-256, computed by OpenSSL.
package enum HMACSHA256 {
  /// Returns the authentication code of a message, 32 bytes.
  package static func code(of message: [UInt8], key: UnsafeBufferPointer<UInt8>) -> [UInt8] {
    var code = [UInt8](repeating: 0, count: 32)
    // Safe because the key is borrowed for the call, and the SHA-256 code has 32 bytes.
    let made = unsafe HMAC(EVP_sha256(), key.baseAddress, CInt(key.count), message, message.count, &code, nil)
    precondition(unsafe made != nil, "libcrypto has no HMAC: the OpenSSL installation is broken")
    return code
  }

  /// Returns the authentication code of a message, 32 bytes.
  package static func code(of message: [UInt8], key: [UInt8]) -> [UInt8] {
    unsafe key.withUnsafeBufferPointer { unsafe code(of: message, key: $0) }
  }
}
