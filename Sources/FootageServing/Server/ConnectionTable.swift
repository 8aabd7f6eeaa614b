/// The numbers of connections: in total, on each loop, and from each address. It also holds the new connections that
/// wait for a place.

internal import FootageBase
internal import FootageSystem

/// The limit of connections from one address.
package enum AddressLimit: Hashable, Sendable {
  /// A quarter of all connections. This machine's own addresses may have any number.
  case quarter
  /// This many connections, also from this machine's own addresses.
  case count(Int)
  case none
}

/// The reason why a connection is refused.
package enum ConnectionRefusal: Hashable, Sendable, CustomStringConvertible {
  /// The limit is reached, and no other connection could be closed to make room.
  case tooMany(limit: Int)
  case tooManyFromAddress(limit: Int)

  package var description: String {
    switch self {
    case .tooMany(let limit): "there are already \(limit) connections"
    case .tooManyFromAddress(let limit): "there are already \(limit) connections from this address"
    }
  }
}

/// A table of the connections. It does no input or output, and the caller passes the time. It is used when a connection
/// begins and when it ends, never in between.
struct ConnectionTable<Newcomer> {
  enum Arrival {
    case admitted(loop: Int)
    /// All places are taken, so that another connection must be closed first.
    case held
    case refused(ConnectionRefusal)
  }

  private struct Held {
    let newcomer: Newcomer
    let peer: SocketAddress
    let since: Deadline
  }

  let limit: Int
  private let limitPerAddress: Int?
  private let exemptsLoopback: Bool
  private let heldLimit: Int
  private var countsByLoop: [Int]
  private var countsByAddress: [AddressBlock: Int] = [:]
  private var held: [Held] = []

  /// The largest number of new connections that wait for a place. Each costs a descriptor.
  static var mostHeld: Int { 64 }

  init(limit: Int, perAddress: AddressLimit, loops: Int) {
    self.limit = limit
    heldLimit = min(Self.mostHeld, max(1, limit / 8))
    countsByLoop = Array(repeating: 0, count: max(1, loops))
    exemptsLoopback = perAddress == .quarter
    limitPerAddress =
      switch perAddress {
      case .quarter: max(1, limit / 4)
      case .count(let count): count
      case .none: nil
      }
  }

  /// The number of connections that have a place.
  var count: Int { countsByLoop.reduce(0, +) }
  var heldCount: Int { held.count }

  /// True if the maximum number of new connections wait for a place. Another one would be refused, so it should stay in
  /// the kernel's queue until one of these has a place.
  var isFull: Bool { held.count >= heldLimit }

  /// Returns the time for which the first of the waiting connections has waited.
  func longestHeld(at now: Deadline) -> Duration { held.first.map { now.duration(since: $0.since) } ?? .zero }

  /// Handles a new connection. The loop with the fewest connections gets it.
  mutating func arrive(_ newcomer: Newcomer, from peer: SocketAddress, at now: Deadline) -> Arrival {
    if let limitPerAddress, isCounted(peer), countsByAddress[peer.block, default: 0] >= limitPerAddress {
      return .refused(.tooManyFromAddress(limit: limitPerAddress))
    }
    guard count >= limit || !held.isEmpty else {
      countIn(peer)
      return .admitted(loop: takeLoop())
    }
    guard held.count < heldLimit else { return .refused(.tooMany(limit: limit)) }
    countIn(peer)
    held.append(Held(newcomer: newcomer, peer: peer, since: now))
    return .held
  }

  /// Handles the end of a connection that had a place.
  ///
  /// - Returns: the waiting connection that gets the place, and its loop; nil if none waits.
  mutating func leave(_ peer: SocketAddress, loop: Int) -> (newcomer: Newcomer, loop: Int)? {
    countOut(peer)
    countsByLoop[loop] -= 1
    guard count < limit, !held.isEmpty else { return nil }
    return (held.removeFirst().newcomer, takeLoop())
  }

  /// Removes and returns the connections that have waited too long for a place, and must be refused.
  mutating func takeHeld(for patience: Duration, at now: Deadline) -> [Newcomer] {
    let isOver = held.prefix { now.duration(since: $0.since) >= patience }
    held.removeFirst(isOver.count)
    for one in isOver { countOut(one.peer) }
    return isOver.map(\.newcomer)
  }

  private mutating func takeLoop() -> Int {
    var least = 0
    for index in countsByLoop.indices where countsByLoop[index] < countsByLoop[least] { least = index }
    countsByLoop[least] += 1
    return least
  }

  private func isCounted(_ peer: SocketAddress) -> Bool { !(exemptsLoopback && peer.isLoopback) }

  private mutating func countIn(_ peer: SocketAddress) {
    guard limitPerAddress != nil, isCounted(peer) else { return }
    countsByAddress[peer.block, default: 0] += 1
  }

  private mutating func countOut(_ peer: SocketAddress) {
    guard let count = countsByAddress[peer.block] else { return }
    countsByAddress[peer.block] = count > 1 ? count - 1 : nil
  }
}
