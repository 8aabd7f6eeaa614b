internal import HTTPTransport
internal import Synchronization

/// Places for requests of viewers that wait, or whose answers take time to make, on all loops: each viewer has some, and
/// may not take those of others.
final class ViewerPlaces: Sendable {
  /// For one viewer.
  static let limit = 16

  private struct State {
    var counts: [Viewer: Int] = [:]
    var total = 0
  }

  private let state = Mutex(State())
  private let total: Int

  /// A quarter of all places is for viewers who have none yet.
  private static let divisorOfFirst = 4

  /// - Parameter total: how many places there are for all viewers together.
  init(total: Int = .max) { self.total = total }

  /// - Returns: false where the viewer may have no more; else the place is to be given back by `leave`.
  func take(_ viewer: Viewer) -> Bool {
    state.withLock { state in
      let count = state.counts[viewer, default: 0]
      let most = count == 0 ? total : total - total / Self.divisorOfFirst
      guard count < Self.limit, state.total < most else { return false }
      state.counts[viewer] = count + 1
      state.total += 1
      return true
    }
  }

  /// Gives a place back.
  func leave(_ viewer: Viewer) {
    state.withLock { state in
      guard let count = state.counts[viewer] else { return }
      state.counts[viewer] = count > 1 ? count - 1 : nil
      state.total -= 1
    }
  }

  /// The number of viewers who have places.
  var viewerCount: Int { state.withLock { $0.counts.count } }

  /// The number of places that are taken.
  var count: Int { state.withLock { $0.total } }
}
