import CFootageOpenSSL
import LinuxTestSupport

@testable import FootageTLS

/// A key of any kind, made by OpenSSL. It is safe to share because it is only read after its creation, and nothing else
/// has the handle.
final class MintedKey: @unchecked Sendable {
  let handle: OpaquePointer

  /// - Parameter handle: a new key that nothing else uses, or nil if OpenSSL cannot make one.
  private init(_ handle: OpaquePointer?) { self.handle = required(handle) }

  deinit { EVP_PKEY_free(handle) }

  static func elliptic(_ curve: Int32) -> MintedKey {
    make(EVP_PKEY_EC) { EVP_PKEY_CTX_set_ec_paramgen_curve_nid($0, curve) }
  }

  static func rsa(_ bits: Int32, _ kind: Int32 = EVP_PKEY_RSA) -> MintedKey {
    make(kind) { EVP_PKEY_CTX_set_rsa_keygen_bits($0, bits) }
  }

  /// Makes a key for Ed25519 or Ed448.
  static func edwards(_ kind: Int32) -> MintedKey { make(kind) { _ in 1 } }

  private static func make(_ kind: Int32, _ set: (OpaquePointer?) -> Int32) -> MintedKey {
    let context = EVP_PKEY_CTX_new_id(kind, nil)
    defer { EVP_PKEY_CTX_free(context) }
    var key: OpaquePointer?
    guard EVP_PKEY_keygen_init(context) == 1, set(context) == 1, EVP_PKEY_keygen(context, &key) == 1 else {
      return MintedKey(nil)
    }
    return MintedKey(key)
  }
}

/// A certificate with any requested contents, made by OpenSSL.
enum MintedCertificate {
  /// The contents that can be chosen; the rest is random.
  struct Plan {
    /// The version; 0 means version 1.
    var version = 2
    /// The start of the validity in ASN.1: 13 characters are a UTCTime, 15 a GeneralizedTime.
    var notBefore = "250101000000Z"
    var notAfter = "350101000000Z"
    var extensionCount = 3
    var nameCount = 2
  }

  private static let text = Array("abcdefghijklmnopqrstuvwxyzäöü機器人 -.0123456789")

  static func der(
    of key: MintedKey, signedBy signer: MintedKey, _ plan: Plan, _ random: inout SeededGenerator
  ) -> [UInt8] {
    let certificate = X509_new()
    defer { X509_free(certificate) }
    _ = X509_set_version(certificate, plan.version)
    setSerial(of: certificate, &random)
    for name in [X509_get_subject_name(certificate), X509_get_issuer_name(certificate)] {
      for _ in 0..<plan.nameCount { addEntry(to: name, &random) }
    }
    _ = ASN1_TIME_set_string(X509_getm_notBefore(certificate), plan.notBefore)
    _ = ASN1_TIME_set_string(X509_getm_notAfter(certificate), plan.notAfter)
    _ = X509_set_pubkey(certificate, key.handle)
    if plan.version == 2 {
      for _ in 0..<plan.extensionCount { addExtension(to: certificate, &random) }
    }
    _ = X509_sign(certificate, signer.handle, EVP_sha256())
    var bytes: UnsafeMutablePointer<UInt8>?
    let count = i2d_X509(certificate, &bytes)
    defer { CRYPTO_free(bytes, #file, #line) }
    return Array(UnsafeBufferPointer(start: bytes, count: Int(max(0, count))))
  }

  private static func setSerial(of certificate: OpaquePointer?, _ random: inout SeededGenerator) {
    let digits = (0..<Int.random(in: 1...20, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
    let number = BN_bin2bn(digits, Int32(digits.count), nil)
    defer { BN_free(number) }
    BN_to_ASN1_INTEGER(number, X509_get_serialNumber(certificate))
  }

  private static func addEntry(to name: OpaquePointer?, _ random: inout SeededGenerator) {
    let count = Int.random(in: 1...40, using: &random)
    let value = Array(String((0..<count).map { _ in text.randomElement(using: &random) ?? "x" }).utf8)
    let kind = ["CN", "O", "OU", "L"].randomElement(using: &random) ?? "CN"
    // `MBSTRING_FLAG`, which is MBSTRING_UTF8.
    _ = X509_NAME_add_entry_by_txt(name, kind, 0x1000, value, Int32(min(value.count, 60)), -1, 0)
  }

  private static func addExtension(to certificate: OpaquePointer?, _ random: inout SeededGenerator) {
    let value = (0..<Int.random(in: 0...300, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
    let octets = ASN1_OCTET_STRING_new()
    defer { ASN1_OCTET_STRING_free(octets) }
    _ = ASN1_OCTET_STRING_set(octets, value, Int32(value.count))
    let kind = OBJ_txt2obj("1.3.6.1.4.1.99999.\(Int.random(in: 1...100_000, using: &random))", 1)
    defer { ASN1_OBJECT_free(kind) }
    let one = X509_EXTENSION_create_by_OBJ(nil, kind, Bool.random(using: &random) ? 1 : 0, octets)
    defer { X509_EXTENSION_free(one) }
    _ = X509_add_ext(certificate, one, -1)
  }
}
