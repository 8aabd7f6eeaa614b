internal import CFootageOpenSSL
public import Foundation

/// The value over which signatures are made, here only the digest of SHA-256.
public protocol Digest: Sequence where Element == UInt8 {}

extension SHA256Digest: Digest {}

public enum CryptoKitError: Error { case invalidParameter }

public enum P256 { public enum Signing {} }
public enum P384 { public enum Signing {} }

extension P256.Signing {
  public struct ECDSASignature: Sendable {
    let der: [UInt8]

    public init<D: DataProtocol>(derRepresentation: D) throws { der = try checked(Array(derRepresentation)) }
  }

  public struct PublicKey: Sendable {
    private let der: [UInt8]

    public init<Bytes: RandomAccessCollection>(derRepresentation: Bytes) throws where Bytes.Element == UInt8 {
      der = try checked(Array(derRepresentation), curve: "prime256v1")
    }

    public func isValidSignature<D: Digest>(_ signature: ECDSASignature, for digest: D) -> Bool {
      isValid(signature.der, of: Array(digest), by: der)
    }
  }
}

extension P384.Signing {
  public struct ECDSASignature: Sendable {
    let der: [UInt8]

    public init<D: DataProtocol>(derRepresentation: D) throws { der = try checked(Array(derRepresentation)) }
  }

  public struct PublicKey: Sendable {
    private let der: [UInt8]

    public init<Bytes: RandomAccessCollection>(derRepresentation: Bytes) throws where Bytes.Element == UInt8 {
      der = try checked(Array(derRepresentation), curve: "secp384r1")
    }

    public func isValidSignature<D: Digest>(_ signature: ECDSASignature, for digest: D) -> Bool {
      isValid(signature.der, of: Array(digest), by: der)
    }
  }
}

private func key(_ der: [UInt8]) -> OpaquePointer? {
  der.withUnsafeBufferPointer { bytes in
    var position = bytes.baseAddress
    guard let key = d2i_PUBKEY(nil, &position, CLong(bytes.count)) else { return nil }
    guard position == bytes.baseAddress.map({ $0 + bytes.count }) else {
      EVP_PKEY_free(key)
      return nil
    }
    return key
  }
}

private func checked(_ der: [UInt8], curve: String) throws -> [UInt8] {
  guard let key = key(der) else { throw CryptoKitError.invalidParameter }
  defer { EVP_PKEY_free(key) }
  var name = [CChar](repeating: 0, count: 64)
  var length = 0
  guard EVP_PKEY_get_group_name(key, &name, name.count, &length) == 1,
    String(decoding: name.prefix(length).map { UInt8(bitPattern: $0) }, as: UTF8.self) == curve
  else { throw CryptoKitError.invalidParameter }
  return der
}

private func checked(_ signature: [UInt8]) throws -> [UInt8] {
  let parsed = signature.withUnsafeBufferPointer { bytes in
    var position = bytes.baseAddress
    return d2i_ECDSA_SIG(nil, &position, CLong(bytes.count))
  }
  guard let parsed else { throw CryptoKitError.invalidParameter }
  ECDSA_SIG_free(parsed)
  return signature
}

private func isValid(_ signature: [UInt8], of digest: [UInt8], by der: [UInt8]) -> Bool {
  guard let key = key(der) else { return false }
  defer { EVP_PKEY_free(key) }
  let context = EVP_PKEY_CTX_new(key, nil)
  defer { EVP_PKEY_CTX_free(context) }
  guard EVP_PKEY_verify_init(context) == 1 else { return false }
  return EVP_PKEY_verify(context, signature, signature.count, digest, digest.count) == 1
}
