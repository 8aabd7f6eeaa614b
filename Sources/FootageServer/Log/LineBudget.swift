/// How many lines about requests the log of one loop takes in a second, in all and for each address.

internal import FootageBase
internal import FootageServing
internal import FootageSystem

/// Pure: the second is handed in. Whoever can send requests could else fill a robot's disk with lines about them.
struct LineBudget {
  private let limit: Int
  private let limitPerAddress: Int
  private var second: Int64 = 0
  private var count = 0
  private var byAddress: [AddressBlock: Int] = [:]
  private var suppressed = 0

  /// A robot's viewers make a few dozen lines a second.
  private static let limitOfAll = 1_000
  private static let limitOfAllPerAddress = 200

  /// - Parameter shares: among how many loops a server's lines are divided.
  init(shares: Int) {
    limit = max(1, Self.limitOfAll / max(1, shares))
    limitPerAddress = max(1, Self.limitOfAllPerAddress / max(1, shares))
  }

  /// - Returns: how many lines were left out since this was last asked, where a new second has begun and there are any.
  mutating func takeSuppressed(in second: Int64) -> Int? {
    guard second != self.second, suppressed > 0 else { return nil }
    defer { suppressed = 0 }
    return suppressed
  }

  /// Whether one more line may be written; those that may not are counted.
  ///
  /// - Parameter peer: whom it is about; nil for nobody in particular.
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
