extension RobotConnection {
  /// Creates a connection to a robot that is recognized by its pin. Nothing is sent yet.
  ///
  /// - Parameters:
  ///   - address: such as `robot.local:8443`; see `RobotAddress`.
  ///   - policy: decides which peer is the robot. A policy without pins trusts no peer: then every request fails.
  ///   - earlierPins: the former pins of the robot, the oldest first. They only identify cached recordings: no peer is
  ///     trusted because of them.
  ///   - network: the device's networks over which the robot may be reached.
  ///   - cache: for what is played; several robots may share one. With nil, nothing is kept. New recordings are stored
  ///     under the first of `earlierPins`, or else of the policy's pins. Recordings stored under any of these pins are
  ///     found.
  ///   - retrying: the policy for lists, reads and downloads. A playback retries by itself, for a minute.
  /// - Throws: `RobotError`: `.address`, `.system`.
  public convenience init(
    to address: String, trusting policy: TrustPolicy, earlierPins: [TrustPin] = [],
    over network: NetworkPolicy = NetworkPolicy(), cache: MediaCache? = nil, retrying: RetryPolicy = RetryPolicy()
  ) throws(RobotError) {
    guard let parsed = RobotAddress(address) else { throw .address(address) }
    try self.init(
      parsed, trusting: policy, cacheNames: CacheName.all(earlierPins + policy.pins, parsed), as: nil,
      over: network, cache: cache, retrying: retrying)
  }

  /// Creates a connection to a robot that is recognized by its pin, and that may ask for the app's certificate. Nothing
  /// is sent yet.
  ///
  /// - Parameters:
  ///   - address: such as `robot.local:8443`; see `RobotAddress`.
  ///   - policy: decides which peer is the robot. A policy without pins trusts no peer: then every request fails.
  ///   - earlierPins: the former pins of the robot, the oldest first. They only identify cached recordings: no peer is
  ///     trusted because of them.
  ///   - identity: presented only to the robot, if it asks for a certificate. This initializer opens it, on a separate
  ///     thread. That takes as long as the creator of the identity chose, but at most a few seconds.
  ///   - network: the device's networks over which the robot may be reached.
  ///   - cache: for what is played; several robots may share one. With nil, nothing is kept. New recordings are stored
  ///     under the first of `earlierPins`, or else of the policy's pins. Recordings stored under any of these pins are
  ///     found.
  ///   - retrying: the policy for lists, reads and downloads. A playback retries by itself, for a minute.
  /// - Throws: `RobotError`: `.address`; `.identity` if it cannot be opened; `.system`.
  public convenience init(
    to address: String, trusting policy: TrustPolicy, earlierPins: [TrustPin] = [], as identity: IdentitySource?,
    over network: NetworkPolicy = NetworkPolicy(), cache: MediaCache? = nil, retrying: RetryPolicy = RetryPolicy()
  ) async throws(RobotError) {
    guard let parsed = RobotAddress(address) else { throw .address(address) }
    try self.init(
      parsed, trusting: policy, cacheNames: CacheName.all(earlierPins + policy.pins, parsed),
      as: try await Self.open(identity), over: network, cache: cache, retrying: retrying)
  }

  /// - Parameters:
  ///   - onProof: called with the key of the robot, before the first answer is returned, and again when the robot has a
  ///     different key.
  ///   - events: receives each defect of the robot's certificate that was tolerated.
  convenience init(
    _ address: RobotAddress, trusting policy: TrustPolicy, cacheNames: [String], as identity: PlatformIdentity?,
    over network: NetworkPolicy, cache: MediaCache?, retrying: RetryPolicy,
    onProof: @escaping @Sendable (PublicKeyPin) async -> PinnedTransport.ProofAnswer = { _ in .noted },
    events: EventSource<RobotEvent> = EventSource()
  ) throws(RobotError) {
    let transport = try PinnedTransport(to: address, trusting: policy, as: identity, over: network, onProof: onProof) {
      events.send(.warning($0))
    }
    self.init(
      address, over: transport, cache: cache, cacheNames: cacheNames, retrying: retrying, events: events)
  }
}
