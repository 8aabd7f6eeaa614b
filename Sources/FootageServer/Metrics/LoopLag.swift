internal import Synchronization
internal import FootageSystem

/// The delay until a loop runs a submitted task, measured once a second for each loop.
final class LoopLag: Sendable {
  private struct State {
    /// The time when the oldest unanswered task was submitted, in nanoseconds; nil if there is none.
    var pending: UInt64?
    /// The last waits, in nanoseconds. The oldest is overwritten first.
    var recent: [UInt64] = []
    var next = 0
  }

  private let loops: [Mutex<State>.Box]
  private let clock: Clock

  /// The number of waits that are remembered, one per second. They cover more than the time between two scrapes.
  private static let memory = 60

  init(loops: Int, clock: Clock = .system) {
    self.loops = (0..<loops).map { _ in Mutex<State>.Box(State()) }
    self.clock = clock
  }

  /// Records that a task is submitted to a loop now. Any thread.
  func asked(_ index: Int) {
    let now = clock.nanoseconds
    loops[index].value.withLock { if $0.pending == nil { $0.pending = now } }
  }

  /// Records that the loop runs the task now.
  func answered(_ index: Int) {
    let now = clock.nanoseconds
    loops[index].value.withLock { state in
      guard let pending = state.pending else { return }
      state.pending = nil
      let wait = now &- pending
      if state.recent.count < Self.memory {
        state.recent.append(wait)
      } else {
        state.recent[state.next] = wait
        state.next = (state.next + 1) % Self.memory
      }
    }
  }

  /// The longest wait of each loop within the last minute, in seconds. For a loop that hangs, the current wait counts.
  var seconds: [Double] {
    let now = clock.nanoseconds
    return loops.map { loop in
      loop.value.withLock { state in
        let longest = max(state.recent.max() ?? 0, state.pending.map { now &- $0 } ?? 0)
        return Double(longest) / 1e9
      }
    }
  }
}

extension Mutex where Value: Sendable {
  /// A mutex that an array can hold.
  fileprivate final class Box: Sendable {
    let value: Mutex<Value>

    init(_ value: Value) { self.value = Mutex<Value>(value) }
  }
}
