/// The meaning of Security's error numbers for a person.
import Dispatch
@testable import FootageFetching
import Network
import Security
import Testing
import FootageAPI

@Suite struct RobotCheckTests {
  /// Returns the check of one handshake, for an app without an identity.
  private static func check(isAsked: Bool) throws -> RobotCheck {
    let check = RobotCheck(.pinned([]), host: "robot", port: 8443, identity: nil, now: 0)
    guard isAsked else { return check }
    let options = check.options(on: DispatchQueue(label: "handshake")).securityProtocolOptions
    let (challenge, _) = try #require(options.challenge)
    challenge(SecProtocolMetadata()) { #expect($0 == nil) }
    return check
  }

  private static func needsIdentity(_ error: ConnectionError) -> Bool {
    guard case .tls(.identity(.needed)) = error else { return false }
    return true
  }

  @Test(
    arguments: [
      errSSLPeerBadCert, errSSLPeerCertUnknown, errSSLPeerHandshakeFail, errSSLCertificateRequired, errSSLHandshakeFail,
      errSSLFatalAlert,
    ])
  func `a robot that has asked for a certificate and breaks off wants one`(status: OSStatus) throws {
    #expect(Self.needsIdentity(try Self.check(isAsked: true).explanation(status)))
    #expect(!Self.needsIdentity(try Self.check(isAsked: false).explanation(status)))
  }

  @Test(arguments: [errSSLCrypto, errSSLInternal, errSSLClosedAbort])
  func `what says nothing of a certificate is not taken for that`(status: OSStatus) throws {
    #expect(!Self.needsIdentity(try Self.check(isAsked: true).explanation(status)))
  }
}
