internal import CFootageOpenSSL
public import Foundation

// SecImportExport.h, SecItem.h and the numbers of SecBase.h and SecureTransport.h.

public let errSecSuccess: OSStatus = 0
public let errSecParam: OSStatus = -50
public let errSecAuthFailed: OSStatus = -25_293
public let errSecItemNotFound: OSStatus = -25_300
public let errSecInteractionNotAllowed: OSStatus = -25_308
public let errSecPkcs12VerifyFailure: OSStatus = -25_264
public let errSecDecode: OSStatus = -26_275
public let errSSLCrypto: OSStatus = -9_809
public let errSSLInternal: OSStatus = -9_810
public let errSSLClosedGraceful: OSStatus = -9_805
public let errSSLClosedAbort: OSStatus = -9_806
public let errSSLClosedNoNotify: OSStatus = -9_816
public let errSSLPeerHandshakeFail: OSStatus = -9_824
public let errSSLPeerBadCert: OSStatus = -9_825
public let errSSLPeerUnsupportedCert: OSStatus = -9_826
public let errSSLPeerCertRevoked: OSStatus = -9_827
public let errSSLPeerCertExpired: OSStatus = -9_828
public let errSSLPeerCertUnknown: OSStatus = -9_829
public let errSSLPeerUnknownCA: OSStatus = -9_831
public let errSSLPeerAccessDenied: OSStatus = -9_832
public let errSSLPeerProtocolVersion: OSStatus = -9_836
public let errSSLFatalAlert: OSStatus = -9_802
public let errSSLHandshakeFail: OSStatus = -9_858
public let errSSLCertificateRequired: OSStatus = -9_863

public func SecCopyErrorMessageString(_ status: OSStatus, _ reserved: UnsafeMutableRawPointer?) -> CFString? {
  "Security's words" as CFString
}

public var kSecImportExportPassphrase: CFString { "passphrase" as CFString }
public var kSecImportToMemoryOnly: CFString { "memory" as CFString }
public var kSecImportItemIdentity: CFString { "identity" as CFString }
public var kSecImportItemCertChain: CFString { "chain" as CFString }

/// Behaves like Apple's function: it does not distinguish a wrong passphrase from a damaged file, a file without a key
/// gives items without an identity, and a file without integrity protection is refused.
public func SecPKCS12Import(
  _ pkcs12_data: CFData, _ options: CFDictionary, _ items: UnsafeMutablePointer<CFArray?>
) -> OSStatus {
  defer { ERR_clear_error() }
  // A Mac would put it into the user's keychain.
  guard options[kSecImportToMemoryOnly] as? Bool == true else { return errSecInteractionNotAllowed }
  guard let passphrase = options[kSecImportExportPassphrase] as? String, !passphrase.isEmpty else {
    return errSecAuthFailed
  }
  let bytes = [UInt8](pkcs12_data as Data)
  let file = bytes.withUnsafeBufferPointer { buffer in
    var position = buffer.baseAddress
    return d2i_PKCS12(nil, &position, buffer.count)
  }
  guard let file else { return errSecDecode }
  defer { PKCS12_free(file) }
  guard PKCS12_verify_mac(file, passphrase, -1) == 1 else { return errSecAuthFailed }
  var key: OpaquePointer?
  var certificate: OpaquePointer?
  var others: OpaquePointer?
  guard PKCS12_parse(file, passphrase, &key, &certificate, &others) == 1 else { return errSecDecode }
  defer { copenssl_certificates_free(others) }
  var chain: [SecCertificate] = []
  for index in 0..<copenssl_certificates_count(others) {
    guard let other = copenssl_certificates_at(others, index) else { continue }
    X509_up_ref(other)
    chain.append(SecCertificate(owning: other))
  }
  var item: [String: Any] = [:]
  if let certificate {
    let own = SecCertificate(owning: certificate)
    chain.insert(own, at: 0)
    if let key { item[kSecImportItemIdentity as String] = SecIdentity(own, key: key) }
  } else {
    EVP_PKEY_free(key)
  }
  item[kSecImportItemCertChain as String] = chain
  items.pointee = [item] as CFArray
  return errSecSuccess
}

// MARK: The keychain

public var kSecClass: CFString { "class" as CFString }
public var kSecClassIdentity: CFString { "idnt" as CFString }
public var kSecReturnRef: CFString { "r_Ref" as CFString }
public var kSecReturnAttributes: CFString { "r_Attributes" as CFString }
public var kSecMatchLimit: CFString { "m_Limit" as CFString }
public var kSecMatchLimitOne: CFString { "m_LimitOne" as CFString }
public var kSecMatchLimitAll: CFString { "m_LimitAll" as CFString }
public var kSecAttrLabel: CFString { "labl" as CFString }
public var kSecValueRef: CFString { "v_Ref" as CFString }
public var kSecValuePersistentRef: CFString { "v_PersistentRef" as CFString }

/// The keychain, whose contents a test provides.
public enum Keychain {
  public struct Item {
    public let label: String?
    public let reference: Data
    public let identity: SecIdentity

    public init(label: String?, reference: Data, _ identity: SecIdentity) {
      self.label = label
      self.reference = reference
      self.identity = identity
    }
  }

  nonisolated(unsafe) public static var items: [Item] = []
  /// True if the device is locked.
  nonisolated(unsafe) public static var isLocked = false
}

/// Ignores the requested label, as the function does on a Mac.
public func SecItemCopyMatching(_ query: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?) -> OSStatus {
  guard query[kSecClass] as? String == kSecClassIdentity as String, query[kSecReturnRef] as? Bool == true,
    let limit = query[kSecMatchLimit] as? String
  else { return errSecParam }
  guard !Keychain.isLocked else { return errSecInteractionNotAllowed }
  let reference = query[kSecValuePersistentRef] as? Data
  let found = Keychain.items.filter { item in reference.map { item.reference == $0 } ?? true }
  guard let first = found.first else { return errSecItemNotFound }
  let wantsAttributes = query[kSecReturnAttributes] as? Bool == true
  func value(_ item: Keychain.Item) -> Any {
    guard wantsAttributes else { return item.identity }
    var attributes: [String: Any] = [kSecValueRef as String: item.identity]
    attributes[kSecAttrLabel as String] = item.label
    return attributes
  }
  result?.pointee =
    limit == kSecMatchLimitAll as String ? found.map(value) as CFArray : value(first) as CFTypeRef
  return errSecSuccess
}
