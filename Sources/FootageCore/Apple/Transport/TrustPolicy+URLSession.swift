internal import FootageFetching
// Where Foundation is in two parts, this is the one with sessions.
#if canImport(FoundationNetworking)
public import FoundationNetworking
#else
public import Foundation
#endif

extension TrustPolicy {
  /// What the delegate of an app's own `URLSession` answers to a challenge: for requests to a robot that do not go by
  /// this library, an image loader's, say.
  ///
  /// ```swift
  /// func urlSession(
  ///   _ session: URLSession, didReceive challenge: URLAuthenticationChallenge
  /// ) async -> (URLSession.AuthChallengeDisposition, URLCredential?) {
  ///   policy.answer(to: challenge, of: robot, with: credential)
  /// }
  /// ```
  ///
  /// It fails closed: at the robot's address nobody is trusted but who this policy trusts, whatever the system thinks
  /// of the certificate. At any other address the system decides, as it would without a delegate, and the app's own
  /// certificate is not shown.
  ///
  /// With a credential, the session's configuration has to insist on TLS 1.3: version 1.2 sends the app's certificate in
  /// clear, so that whoever listens on the way learns who watches, and a challenge does not say which version it is of.
  /// ``RobotConnection`` insists on it by itself.
  ///
  /// ```swift
  /// let configuration = URLSessionConfiguration.ephemeral
  /// configuration.tlsMinimumSupportedProtocolVersion = .TLSv13
  /// ```
  ///
  /// One thing is open that ``RobotConnection`` keeps shut: `URLSession` resumes TLS sessions without a challenge, for
  /// some minutes after the first and in other sessions of the same process as well. A resumed session is one with
  /// whoever has proved the key before, so that no stranger gets in; but a key that is not trusted any more, since the
  /// policy changed, goes on until the system forgets the session.
  ///
  /// - Parameters:
  ///   - challenge: of the session, or of one of its tasks.
  ///   - robot: where the robot is.
  ///   - credential: the app's own certificate, from ``Trust/IdentitySource/urlCredential()``; shown where the robot
  ///     asks for one. It takes a session whose `tlsMinimumSupportedProtocolVersion` is `.TLSv13`.
  /// - Returns: what the delegate returns, or hands to its completion handler.
  public func answer(
    to challenge: URLAuthenticationChallenge, of robot: RobotAddress, with credential: URLCredential? = nil
  ) -> (URLSession.AuthChallengeDisposition, URLCredential?) {
    SessionChallenge.answer(challenge, self, host: robot.host, port: robot.port, credential)
  }
}

extension IdentitySource {
  /// The app's own certificate for a `URLSession`, whose configuration has to insist on TLS 1.3
  /// (`tlsMinimumSupportedProtocolVersion`); see ``Trust/TrustPolicy/answer(to:of:with:)``. It is opened on a thread of
  /// its own, which takes as long as whoever made it wanted.
  ///
  /// - Throws: `RobotError`: `.identity` where it cannot be opened; `.system`.
  public func urlCredential() async throws(RobotError) -> URLCredential {
    let source = self
    let identity = try await DetachedWork.run("identity") { () throws(IdentityFailure) in
      try PinnedTransport.open(source)
    }
    return identity.credential()
  }
}
