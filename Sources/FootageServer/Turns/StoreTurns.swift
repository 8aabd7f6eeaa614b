internal import FootageSystem
internal import FootageHTTP
internal import Synchronization

/// Turns at a store: a few requests wait for it at once, and the turns go round the viewers, so that no viewer who asks for
/// much has all of the link. Holds up no thread.
final class StoreTurns: Sendable {
  private struct State {
    var free: Int
    var waiting = RoundRobin<Viewer, Suspension<Void>>()
  }

  private let state: Mutex<State>

  /// - Parameter count: how many wait for the store at once.
  init(count: Int) { state = Mutex(State(free: count)) }

  /// The number of those whose turn has not come.
  var waitingCount: Int { state.withLock { $0.waiting.count } }

  /// Waits for a turn, which lasts for as long as `body` does.
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
