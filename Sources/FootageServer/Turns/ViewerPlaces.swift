internal import FootageHTTP
internal import Synchronization

/// The limits on each viewer's requests that wait, or whose answers take time to make or memory to send, on all loops.
/// Each such request occupies a place. Each viewer may occupy only a limited number, so that places remain for others.
final class ViewerPlaces: Sendable {
  /// The default number of places for one viewer.
  static let usualLimit = 16

  private struct State {
    var counts: [Viewer: Int] = [:]
    var total = 0
  }

  private let state = Mutex(State())
  private let limit: Int
  private let total: Int

  /// The divisor of the total number of places that gives the largest number for one viewer. The same number is
  /// reserved for viewers who have no place yet.
  private static let divisor = 4

  /// - Parameters:
  ///   - limit: the number of places that one viewer may have.
  ///   - total: the number of places for all viewers together.
  init(limit: Int = usualLimit, total: Int = .max) {
    self.limit = min(limit, max(1, total / Self.divisor))
    self.total = total
  }

  /// - Returns: false if the viewer may have no more places. Otherwise the caller must free the place with `leave`.
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

  /// Frees a place.
  func leave(_ viewer: Viewer) {
    state.withLock { state in
      guard let count = state.counts[viewer] else { return }
      state.counts[viewer] = count > 1 ? count - 1 : nil
      state.total -= 1
    }
  }

  /// Returns a place that is freed automatically when it is released.
  ///
  /// - Returns: nil if the viewer may have no more places.
  func place(for viewer: Viewer) -> ViewerPlace? { take(viewer) ? ViewerPlace(self, viewer) : nil }

  /// The number of viewers who have places.
  var viewerCount: Int { state.withLock { $0.counts.count } }

  /// The number of places that are taken.
  var count: Int { state.withLock { $0.total } }
}

/// A place that is freed when this object is released: when the whole answer was sent, or is no longer wanted.
final class ViewerPlace: Sendable {
  private let places: ViewerPlaces
  private let viewer: Viewer

  fileprivate init(_ places: ViewerPlaces, _ viewer: Viewer) {
    self.places = places
    self.viewer = viewer
  }

  deinit { places.leave(viewer) }
}
