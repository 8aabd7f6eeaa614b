extension RobotConnection {
  /// Returns the pin of the peer at an address, for a person to compare with the one on the robot's console. The
  /// handshake is aborted after the certificate: no request is sent, and the peer has not proved its key.
  ///
  /// - Parameter address: such as `robot.local:8443`; see `RobotAddress`.
  /// - Throws: `RobotError`: `.address`; `.unreachable` at once, without retries; `.malformed` if TLS fails; `.trust`
  ///   if the certificate cannot be read.
  public static func shownPin(at address: String) async throws(RobotError) -> PublicKeyPin {
    guard let parsed = RobotAddress(address) else { throw .address(address) }
    let transport = try PinnedTransport(to: parsed, trusting: .pinned([]), as: nil) { _ in }
    do throws(TransportFailure) {
      _ = try await transport.open(MediaRequest("/health"))
    } catch {
      if case .trust(let failure) = error, failure.reason == .nobodyIsTrusted, let seen = failure.seen { return seen }
      throw RobotError(error)
    }
    throw .malformed("a peer without a known pin was trusted")
  }
}
