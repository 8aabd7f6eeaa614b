internal import FootageHTTP
internal import Synchronization

/// Places for requests of viewers that wait, or whose answers take time to make or memory to send, on all loops: each
/// viewer has some, and may not take those of others.
final class ViewerPlaces: Sendable {
  /// For one viewer, where nothing else is said.
  static let usualLimit = 16

  private struct State {
    var counts: [Viewer: Int] = [:]
    var total = 0
  }

  private let state = Mutex(State())
  private let limit: Int
  private let total: Int

  /// A quarter of all places is the most that one viewer has, and another one is for viewers who have none yet.
  private static let divisor = 4

  /// - Parameters:
  ///   - limit: how many places one viewer may have.
  ///   - total: how many there are for all viewers together.
  init(limit: Int = usualLimit, total: Int = .max) {
    self.limit = min(limit, max(1, total / Self.divisor))
    self.total = total
  }

  /// - Returns: false where the viewer may have no more; else the place is to be given back by `leave`.
  func take(_ viewer: Viewer) -> Bool {
    state.withLock { state in
      let count = state.counts[viewer, default: 0]
      let most = count == 0 ? total : total - total / Self.divisor
      guard count < limit, state.total < most else { return false }
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

  /// A place that gives itself back.
  ///
  /// - Returns: nil where the viewer may have no more.
  func place(for viewer: Viewer) -> ViewerPlace? { take(viewer) ? ViewerPlace(self, viewer) : nil }

  /// The number of viewers who have places.
  var viewerCount: Int { state.withLock { $0.counts.count } }

  /// The number of places that are taken.
  var count: Int { state.withLock { $0.total } }
}

/// A place that is free again when this goes away: when all of an answer was sent, or nobody wants it.
final class ViewerPlace: Sendable {
  private let places: ViewerPlaces
  private let viewer: Viewer

  fileprivate init(_ places: ViewerPlaces, _ viewer: Viewer) {
    self.places = places
    self.viewer = viewer
  }

  deinit { places.leave(viewer) }
}
