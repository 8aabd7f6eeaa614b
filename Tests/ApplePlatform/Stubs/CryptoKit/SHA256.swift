internal import CFootageOpenSSL

/// A 32-byte digest.
public struct SHA256Digest: Sequence, Hashable, Sendable {
  let bytes: [UInt8]

  public static var byteCount: Int { 32 }

  public func makeIterator() -> Array<UInt8>.Iterator { bytes.makeIterator() }
}

/// A value, as Apple's is: a copy goes on by itself.
public struct SHA256: Sendable {
  private var bytes: [UInt8] = []

  public init() {}

  public mutating func update(bufferPointer: UnsafeRawBufferPointer) { bytes += bufferPointer }

  public func finalize() -> SHA256Digest {
    var digest = [UInt8](repeating: 0, count: SHA256Digest.byteCount)
    EVP_Digest(bytes, bytes.count, &digest, nil, EVP_sha256(), nil)
    return SHA256Digest(bytes: digest)
  }
}
