internal import Synchronization
internal import FootageSystem

/// How long a loop lets wait what it is asked to do, by what is asked of each once a second.
final class LoopLag: Sendable {
  private struct State {
    /// When what was not done yet was asked, in nanoseconds; nil where all was done.
    var pending: UInt64?
    /// The last waits, in nanoseconds, the oldest overwritten first.
    var recent: [UInt64] = []
    var next = 0
  }

  private let loops: [Mutex<State>.Box]
  private let clock: Clock

  /// So many waits are remembered, a second each: more than the time between two looks at them.
  private static let memory = 60

  init(loops: Int, clock: Clock = .system) {
    self.loops = (0..<loops).map { _ in Mutex<State>.Box(State()) }
    self.clock = clock
  }

  /// Something is asked of a loop now. Any thread.
  func asked(_ index: Int) {
    let now = clock.nanoseconds
    loops[index].value.withLock { if $0.pending == nil { $0.pending = now } }
  }

  /// The loop does it now.
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

  /// The longest wait of each loop within the last minute, in seconds; of a loop that hangs, the one that lasts.
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
