extension RobotConnection {
  /// Pairs with the robot whose link a person has scanned from its console, or typed. It finds the robot at one of the
  /// link's addresses, has it prove its key, and only then remembers it.
  ///
  /// If the robot is already paired, it gets the addresses and the name of the link, and the link's next key. A link
  /// never replaces a known key: if a robot of the link's name, or at one of its addresses, is known by a different
  /// key, this call fails without contacting any address.
  ///
  /// - Parameters:
  ///   - link: as the console shows it.
  ///   - pairings: read now, and changed when the robot has proved its key.
  ///   - identity: presented only to the robot, if it asks for a certificate. Pairing needs none.
  ///   - network: the device's networks over which the robot may be reached.
  /// - Returns: the pairing as it is stored now, and the changes of robots that were already known.
  /// - Throws: `RobotError`: `.pairing`, above all `.pinChanged`; `.trust` if another machine answers at the link's
  ///   addresses; `.unreachable` at once, without retries; `.identity`, `.system`, `.cancelled`.
  @discardableResult
  public static func pair(
    with link: PairingLink, in pairings: PairingStore, as identity: IdentitySource? = nil,
    over network: NetworkPolicy = NetworkPolicy()
  ) async throws(RobotError) -> (robot: PairingStore.Pairing, changes: [PairingStore.Change]) {
    try await DetachedWork.run("pairings") { () throws(PairingError) in try pairings.check(link) }
    let finding = try await RobotSearch(for: link.pins, as: try await open(identity), over: network)
      .find(at: link.addresses)
    let (changes, robot) = try await DetachedWork.run("pairings") { () throws(PairingError) in
      (
        try pairings.pair(with: link, proven: finding.pin, at: finding.address),
        try pairings.all().last { $0.pins.contains(finding.pin) }
      )
    }
    guard let robot else { throw .pairing(.notPaired(robot: link.name)) }
    return (robot, changes)
  }

  /// Pairs with the robot whose link a person has scanned, like `pair(with:in:as:over:)`, and connects to it as a
  /// paired robot. ``RobotConnection/events()`` report the changes of robots that were already known.
  ///
  /// - Parameters:
  ///   - link: as the console shows it.
  ///   - pairings: read now, and changed when the robot has proved its key.
  ///   - identity: presented only to the robot, if it asks for a certificate.
  ///   - network: the device's networks over which the robot may be reached.
  ///   - cache: for what is played; several robots may share one. With nil, nothing is kept.
  ///   - retrying: the policy for lists, reads and downloads. A playback retries by itself, for a minute.
  /// - Throws: `RobotError`, as for pairing and for connecting to a paired robot.
  public convenience init(
    scanned link: PairingLink, in pairings: PairingStore, as identity: IdentitySource? = nil,
    over network: NetworkPolicy = NetworkPolicy(), cache: MediaCache? = nil, retrying: RetryPolicy = RetryPolicy()
  ) async throws(RobotError) {
    let (robot, changes) = try await Self.pair(with: link, in: pairings, as: identity, over: network)
    let events = EventSource<RobotEvent>()
    for change in changes { events.send(.pairing(change)) }
    try await self.init(
      toPaired: robot.address, in: pairings, as: identity, over: network, cache: cache, retrying: retrying,
      events: events)
  }
}
