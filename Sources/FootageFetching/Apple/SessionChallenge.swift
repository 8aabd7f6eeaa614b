internal import Security
internal import FootageSystem
package import FootageAPI
// Foundation may be in two parts. This is the part with sessions.
#if canImport(FoundationNetworking)
package import FoundationNetworking
#else
package import Foundation
#endif

/// The answers to the authentication challenges of an app's own session.
package enum SessionChallenge {
  package typealias Answer = (URLSession.AuthChallengeDisposition, URLCredential?)

  /// - Parameters:
  ///   - host: the robot's host, without brackets; an IPv6 address may end with `%` and an interface.
  ///   - credential: presented to the robot alone. The session's configuration decides the version of TLS; version 1.2
  ///     sends the certificate unencrypted.
  package static func answer(
    _ challenge: URLAuthenticationChallenge, _ policy: TrustPolicy, host: String, port: UInt16,
    _ credential: URLCredential?
  ) -> Answer {
    let place = challenge.protectionSpace
    let host = String(host.prefix { $0 != "%" }).lowercased()
    guard !place.isProxy(), name(of: place) == host, place.port == Int(port) else {
      return (.performDefaultHandling, nil)
    }
    switch place.authenticationMethod {
    case NSURLAuthenticationMethodServerTrust:
      let check = RobotCheck(policy, host: host, port: port, identity: nil, now: Clock.system.unixSeconds)
      guard let trust = place.serverTrust, check.judge(RobotCheck.chain(of: trust)) else {
        return (.cancelAuthenticationChallenge, nil)
      }
      return (.useCredential, URLCredential(trust: trust))
    case NSURLAuthenticationMethodClientCertificate:
      return credential.map { (.useCredential, $0) } ?? (.performDefaultHandling, nil)
    // A robot poses no other challenge.
    default: return (.cancelAuthenticationChallenge, nil)
    }
  }

  /// Returns the host in lower case, without brackets and interface.
  private static func name(of place: URLProtectionSpace) -> String {
    let host = place.host.lowercased()
    return String(host.drop { $0 == "[" }.prefix { $0 != "%" && $0 != "]" })
  }
}

extension AppleIdentity {
  /// Returns the credential for an app's own session.
  package func credential() -> URLCredential {
    URLCredential(
      identity: identity, certificates: intermediates.isEmpty ? nil : intermediates, persistence: .forSession)
  }
}
