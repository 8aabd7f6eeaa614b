internal import HTTPTransport
internal import Synchronization

/// How many requests each viewer has waiting, on all loops.
final class ViewerPlaces: Sendable {
  /// For one viewer.
  static let limit = 16

  private let counts = Mutex<[Viewer: Int]>([:])

  /// - Returns: whether one more may wait, which is to `leave` then.
  func take(_ viewer: Viewer) -> Bool {
    counts.withLock { counts in
      guard counts[viewer, default: 0] < Self.limit else { return false }
      counts[viewer, default: 0] += 1
      return true
    }
  }

  func leave(_ viewer: Viewer) {
    counts.withLock { counts in
      guard let count = counts[viewer] else { return }
      counts[viewer] = count > 1 ? count - 1 : nil
    }
  }

  /// How many viewers have requests waiting.
  var viewerCount: Int { counts.withLock { $0.count } }
}
