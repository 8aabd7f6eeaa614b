internal import FootageFetching
// If Foundation is split into two modules, this is the one with sessions.
#if canImport(FoundationNetworking)
public import FoundationNetworking
#else
public import Foundation
#endif

extension TrustPolicy {
  /// Returns the answer that the delegate of an app's own `URLSession` should give to a challenge. It is for requests
  /// to a robot that do not use this library, such as those of an image loader.
  ///
  /// ```swift
  /// func urlSession(
  ///   _ session: URLSession, didReceive challenge: URLAuthenticationChallenge
  /// ) async -> (URLSession.AuthChallengeDisposition, URLCredential?) {
  ///   policy.answer(to: challenge, of: robot, with: credential)
  /// }
  /// ```
  ///
  /// It fails closed: at the robot's address, only a peer that this policy trusts is accepted, whatever the system
  /// thinks of the certificate. At any other address the system decides, as it would without a delegate, and the app's
  /// own certificate is not presented.
  ///
  /// With a credential, the session's configuration has to require TLS 1.3. Version 1.2 sends the app's certificate in
  /// the clear, so that an eavesdropper learns who is watching, and a challenge does not say which version it belongs
  /// to. ``RobotConnection`` requires TLS 1.3 by itself.
  ///
  /// ```swift
  /// let configuration = URLSessionConfiguration.ephemeral
  /// configuration.tlsMinimumSupportedProtocolVersion = .TLSv13
  /// ```
  ///
  /// One gap remains that ``RobotConnection`` does not have: `URLSession` resumes TLS sessions without a challenge, for
  /// a few minutes after the first one, and in other sessions of the same process as well. The peer of a resumed
  /// session has proved the key before, so no stranger gets in. But a key that is no longer trusted, because the policy
  /// changed, is still accepted until the system forgets the session.
  ///
  /// - Parameters:
  ///   - challenge: a challenge of the session, or of one of its tasks.
  ///   - robot: the robot's address.
  ///   - credential: the app's own certificate, from ``Trust/IdentitySource/urlCredential()``; presented if the robot
  ///     asks for one. It requires a session whose `tlsMinimumSupportedProtocolVersion` is `.TLSv13`.
  /// - Returns: what the delegate returns, or passes to its completion handler.
  public func answer(
    to challenge: URLAuthenticationChallenge, of robot: RobotAddress, with credential: URLCredential? = nil
  ) -> (URLSession.AuthChallengeDisposition, URLCredential?) {
    SessionChallenge.answer(challenge, self, host: robot.host, port: robot.port, credential)
  }
}

extension IdentitySource {
  /// Returns the app's own certificate for a `URLSession`, whose configuration has to require TLS 1.3
  /// (`tlsMinimumSupportedProtocolVersion`); see ``Trust/TrustPolicy/answer(to:of:with:)``. It is opened on a separate
  /// thread, because deriving the key takes as long as the creator of the identity chose.
  ///
  /// - Throws: `RobotError`: `.identity` if it cannot be opened; `.system`.
  public func urlCredential() async throws(RobotError) -> URLCredential {
    let source = self
    let identity = try await DetachedWork.run("identity") { () throws(IdentityFailure) in
      try PinnedTransport.open(source)
    }
    return identity.credential()
  }
}
