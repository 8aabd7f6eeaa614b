/// How many connections there are, in all and from each address, and whether one more may come in.

internal import Networking
internal import Synchronization

/// The lock is taken when a connection begins and when it ends, never in between.
final class ConnectionCensus: Sendable {
  private struct State {
    var count = 0
    var byAddress: [[UInt8]: Int] = [:]
  }

  enum Refusal: Hashable, Sendable, CustomStringConvertible {
    case tooMany(limit: Int)
    case tooManyFromAddress(limit: Int)

    var description: String {
      switch self {
      case .tooMany(let limit): "there are \(limit) connections already (--max-connections)"
      case .tooManyFromAddress(let limit):
        "there are \(limit) connections from this address already (--max-connections-per-address)"
      }
    }
  }

  private let state = Mutex(State())
  private let limit: Int
  private let limitPerAddress: Int?

  init(limit: Int, limitPerAddress: Int?) {
    self.limit = limit
    self.limitPerAddress = limitPerAddress
  }

  var count: Int { state.withLock { $0.count } }

  /// - Returns: nil where the connection is let in and counted.
  func admit(_ peer: SocketAddress) -> Refusal? {
    state.withLock { state in
      guard state.count < limit else { return .tooMany(limit: limit) }
      if let limitPerAddress {
        guard state.byAddress[peer.addressBytes, default: 0] < limitPerAddress else {
          return .tooManyFromAddress(limit: limitPerAddress)
        }
        state.byAddress[peer.addressBytes, default: 0] += 1
      }
      state.count += 1
      return nil
    }
  }

  func leave(_ peer: SocketAddress) {
    state.withLock { state in
      state.count -= 1
      guard limitPerAddress != nil, let count = state.byAddress[peer.addressBytes] else { return }
      state.byAddress[peer.addressBytes] = count > 1 ? count - 1 : nil
    }
  }
}
