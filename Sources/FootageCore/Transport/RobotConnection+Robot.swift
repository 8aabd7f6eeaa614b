internal import Synchronization

extension RobotConnection {
  /// Creates a connection to a paired robot at any address. At the first request, the robot is searched for by its key
  /// at all addresses where it was reached before, or that its pairing link or the network states. The search is
  /// repeated when the robot is no longer at the address that was found. Nothing is sent yet, so cached recordings play
  /// without the robot.
  ///
  /// At each address, the peer must prove the key before anything is requested, because announcements on the network
  /// may be false. The store records the address where the robot was found.
  ///
  /// - Parameters:
  ///   - robot: one of `PairingStore.all()`.
  ///   - pairings: read now and at each search, and updated when the robot's key or address has changed.
  ///   - discovered: other addresses where it may be: `RobotDiscovery.Robot.addresses` of one that claims to be this
  ///     robot.
  ///   - identity: presented only to the robot, if it asks for a certificate. This initializer opens it, on a separate
  ///     thread.
  ///   - network: the device's networks over which the robot may be reached.
  ///   - cache: for what is played; several robots may share one. With nil, nothing is kept. The cache knows the robot
  ///     by the first key with which it was paired.
  ///   - retrying: the policy for lists, reads and downloads. A playback retries by itself, for a minute.
  /// - Throws: `RobotError`: `.pairing` if it is no longer paired, or the store cannot be read; `.identity` if it
  ///   cannot be opened; `.system`.
  public convenience init(
    toRobot robot: PairingStore.Pairing, in pairings: PairingStore, at discovered: [RobotAddress] = [],
    as identity: IdentitySource? = nil, over network: NetworkPolicy = NetworkPolicy(), cache: MediaCache? = nil,
    retrying: RetryPolicy = RetryPolicy()
  ) async throws(RobotError) {
    let all = try await DetachedWork.run("pairings") { () throws(PairingError) in try pairings.all() }
    guard let known = robot.found(in: all) else {
      throw .pairing(.notPaired(robot: robot.name ?? robot.address.description))
    }
    let events = EventSource<RobotEvent>()
    let last = LastReading(known)
    let transport = RoamingTransport(
      as: try await Self.open(identity), over: network,
      candidates: {
        let all = try? await DetachedWork.run("pairings") { () throws(PairingError) in try pairings.all() }
        guard let robot = last.robot(in: all) else { return ([known.address], []) }
        return (Self.places(of: robot, and: discovered), robot.pins)
      },
      onProof: { pin, address in await Self.note(pin, at: address, in: pairings, events) },
      onWarning: { events.send(.warning($0)) })
    self.init(
      known.address, over: transport, cache: cache, cacheNames: known.cacheNames, retrying: retrying, events: events)
  }

  /// The largest number of addresses that are tried.
  private static let mostPlaces = 16

  /// Returns the addresses of a robot: first the one where it was last reached, then those that the network announces
  /// for it now, then its other known addresses.
  private static func places(of robot: PairingStore.Pairing, and discovered: [RobotAddress]) -> [RobotAddress] {
    var places: [RobotAddress] = []
    for place in [robot.address] + discovered + robot.otherAddresses where !places.contains(place) {
      places.append(place)
    }
    return Array(places.prefix(mostPlaces))
  }

  /// Records which key the robot has proved, and where.
  static func note(
    _ pin: PublicKeyPin, at address: RobotAddress, in pairings: PairingStore,
    _ events: EventSource<RobotEvent>
  ) async -> PinnedTransport.ProofAnswer {
    do throws(RobotError) {
      let (changes, pins) = try await DetachedWork.run("pairings") { () throws(PairingError) in
        (try pairings.met(pin, at: address), try pairings.all().first { $0.pins.contains(pin) }?.pins)
      }
      for change in changes { events.send(.pairing(change)) }
      // A key that belongs to no robot any more opens no connection.
      return .trusting(pins ?? [])
    } catch {
      events.send(.pairingNotKept(error))
      return .again
    }
  }
}

/// The last entry for a robot that could be read from the store.
private final class LastReading: Sendable {
  private let state: Mutex<(robot: PairingStore.Pairing, isForgotten: Bool)>

  init(_ robot: PairingStore.Pairing) { state = Mutex((robot, false)) }

  /// Returns the robot's current pairing. If the robot has a different key now, only that key counts.
  ///
  /// - Parameter all: the store's entries; nil if it cannot be read, in which case the last entry that could be read
  ///   counts.
  /// - Returns: nil if the robot was forgotten, so that no peer is trusted in its place.
  func robot(in all: [PairingStore.Pairing]?) -> PairingStore.Pairing? {
    state.withLock { state in
      if let all {
        let found = state.robot.found(in: all)
        state = (found ?? state.robot, found == nil)
      }
      return state.isForgotten ? nil : state.robot
    }
  }
}
