internal import CFootageOpenSSL
public import Foundation

public struct SymmetricKey: Sendable {
  let bytes: [UInt8]

  public init<D: ContiguousBytes>(data: D) { bytes = data.withUnsafeBytes { Array($0) } }
}

/// A message authentication code, here only with `SHA256`.
public struct HMAC<H>: Sendable {
  public static func authenticationCode<D: DataProtocol>(for data: D, using key: SymmetricKey) -> SHA256Digest {
    var code = [UInt8](repeating: 0, count: SHA256Digest.byteCount)
    let message = Array(data)
    _ = CFootageOpenSSL.HMAC(EVP_sha256(), key.bytes, Int32(key.bytes.count), message, message.count, &code, nil)
    return SHA256Digest(bytes: code)
  }
}

public enum Insecure {
  public struct MD5: Sendable {
    private var bytes: [UInt8] = []

    public init() {}

    public mutating func update(bufferPointer: UnsafeRawBufferPointer) { bytes += bufferPointer }

    public func finalize() -> [UInt8] {
      var digest = [UInt8](repeating: 0, count: 16)
      EVP_Digest(bytes, bytes.count, &digest, nil, EVP_md5(), nil)
      return digest
    }
  }
}
