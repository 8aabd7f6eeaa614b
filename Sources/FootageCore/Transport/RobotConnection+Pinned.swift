extension RobotConnection {
  /// A robot behind a pinned connection. Nothing is sent yet.
  ///
  /// - Parameters:
  ///   - address: `robot.local:8443`; see `RobotAddress`.
  ///   - policy: who is the robot. One without pins trusts nobody: then every request fails.
  ///   - earlierPins: what the robot was known by before, the oldest first. Nobody is trusted for one of these; they
  ///     are for the cache.
  ///   - network: which of the device's networks it may be reached over.
  ///   - cache: for what is played; several robots may share one. Nil keeps nothing. What is new goes by the first of
  ///     `earlierPins`, or else of the policy's, and what went by any of them is found.
  ///   - retrying: for lists, reads and downloads. A playback tries again by itself, for a minute.
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

  /// A robot behind a pinned connection that may ask who the app is. Nothing is sent yet.
  ///
  /// - Parameters:
  ///   - address: `robot.local:8443`; see `RobotAddress`.
  ///   - policy: who is the robot. One without pins trusts nobody: then every request fails.
  ///   - earlierPins: what the robot was known by before, the oldest first. Nobody is trusted for one of these; they
  ///     are for the cache.
  ///   - identity: shown to the robot where it asks for a certificate, and to nobody else. It is opened here, on a
  ///     thread of its own, which takes as long as whoever made it wanted: some seconds at most.
  ///   - network: which of the device's networks it may be reached over.
  ///   - cache: for what is played; several robots may share one. Nil keeps nothing. What is new goes by the first of
  ///     `earlierPins`, or else of the policy's, and what went by any of them is found.
  ///   - retrying: for lists, reads and downloads. A playback tries again by itself, for a minute.
  /// - Throws: `RobotError`: `.address`; `.identity` where it cannot be opened; `.system`.
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
  ///   - onProof: told the key of the robot, before its first answer is; and again when it has another one.
  ///   - events: told what is not right with its certificate and was let pass.
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
