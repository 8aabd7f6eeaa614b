package import FootageSystem

/// The activity of a connection. It decides if the connection is given up when there is no place for another.
package enum ConnectionActivity: Hashable, Sendable {
  /// Its handshake has lasted since this time.
  case handshaking(since: Deadline)
  /// It has waited for a request, or for the rest of one, since this time.
  case waiting(since: Deadline)
  /// Its peer has accepted a response more slowly than the lowest rate since this time.
  case stalled(since: Deadline)
  /// It is preparing an answer, or its peer accepts what it is sent.
  case busy
}

/// The limits by which connections are given up to make room for others.
package struct RoomLimits: Sendable {
  /// The age at which a handshake is given up. Such handshakes go first.
  package var handshake: Duration = .seconds(2)
  /// The time that a connection has waited for a request when it is given up. Such connections go next.
  package var waiting: Duration = .seconds(1)
  /// The time for which others wait before a younger handshake is given up.
  package var patience: Duration = .seconds(1)
  /// The lowest rate at which a peer may accept a response while only the peer is slow. Connections below it go last.
  package var leastBytesPerSecond: UInt64 = 4_096
  /// The time for which a peer has to be that slow.
  package var stall: Duration = .seconds(10)
  /// The longest time that a newcomer waits for a place before it is turned away.
  package var held: Duration = .seconds(15)
  /// The interval between two searches for a place in that time.
  package var interval: Duration = .milliseconds(250)

  package init() {}
}

/// A connection that could be given up.
struct RoomCandidate: Sendable {
  /// The index of its loop.
  let loop: Int
  let connection: ObjectIdentifier
  let peer: SocketAddress
  let activity: ConnectionActivity

  /// Returns the connections to be given up, in that order.
  ///
  /// - Parameter longestHeld: the time for which the first of the waiting newcomers has waited.
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

  /// - Returns: nil if it is never given up.
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

/// A measurement of the rate at which a peer accepts what it is sent. It samples from outside, and only while a place
/// is wanted, so that it costs nothing while bytes are sent.
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

  /// The longest gap between two samples. A longer one proves nothing about the time in between.
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
