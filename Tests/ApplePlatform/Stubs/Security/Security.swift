@_exported import Foundation
#if canImport(FoundationNetworking)
@_exported import FoundationNetworking
#endif
public typealias CFData = NSData
public typealias CFString = NSString
public typealias CFArray = NSArray
public typealias CFDictionary = NSDictionary
public typealias CFError = NSError
public typealias CFTypeRef = AnyObject
public typealias OSStatus = Int32
public let errSecSuccess: OSStatus = 0, errSecAuthFailed: OSStatus = -25293, errSecDecode: OSStatus = -26275,
  errSecPkcs12VerifyFailure: OSStatus = -25264
public final class SecTrust {}
public final class SecCertificate {}
public final class SecIdentity {}
public final class SecKey {}
nonisolated(unsafe) public let kSecImportExportPassphrase: CFString = NSString(string: "passphrase")
nonisolated(unsafe) public let kSecImportItemIdentity: CFString = NSString(string: "identity")
nonisolated(unsafe) public let kSecImportItemCertChain: CFString = NSString(string: "chain")
public func SecTrustEvaluateWithError(_ trust: SecTrust, _ error: UnsafeMutablePointer<CFError?>?) -> Bool { false }
public func SecTrustCopyCertificateChain(_ trust: SecTrust) -> CFArray? { nil }
public func SecCertificateCopyData(_ certificate: SecCertificate) -> CFData { NSData() }
public func SecPKCS12Import(_ pkcs12_data: CFData, _ options: CFDictionary, _ items: UnsafeMutablePointer<CFArray?>)
  -> OSStatus
{ errSecDecode }
public typealias sec_protocol_options_t = SecProtocolOptions
public final class SecProtocolOptions { public init() {} }
public typealias sec_protocol_metadata_t = SecProtocolMetadata
public final class SecProtocolMetadata { public init() {} }
public typealias sec_trust_t = SecTrustObject
public final class SecTrustObject {}
public typealias sec_identity_t = SecIdentityObject
public final class SecIdentityObject {}
public typealias sec_protocol_verify_complete_t = (Bool) -> Void
public typealias sec_protocol_verify_t = (
  sec_protocol_metadata_t, sec_trust_t, @escaping sec_protocol_verify_complete_t
) -> Void
public typealias sec_protocol_challenge_complete_t = (sec_identity_t?) -> Void
public typealias sec_protocol_challenge_t = (sec_protocol_metadata_t, @escaping sec_protocol_challenge_complete_t) ->
  Void
public func sec_protocol_options_set_verify_block(
  _ options: sec_protocol_options_t, _ verify_block: @escaping sec_protocol_verify_t,
  _ verify_block_queue: DispatchQueue
) {}
public func sec_protocol_options_set_challenge_block(
  _ options: sec_protocol_options_t, _ challenge_block: @escaping sec_protocol_challenge_t,
  _ challenge_queue: DispatchQueue
) {}
public func sec_protocol_options_set_tls_resumption_enabled(_ options: sec_protocol_options_t, _ enabled: Bool) {}
public func sec_protocol_metadata_access_peer_certificate_chain(
  _ metadata: sec_protocol_metadata_t, _ handler: @escaping (SecCertificateObject) -> Void
) -> Bool { false }
public final class SecCertificateObject {}
public typealias sec_certificate_t = SecCertificateObject
public func sec_certificate_copy_ref(_ c: sec_certificate_t) -> Unmanaged<SecCertificate> {
  Unmanaged.passRetained(SecCertificate())
}
public func sec_trust_copy_ref(_ trust: sec_trust_t) -> Unmanaged<SecTrust> { Unmanaged.passRetained(SecTrust()) }
public func sec_identity_create(_ identity: SecIdentity) -> sec_identity_t? { nil }
