public import Dispatch
public import Foundation

// SecProtocolOptions.h, SecProtocolMetadata.h, SecProtocolTypes.h: what they set, for the stand-in for Network.

public typealias sec_protocol_options_t = SecProtocolOptions
public typealias sec_protocol_metadata_t = SecProtocolMetadata
public typealias sec_trust_t = SecTrustObject
public typealias sec_identity_t = SecIdentityObject
public typealias sec_certificate_t = SecCertificateObject
public typealias sec_protocol_verify_complete_t = (Bool) -> Void
public typealias sec_protocol_verify_t = (
  sec_protocol_metadata_t, sec_trust_t, @escaping sec_protocol_verify_complete_t
) -> Void
public typealias sec_protocol_challenge_complete_t = (sec_identity_t?) -> Void
public typealias sec_protocol_challenge_t = (
  sec_protocol_metadata_t, @escaping sec_protocol_challenge_complete_t
) -> Void

public enum tls_protocol_version_t: UInt16, Sendable {
  case TLSv12 = 0x0303
  case TLSv13 = 0x0304
}

/// Set before a connection is started, and read by it from then on.
public final class SecProtocolOptions: @unchecked Sendable {
  package var minimum = tls_protocol_version_t.TLSv12
  package var resumes = true
  package var usesTickets = true
  package var applicationProtocols: [String] = []
  package var verify: (sec_protocol_verify_t, DispatchQueue)?
  package var challenge: (sec_protocol_challenge_t, DispatchQueue)?

  public init() {}
}

public final class SecProtocolMetadata: @unchecked Sendable {
  /// The peer's certificates, its own first.
  package let chain: [SecCertificate]

  package init(chain: [SecCertificate] = []) { self.chain = chain }
}

public final class SecTrustObject: @unchecked Sendable {
  package let trust: SecTrust

  package init(_ trust: SecTrust) { self.trust = trust }
}

public final class SecIdentityObject: @unchecked Sendable {
  package let identity: SecIdentity
  package let chain: [SecCertificate]

  init(_ identity: SecIdentity, _ chain: [SecCertificate]) {
    self.identity = identity
    self.chain = chain
  }
}

public final class SecCertificateObject: @unchecked Sendable {
  let certificate: SecCertificate

  init(_ certificate: SecCertificate) { self.certificate = certificate }
}

public func sec_protocol_options_set_min_tls_protocol_version(
  _ options: sec_protocol_options_t, _ version: tls_protocol_version_t
) {
  options.minimum = version
}

public func sec_protocol_options_set_tls_resumption_enabled(_ options: sec_protocol_options_t, _ enabled: Bool) {
  options.resumes = enabled
}

public func sec_protocol_options_set_tls_tickets_enabled(_ options: sec_protocol_options_t, _ enabled: Bool) {
  options.usesTickets = enabled
}

public func sec_protocol_options_add_tls_application_protocol(
  _ options: sec_protocol_options_t, _ name: UnsafePointer<CChar>
) {
  options.applicationProtocols.append(String(cString: name))
}

public func sec_protocol_options_set_verify_block(
  _ options: sec_protocol_options_t, _ verify_block: @escaping sec_protocol_verify_t, _ queue: DispatchQueue
) {
  options.verify = (verify_block, queue)
}

public func sec_protocol_options_set_challenge_block(
  _ options: sec_protocol_options_t, _ challenge_block: @escaping sec_protocol_challenge_t, _ queue: DispatchQueue
) {
  options.challenge = (challenge_block, queue)
}

public func sec_protocol_metadata_access_peer_certificate_chain(
  _ metadata: sec_protocol_metadata_t, _ handler: @escaping (sec_certificate_t) -> Void
) -> Bool {
  for certificate in metadata.chain { handler(SecCertificateObject(certificate)) }
  return !metadata.chain.isEmpty
}

public func sec_certificate_copy_ref(_ certificate: sec_certificate_t) -> Unmanaged<SecCertificate> {
  Unmanaged.passRetained(certificate.certificate)
}

public func sec_trust_copy_ref(_ trust: sec_trust_t) -> Unmanaged<SecTrust> { Unmanaged.passRetained(trust.trust) }

public func sec_identity_create(_ identity: SecIdentity) -> sec_identity_t? { SecIdentityObject(identity, []) }

public func sec_identity_create_with_certificates(
  _ identity: SecIdentity, _ certificates: CFArray
) -> sec_identity_t? {
  SecIdentityObject(identity, certificates as? [SecCertificate] ?? [])
}
