extension RobotConnection {
  /// A robot that somebody has paired with, known by its keys wherever it is.
  ///
  /// At an address where a robot was met, that one is meant. At another, whoever has the key of a robot that was paired
  /// is that robot; where there are several, the one there is asked for its health first, to find out which it is.
  /// Anybody else is a stranger, who gets no request. When the robot has proved its key, the store learns where it is,
  /// and that the key which was announced is its present one: then ``RobotConnection/events()`` tell of it (`RobotEvent.pairing(_:)`).
  ///
  /// - Parameters:
  ///   - address: `robot.local:8443`; see `RobotAddress`.
  ///   - pairings: read now, and changed when something is new.
  ///   - identity: shown to the robot where it asks for a certificate, and to nobody else. It is opened here, on a
  ///     thread of its own.
  ///   - network: which of the device's networks it may be reached over.
  ///   - cache: for what is played; several robots may share one. Nil keeps nothing. It knows the robot by the first
  ///     key that it was paired with.
  ///   - retrying: for lists, reads and downloads. A playback tries again by itself, for a minute.
  /// - Throws: `RobotError`: `.address`; `.pairing` where nobody has paired, or the store cannot be read; `.identity`
  ///   where it cannot be opened; `.trust` and `.unreachable` where several robots are paired and none was met at this
  ///   address; `.system`.
  public convenience init(
    toPaired address: String, in pairings: PairingStore, as identity: IdentitySource? = nil,
    over network: NetworkPolicy = NetworkPolicy(), cache: MediaCache? = nil, retrying: RetryPolicy = RetryPolicy()
  ) async throws(RobotError) {
    guard let parsed = RobotAddress(address) else { throw .address(address) }
    try await self.init(
      toPaired: parsed, in: pairings, as: identity, over: network, cache: cache, retrying: retrying,
      events: EventSource())
  }

  /// - Parameter events: told what is new of the robot.
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

  /// Which of the robots is meant by an address.
  private static func pairing(
    at address: RobotAddress, among known: [PairingStore.Pairing], as identity: PlatformIdentity?,
    over network: NetworkPolicy
  ) async throws(RobotError) -> PairingStore.Pairing {
    if let there = known.first(where: { $0.address == address }) { return there }
    guard let first = known.first else { throw .pairing(.notPaired(robot: address.description)) }
    guard known.contains(where: { !$0.isSame(as: first) }) else { return first }
    let pin = try await provenPin(at: address, among: known.flatMap(\.pins), as: identity, over: network)
    guard let robot = known.first(where: { $0.pins.contains(pin) }) else {
      throw .malformed("somebody without a pin was trusted")
    }
    return robot
  }

  /// The key that who answers at an address has proved to have, one of these.
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

  /// Opens an identity, which takes as long as whoever made it wanted.
  static func open(_ source: IdentitySource?) async throws(RobotError) -> PlatformIdentity? {
    guard let source else { return nil }
    return try await DetachedWork.run("identity") { () throws(IdentityFailure) in
      try PinnedTransport.open(source)
    }
  }
}
