internal import Security
internal import FootageSystem
package import FootageAPI
// Where Foundation is in two parts, this is the one with sessions.
#if canImport(FoundationNetworking)
package import FoundationNetworking
#else
package import Foundation
#endif

/// What a session of the app's own is answered when it asks who it talks to.
package enum SessionChallenge {
  package typealias Answer = (URLSession.AuthChallengeDisposition, URLCredential?)

  /// - Parameters:
  ///   - host: of the robot, without brackets; of IPv6 perhaps with `%` and an interface.
  ///   - credential: shown to the robot alone. Which version of TLS it goes by is the session's to say, by its
  ///     configuration: version 1.2 sends it in clear.
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
    // A robot asks for nothing else.
    default: return (.cancelAuthenticationChallenge, nil)
    }
  }

  /// Without brackets and interface.
  private static func name(of place: URLProtectionSpace) -> String {
    let host = place.host.lowercased()
    return String(host.drop { $0 == "[" }.prefix { $0 != "%" && $0 != "]" })
  }
}

extension AppleIdentity {
  /// For a session of the app's own.
  package func credential() -> URLCredential {
    URLCredential(
      identity: identity, certificates: intermediates.isEmpty ? nil : intermediates, persistence: .forSession)
  }
}
