/// The number of lines about requests that the log of one loop accepts per second, in total and for each address.

internal import FootageBase
internal import FootageServing
internal import FootageSystem

/// A budget of log lines per second. Without it, a client could fill a robot's disk with lines about its requests. It
/// has no clock: the caller passes the second.
struct LineBudget {
  private let limit: Int
  private let limitPerAddress: Int
  private var second: Int64 = 0
  private var count = 0
  private var byAddress: [AddressBlock: Int] = [:]
  private var suppressed = 0

  /// The maximum number of lines per second. A robot's viewers cause a few dozen.
  private static let limitOfAll = 1_000
  private static let limitOfAllPerAddress = 200

  /// - Parameter shares: the number of loops among which a server's lines are divided.
  init(shares: Int) {
    limit = max(1, Self.limitOfAll / max(1, shares))
    limitPerAddress = max(1, Self.limitOfAllPerAddress / max(1, shares))
  }

  /// - Returns: the number of lines left out since the last call, if a new second has begun and there are any;
  ///   otherwise nil.
  mutating func takeSuppressed(in second: Int64) -> Int? {
    guard second != self.second, suppressed > 0 else { return nil }
    defer { suppressed = 0 }
    return suppressed
  }

  /// Returns true if one more line may be written. Otherwise the line is counted as left out.
  ///
  /// - Parameter peer: the peer that the line is about; nil for none in particular.
  mutating func admits(_ peer: SocketAddress?, in second: Int64) -> Bool {
    if second != self.second {
      self.second = second
      count = 0
      byAddress.removeAll(keepingCapacity: true)
    }
    guard count < limit else { return suppress() }
    if let peer {
      let ofPeer = byAddress[peer.block, default: 0]
      guard ofPeer < limitPerAddress else { return suppress() }
      byAddress[peer.block] = ofPeer + 1
    }
    count += 1
    return true
  }

  private mutating func suppress() -> Bool {
    suppressed += 1
    return false
  }
}
