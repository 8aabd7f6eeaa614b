internal import FootageFetching
internal import Synchronization
internal import FootageSystem

/// The app's own private key and certificate, opened.
typealias PlatformIdentity = AppleIdentity

extension PinnedTransport {
  /// The current trust policy.
  private final class Trusted: Sendable {
    private let policy: Mutex<TrustPolicy>

    init(_ policy: TrustPolicy) { self.policy = Mutex(policy) }

    var current: TrustPolicy { policy.withLock { $0 } }

    func become(_ other: TrustPolicy) { policy.withLock { $0 = other } }
  }

  /// Creates a transport over Network.framework.
  ///
  /// - Parameters:
  ///   - onProof: called with the key that the robot has proved, before the first answer is returned, and again when
  ///     the robot proves a different key.
  ///   - onWarning: called with each defect of the robot's certificate that was tolerated.
  convenience init(
    to address: RobotAddress, trusting policy: TrustPolicy, as identity: PlatformIdentity?,
    over network: NetworkPolicy = NetworkPolicy(), limits: ClientLimits = .standard,
    onProof: @escaping @Sendable (PublicKeyPin) async -> ProofAnswer = { _ in .noted },
    onWarning: @escaping @Sendable (TrustWarning) -> Void
  ) throws(RobotError) {
    let proof = Proof()
    let trusted = Trusted(policy)
    let executor = QueueExecutor.shared
    let connector = NetworkConnector(
      to: address.host, port: address.port,
      security: NetworkConnector.Security(
        policy: { trusted.current }, identity: identity, onProof: { proof.note($0) }, onWarning: onWarning),
      over: NetworkConnector.Paths(
        allowsExpensive: network.allowsExpensiveNetworks, allowsConstrained: network.allowsConstrainedNetworks),
      limits: limits, on: executor)
    let client = HTTPClient(
      host: address.host, port: address.port, on: executor, limits: limits, connector: connector)
    self.init(client, proof: proof, onProof: onProof) { trusted.become(.pinned(keys: $0)) }
  }

  /// Opens an identity. Blocks while the key is derived, which takes as long as the creator of the identity chose.
  static func open(_ source: IdentitySource) throws(IdentityFailure) -> PlatformIdentity {
    try AppleIdentity.open(source, now: Clock.system.unixSeconds)
  }
}
