internal import Synchronization

extension RobotConnection {
  /// A robot that somebody has paired with, wherever it is: with the first request it is looked for by its key at all
  /// places where it was met or is said to be, and again when it is not there any more. Nothing is sent yet, so that
  /// what is cached of it plays without it.
  ///
  /// At each place who answers proves the key before anything is asked, and gets nothing where he cannot: what the
  /// network says of a robot's addresses need not be true. The store learns where it was found.
  ///
  /// - Parameters:
  ///   - robot: one of `PairingStore.all()`.
  ///   - pairings: read now and with each search, and changed when something is new.
  ///   - discovered: where else it may be: `RobotDiscovery.Robot.addresses` of one that says it is this robot.
  ///   - identity: shown to the robot where it asks for a certificate, and to nobody else. It is opened here, on a
  ///     thread of its own.
  ///   - network: which of the device's networks it may be reached over.
  ///   - cache: for what is played; several robots may share one. Nil keeps nothing. It knows the robot by the first
  ///     key that it was paired with.
  ///   - retrying: for lists, reads and downloads. A playback tries again by itself, for a minute.
  /// - Throws: `RobotError`: `.pairing` where it is not paired any more, or the store cannot be read; `.identity` where
  ///   it cannot be opened; `.system`.
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

  /// How many places are tried at most.
  private static let mostPlaces = 16

  /// Where it was met last, where it is said to be now, and where it was before.
  private static func places(of robot: PairingStore.Pairing, and discovered: [RobotAddress]) -> [RobotAddress] {
    var places: [RobotAddress] = []
    for place in [robot.address] + discovered + robot.otherAddresses where !places.contains(place) {
      places.append(place)
    }
    return Array(places.prefix(mostPlaces))
  }

  /// Notes which key the robot has proved, and where.
  static func note(
    _ pin: PublicKeyPin, at address: RobotAddress, in pairings: PairingStore,
    _ events: EventSource<RobotEvent>
  ) async -> PinnedTransport.ProofAnswer {
    do throws(RobotError) {
      let (changes, pins) = try await DetachedWork.run("pairings") { () throws(PairingError) in
        (try pairings.met(pin, at: address), try pairings.all().first { $0.pins.contains(pin) }?.pins)
      }
      for change in changes { events.send(.pairing(change)) }
      // A key that is no robot's any more opens nothing.
      return .trusting(pins ?? [])
    } catch {
      events.send(.pairingNotKept(error))
      return .again
    }
  }
}

/// What the store said of a robot when it could be read last.
private final class LastReading: Sendable {
  private let state: Mutex<(robot: PairingStore.Pairing, isForgotten: Bool)>

  init(_ robot: PairingStore.Pairing) { state = Mutex((robot, false)) }

  /// The robot as it is known now: nil where it was forgotten, and nobody is trusted for it. One that has another key
  /// since is known by that one alone.
  ///
  /// - Parameter all: what the store says; nil where it cannot be read just now, and what it said before counts.
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
