internal import FootageSystem
internal import FootageHTTP
internal import Synchronization

/// A queue of requests to a store. A few requests run at the same time, and the viewers take turns, so that a viewer
/// with many requests cannot use the whole link. It never blocks a thread.
final class StoreTurns: Sendable {
  private struct State {
    var free: Int
    var waiting = RoundRobin<Viewer, Suspension<Void>>()
  }

  private let state: Mutex<State>

  /// - Parameter count: the number of requests that may wait for the store at the same time.
  init(count: Int) { state = Mutex(State(free: count)) }

  /// The number of requests that wait for their turn.
  var waitingCount: Int { state.withLock { $0.waiting.count } }

  /// Waits for a turn, and runs `body` in it.
  func run<Failure>(for viewer: Viewer, _ body: () async throws(Failure) -> Void) async throws(Failure) {
    await Suspension<Void>.suspend { suspension in
      let isFree = state.withLock { state in
        guard state.free > 0 else {
          state.waiting.append(suspension, for: viewer)
          return false
        }
        state.free -= 1
        return true
      }
      if isFree { suspension.resume() }
    }
    defer { handOn() }
    try await body()
  }

  private func handOn() {
    let next = state.withLock { state in
      let next = state.waiting.popFirst()
      if next == nil { state.free += 1 }
      return next
    }
    next?.resume()
  }
}
