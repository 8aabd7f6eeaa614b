/// The answers to the challenges of an app's own URLSession.
import Foundation
import FoundationNetworking
import Security
import LinuxTestSupport
import Testing
import FootageAPI

@testable import FootageFetching

@Suite struct SessionChallengeTests {
  private final class Nobody: NSObject, URLAuthenticationChallengeSender, @unchecked Sendable {
    func use(_ credential: URLCredential, for challenge: URLAuthenticationChallenge) {}
    func continueWithoutCredential(for challenge: URLAuthenticationChallenge) {}
    func cancel(_ challenge: URLAuthenticationChallenge) {}
    func performDefaultHandling(for challenge: URLAuthenticationChallenge) {}
    func rejectProtectionSpaceAndContinue(with challenge: URLAuthenticationChallenge) {}
  }

  /// Returns the answer when a server shows this certificate; nil for a server that shows none.
  private static func answer(
    _ name: String?, host: String = "robot.local", port: Int = 8443,
    _ method: String = NSURLAuthenticationMethodServerTrust,
    trusting policy: TrustPolicy? = nil, robot: String = "robot.local", credential: URLCredential? = nil
  ) throws -> SessionChallenge.Answer {
    let space = URLProtectionSpace(
      host: host, port: port, protocol: "https", realm: nil, authenticationMethod: method)
    if let name {
      guard case .authority(let shown) = try TrustPin.authority(try Material.file("\(name).pem")),
        let certificate = SecCertificateCreateWithData(nil, Data(shown.der) as CFData)
      else { throw CocoaError(.featureUnsupported) }
      var trust: SecTrust?
      _ = SecTrustCreateWithCertificates([certificate] as CFArray, SecPolicyCreateSSL(true, nil), &trust)
      space.serverTrust = trust
    }
    let challenge = URLAuthenticationChallenge(
      protectionSpace: space, proposedCredential: nil, previousFailureCount: 0, failureResponse: nil, error: nil,
      sender: Nobody())
    return SessionChallenge.answer(
      challenge, try policy ?? .pinned([try RobotTests.pin("robot")]), host: robot, port: 8443, credential)
  }

  @Test func `the pinned key is trusted, whatever the system thinks of it`() throws {
    let (disposition, credential) = try Self.answer("robot")
    #expect(disposition == .useCredential && credential != nil)
    #expect(try Self.answer("robot", host: "ROBOT.local").0 == .useCredential)
    #expect(try Self.answer("robot", host: "[fe80::1]", robot: "fe80::1%en0").0 == .useCredential)
  }

  @Test func `anybody else at the robot's address is refused, and so is who shows nothing`() throws {
    #expect(try Self.answer("twin") == (.cancelAuthenticationChallenge, nil))
    #expect(try Self.answer(nil) == (.cancelAuthenticationChallenge, nil))
    #expect(try Self.answer("robot", trusting: .pinned([])) == (.cancelAuthenticationChallenge, nil))
    #expect(try Self.answer("robot", NSURLAuthenticationMethodHTTPBasic) == (.cancelAuthenticationChallenge, nil))
  }

  @Test func `elsewhere the system decides`() throws {
    for (host, port) in [("other.local", 8443), ("robot.local", 443), ("robot.local.evil", 8443)] {
      #expect(try Self.answer("robot", host: host, port: port) == (.performDefaultHandling, nil))
    }
  }

  @Test func `the app's own certificate is for the robot alone`() throws {
    let identity = try AppleIdentity.open(try IdentityTests.p12("apple"), now: Int64(Date().timeIntervalSince1970))
    let own = identity.credential()
    let method = NSURLAuthenticationMethodClientCertificate
    #expect(try Self.answer(nil, method, credential: own) == (.useCredential, own))
    #expect(try Self.answer(nil, host: "other.local", method, credential: own) == (.performDefaultHandling, nil))
    #expect(try Self.answer(nil, method) == (.performDefaultHandling, nil))
  }
}
