package import FootageSystem

/// The activity of a connection. It decides if the connection may be closed to make room for another one.
package enum ConnectionActivity: Hashable, Sendable {
  /// Its handshake has lasted since this time.
  case handshaking(since: Deadline)
  /// It has waited for a request, or for the rest of one, since this time.
  case waiting(since: Deadline)
  /// Its peer has accepted a response more slowly than the lowest rate since this time.
  case stalled(since: Deadline)
  /// It is preparing an answer, or its peer accepts the answer fast enough.
  case busy
}

/// The limits by which connections are selected to be closed, to make room for new ones.
package struct RoomLimits: Sendable {
  /// The age from which a handshake may be ended to make room. Connections of this kind are closed first.
  package var handshake: Duration = .seconds(2)
  /// The time for which a connection must have waited for a request to be closed to make room. Connections of this kind
  /// are closed second.
  package var waiting: Duration = .seconds(1)
  /// The time for which new connections must have waited before a younger handshake is ended to make room.
  package var patience: Duration = .seconds(1)
  /// The lowest rate at which a peer may accept a response, measured while only the peer limits the rate. Connections
  /// with a lower rate are closed last.
  package var leastBytesPerSecond: UInt64 = 4_096
  /// The time for which a peer must have been slower than `leastBytesPerSecond` before its connection is closed to make
  /// room.
  package var stall: Duration = .seconds(10)
  /// The longest time that a new connection waits for a place before it is refused.
  package var held: Duration = .seconds(15)
  /// The interval between two attempts to make room while new connections wait for a place.
  package var interval: Duration = .milliseconds(250)

  package init() {}
}

/// A connection that could be closed to make room.
struct RoomCandidate: Sendable {
  /// The index of its loop.
  let loop: Int
  let connection: ObjectIdentifier
  let peer: SocketAddress
  let activity: ConnectionActivity

  /// Returns the connections to close, in the order in which they are to be closed.
  ///
  /// - Parameter longestHeld: the time for which the first of the waiting connections has waited.
  static func chosen(
    from candidates: [RoomCandidate], places: Int, longestHeld: Duration, at now: Deadline, _ limits: RoomLimits
  ) -> [RoomCandidate] {
    let ranked = candidates.compactMap { candidate in candidate.rank(at: now, limits).map { ($0, candidate) } }
    let first = ranked.sorted { $0.0 < $1.0 }.prefix(places)
    // A fresh handshake may be done in a moment, and then nothing needs to be given up.
    let isPatient = longestHeld < limits.patience
    return first.prefix { !isPatient || $0.0.order != Self.freshHandshake }.map(\.1)
  }

  private struct Rank: Comparable {
    let order: Int
    let since: Deadline

    static func < (one: Rank, other: Rank) -> Bool { (one.order, one.since) < (other.order, other.since) }
  }

  private static let freshHandshake = 2

  /// - Returns: nil if the connection is never closed to make room.
  private func rank(at now: Deadline, _ limits: RoomLimits) -> Rank? {
    switch activity {
    case .handshaking(let since):
      Rank(order: now.duration(since: since) >= limits.handshake ? 0 : Self.freshHandshake, since: since)
    case .waiting(let since): now.duration(since: since) >= limits.waiting ? Rank(order: 1, since: since) : nil
    case .stalled(let since): Rank(order: 3, since: since)
    case .busy: nil
    }
  }
}

/// A measurement of the rate at which a peer accepts what it is sent. Another task samples the connection, and only
/// while new connections need places, so that sending itself is not slowed down.
struct ReadingRate {
  private var since: Deadline
  private var byteCount: UInt64
  private var lastLook: Deadline

  /// - Parameter byteCount: the number of this connection's bytes that the peer had accepted at the first sample.
  init(_ byteCount: UInt64, at now: Deadline) {
    since = now
    self.byteCount = byteCount
    lastLook = now
  }

  /// The longest gap between two samples. After a longer gap, the measurement starts again, because the peer may have
  /// been fast in between.
  private static let longestGap = Duration.seconds(3)

  /// - Returns: the time since which the peer has been too slow, if it has been so for long enough.
  mutating func look(_ byteCount: UInt64, at now: Deadline, _ limits: RoomLimits) -> Deadline? {
    let gap = now.duration(since: lastLook)
    lastLook = now
    let elapsed = now.duration(since: since)
    guard gap <= Self.longestGap else {
      self = ReadingRate(byteCount, at: now)
      return nil
    }
    guard elapsed >= limits.stall else { return nil }
    let (seconds, attoseconds) = elapsed.components
    let milliseconds = UInt64(max(0, seconds)) &* 1_000 &+ UInt64(max(0, attoseconds)) / 1_000_000_000_000_000
    let least = limits.leastBytesPerSecond &* milliseconds / 1_000
    if byteCount &- self.byteCount < least { return since }
    self = ReadingRate(byteCount, at: now)
    return nil
  }
}
