package import FootageSystem

/// What a connection is doing, and whether it is given up when there is no place for another.
package enum ConnectionActivity: Hashable, Sendable {
  /// Its handshake has lasted since then.
  case handshaking(since: Deadline)
  /// It has waited for a request, or for the rest of one, since then.
  case waiting(since: Deadline)
  /// Its peer has taken less of a response than the least rate since then.
  case stalled(since: Deadline)
  /// It answers, or its peer takes what it is sent.
  case busy
}

/// When connections are given up to make room for others.
package struct RoomLimits: Sendable {
  /// A handshake that has lasted so long goes first.
  package var handshake: Duration = .seconds(2)
  /// Then goes a connection that has waited so long for a request.
  package var waiting: Duration = .seconds(1)
  /// How long others wait before a handshake goes that has lasted less.
  package var patience: Duration = .seconds(1)
  /// A peer that takes less than this of a response, while nothing but the peer is slow, goes last.
  package var leastBytesPerSecond: UInt64 = 4_096
  /// For how long it has to be that slow.
  package var stall: Duration = .seconds(10)
  /// How long somebody waits for a place before being turned away.
  package var held: Duration = .seconds(15)
  /// How often it is looked for a place meanwhile.
  package var interval: Duration = .milliseconds(250)

  package init() {}
}

/// Somebody who could be given up.
struct RoomCandidate: Sendable {
  /// The loop that it is on.
  let loop: Int
  let connection: ObjectIdentifier
  let peer: SocketAddress
  let activity: ConnectionActivity

  /// Those who go to make room, the first first.
  ///
  /// - Parameter longestHeld: how long the first of those has waited who need it.
  static func chosen(
    from candidates: [RoomCandidate], places: Int, longestHeld: Duration, at now: Deadline, _ limits: RoomLimits
  ) -> [RoomCandidate] {
    let ranked = candidates.compactMap { candidate in candidate.rank(at: now, limits).map { ($0, candidate) } }
    let first = ranked.sorted { $0.0 < $1.0 }.prefix(places)
    // Whoever has just come may be done in a moment, and then there is nothing to be given up.
    let isPatient = longestHeld < limits.patience
    return first.prefix { !isPatient || $0.0.order != Self.freshHandshake }.map(\.1)
  }

  private struct Rank: Comparable {
    let order: Int
    let since: Deadline

    static func < (one: Rank, other: Rank) -> Bool { (one.order, one.since) < (other.order, other.since) }
  }

  private static let freshHandshake = 2

  /// - Returns: nil where it stays whatever comes.
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

/// Whether a peer takes what it is sent, looked at from outside, again and again, and only while somebody wants its
/// place: so it costs those nothing who send.
struct ReadingRate {
  private var since: Deadline
  private var byteCount: UInt64
  private var lastLook: Deadline

  /// - Parameter byteCount: what the peer had taken of this connection's bytes when it was first looked at.
  init(_ byteCount: UInt64, at now: Deadline) {
    since = now
    self.byteCount = byteCount
    lastLook = now
  }

  /// A longer time between two looks tells nothing about what was in between.
  private static let longestGap = Duration.seconds(3)

  /// - Returns: since when the peer has been too slow, where it has been so for long enough.
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
