extension RobotConnection {
  /// Creates a connection to a paired robot, which is recognized by its keys at any address.
  ///
  /// If a paired robot was last reached at this address, the connection is to that robot. At a different address, the
  /// connection is to whichever paired robot proves its key there. If several robots are paired, the peer is first
  /// asked for its health, to find out which of them it is. Any other peer is a stranger and gets no request. When the
  /// robot has proved its key, the store learns its address, and that an announced key is now the present one;
  /// ``RobotConnection/events()`` report this (`RobotEvent.pairing(_:)`).
  ///
  /// - Parameters:
  ///   - address: such as `robot.local:8443`; see `RobotAddress`.
  ///   - pairings: read now, and updated when the robot's key or address has changed.
  ///   - identity: presented only to the robot, if it asks for a certificate. This initializer opens it, on a separate
  ///     thread.
  ///   - network: the device's networks over which the robot may be reached.
  ///   - cache: for what is played; several robots may share one. With nil, nothing is kept. The cache knows the robot
  ///     by the first key with which it was paired.
  ///   - retrying: the policy for lists, reads and downloads. A playback retries by itself, for a minute.
  /// - Throws: `RobotError`: `.address`; `.pairing` if no robot is paired, or the store cannot be read; `.identity` if
  ///   it cannot be opened; `.trust` and `.unreachable` if several robots are paired and none was reached at this
  ///   address before; `.system`.
  public convenience init(
    toPaired address: String, in pairings: PairingStore, as identity: IdentitySource? = nil,
    over network: NetworkPolicy = NetworkPolicy(), cache: MediaCache? = nil, retrying: RetryPolicy = RetryPolicy()
  ) async throws(RobotError) {
    guard let parsed = RobotAddress(address) else { throw .address(address) }
    try await self.init(
      toPaired: parsed, in: pairings, as: identity, over: network, cache: cache, retrying: retrying,
      events: EventSource())
  }

  /// - Parameter events: receives the changes of the robot's key and address.
  convenience init(
    toPaired parsed: RobotAddress, in pairings: PairingStore, as identity: IdentitySource?, over network: NetworkPolicy,
    cache: MediaCache?, retrying: RetryPolicy, events: EventSource<RobotEvent>
  ) async throws(RobotError) {
    let known = try await DetachedWork.run("pairings") { () throws(PairingError) in try pairings.all() }
    let identity = try await Self.open(identity)
    let robot = try await Self.pairing(at: parsed, among: known, as: identity, over: network)
    try self.init(
      parsed, trusting: .pinned(keys: robot.pins), cacheNames: CacheName.all(robot.everyPin, parsed), as: identity,
      over: network, cache: cache, retrying: retrying,
      onProof: { pin in
        guard pin != robot.pins.first || robot.address != parsed else { return .noted }
        return await Self.note(pin, at: parsed, in: pairings, events)
      }, events: events)
  }

  /// Returns the robot that an address refers to.
  private static func pairing(
    at address: RobotAddress, among known: [PairingStore.Pairing], as identity: PlatformIdentity?,
    over network: NetworkPolicy
  ) async throws(RobotError) -> PairingStore.Pairing {
    if let there = known.first(where: { $0.address == address }) { return there }
    guard let first = known.first else { throw .pairing(.notPaired(robot: address.description)) }
    guard known.contains(where: { !$0.isSame(as: first) }) else { return first }
    let pin = try await provenPin(at: address, among: known.flatMap(\.pins), as: identity, over: network)
    guard let robot = known.first(where: { $0.pins.contains(pin) }) else {
      throw .malformed("a peer without a known pin was trusted")
    }
    return robot
  }

  /// Returns the one of `pins` whose key the peer at an address has proved.
  ///
  /// - Throws: `RobotError`: `.trust`, `.unreachable` at once, `.malformed`.
  package static func provenPin(
    at address: RobotAddress, among pins: [PublicKeyPin]
  ) async throws(RobotError) -> PublicKeyPin {
    try await provenPin(at: address, among: pins, as: nil, over: NetworkPolicy())
  }

  private static func provenPin(
    at address: RobotAddress, among pins: [PublicKeyPin], as identity: PlatformIdentity?,
    over network: NetworkPolicy
  ) async throws(RobotError) -> PublicKeyPin {
    let transport = try PinnedTransport(to: address, trusting: .pinned(keys: pins), as: identity, over: network) {
      _ in
    }
    return try await transport.proof()
  }

  /// Opens an identity. Deriving its key takes as long as the creator of the identity chose.
  static func open(_ source: IdentitySource?) async throws(RobotError) -> PlatformIdentity? {
    guard let source else { return nil }
    return try await DetachedWork.run("identity") { () throws(IdentityFailure) in
      try PinnedTransport.open(source)
    }
  }
}
