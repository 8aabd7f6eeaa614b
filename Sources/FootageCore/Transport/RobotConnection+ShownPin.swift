extension RobotConnection {
  /// The pin of who answers at an address, for a person to compare with the one on the robot's console. The handshake
  /// is broken off there: nothing is sent, and nothing is proved yet.
  ///
  /// - Parameter address: `robot.local:8443`; see `RobotAddress`.
  /// - Throws: `RobotError`: `.address`; `.unreachable` at once, for nothing is tried again; `.malformed` where TLS
  ///   fails; `.trust` where the certificate cannot be read.
  public static func shownPin(at address: String) async throws(RobotError) -> PublicKeyPin {
    guard let parsed = RobotAddress(address) else { throw .address(address) }
    let transport = try PinnedTransport(to: parsed, trusting: .pinned([]), as: nil) { _ in }
    do throws(TransportFailure) {
      _ = try await transport.open(MediaRequest("/health"))
    } catch {
      if case .trust(let failure) = error, failure.reason == .nobodyIsTrusted, let seen = failure.seen { return seen }
      throw RobotError(error)
    }
    throw .malformed("somebody without a pin was trusted")
  }
}
