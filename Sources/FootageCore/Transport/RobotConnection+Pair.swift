extension RobotConnection {
  /// Pairs with the robot whose link a person has scanned off its console, or typed: finds it at the first of the
  /// link's addresses that answers, has it prove its key, and only then remembers it.
  ///
  /// A robot that is paired already gets the addresses and the name of the link, and the key that it is to have.
  /// Nothing that was known of a robot gives way to a link: where one of its name, or at one of its addresses, has
  /// another key, that is said, and nobody is asked.
  ///
  /// - Parameters:
  ///   - link: as the console shows it.
  ///   - pairings: read now, and changed when the robot has proved its key.
  ///   - identity: shown to the robot where it asks for a certificate, and to nobody else. None is needed to pair.
  ///   - network: which of the device's networks it may be reached over.
  /// - Returns: the robot, as it is remembered now, and what that has changed in robots that were known.
  /// - Throws: `RobotError`: `.pairing`, above all `.pinChanged`; `.trust` where somebody else answers at the link's
  ///   addresses; `.unreachable` at once, for nothing is tried again; `.identity`, `.system`, `.cancelled`.
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

  /// Pairs with the robot whose link a person has scanned, and connects to it: `pair(with:in:as:over:)`, and then as a
  /// paired robot. What that changes in robots that were known, ``RobotConnection/events()`` tell.
  ///
  /// - Parameters:
  ///   - link: as the console shows it.
  ///   - pairings: read now, and changed when the robot has proved its key.
  ///   - identity: shown to the robot where it asks for a certificate, and to nobody else.
  ///   - network: which of the device's networks it may be reached over.
  ///   - cache: for what is played; several robots may share one. Nil keeps nothing.
  ///   - retrying: for lists, reads and downloads. A playback tries again by itself, for a minute.
  /// - Throws: `RobotError`, as both do.
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
