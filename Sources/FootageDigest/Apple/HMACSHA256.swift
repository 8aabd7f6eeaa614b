internal import CryptoKit

/// HMAC (RFC 2104) with SHA-256, computed by CryptoKit.
package enum HMACSHA256 {
  /// Returns the authentication code of a message, 32 bytes.
  package static func code(of message: [UInt8], key: UnsafeBufferPointer<UInt8>) -> [UInt8] {
    let key = unsafe SymmetricKey(data: UnsafeRawBufferPointer(key))
    return Array(HMAC<CryptoKit.SHA256>.authenticationCode(for: message, using: key))
  }

  /// Returns the authentication code of a message, 32 bytes.
  package static func code(of message: [UInt8], key: [UInt8]) -> [UInt8] {
    unsafe key.withUnsafeBufferPointer { unsafe code(of: message, key: $0) }
  }
}
